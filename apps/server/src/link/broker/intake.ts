import { Socket } from 'node:net'

/** What holds for every peer of a broker; `P` is what the broker knows of one. */
export type Rules<P> = {
  /** Bytes that a packet may announce at this moment. */
  most(peer: P): number
  /** Whether more may be read now. */
  isOpen(peer: P): boolean
  refuse(peer: P, why: string): void
}

/**
 * Stands between a socket and aedes, which reads with `read()`. aedes keeps whatever length a packet announces (up to
 * 256 MiB) before it asks who sends it, and reads on while earlier publishes wait for their commit. Here a packet too
 * large ends its connection at its fifth byte, and while `isOpen` says no the bytes stay in the network, so that the
 * device slows down instead of being cut off. There is one for every connection, so it holds next to nothing.
 */
export class Intake<P> {
  readonly peer: P
  readonly #socket: Socket
  readonly #rules: Rules<P>
  readonly #lengths = new PacketLengths()
  #is_held = false

  constructor(socket: Socket, peer: P, rules: Rules<P>) {
    this.peer = peer
    this.#socket = socket
    this.#rules = rules
    // Node itself calls read(0) to fill the buffer; aedes asks for everything.
    socket.read = (size) => (typeof size === 'number' ? Socket.prototype.read.call(socket, size) : this.#read())
  }
  #read(): Buffer | null {
    if (!this.#rules.isOpen(this.peer)) {
      this.#is_held = true
      return null
    }
    const bytes = Socket.prototype.read.call(this.#socket) as Buffer | null
    if (bytes === null || this.#lengths.follow(bytes, this.#rules.most(this.peer))) return bytes
    this.#rules.refuse(this.peer, 'a packet too large')
    return null
  }
  /** To be called when `isOpen` may have become true. */
  readOn(): void {
    if (!this.#is_held || !this.#rules.isOpen(this.peer)) return
    this.#is_held = false
    this.#socket.emit('readable')
  }
}

/** Follows the packets of a stream by their fixed headers [MQTT-2.2.3]. */
export class PacketLengths {
  #body = 0
  #length = 0
  /** Bytes of the present header that were seen; 0 is between packets. */
  #seen = 0

  /** False when a packet announces more than `most`. */
  follow(bytes: Uint8Array, most: number): boolean {
    for (let i = 0; i < bytes.length;) {
      if (this.#body > 0) {
        const step = Math.min(this.#body, bytes.length - i)
        this.#body -= step
        i += step
      } else if (this.#seen === 0) {
        this.#seen = 1
        this.#length = 0
        i++
      } else {
        const byte = bytes[i++]!
        this.#length += (byte & 127) * 128 ** (this.#seen - 1)
        if (this.#length > most || this.#seen > 4) return false
        this.#seen++
        if (byte < 128) {
          this.#body = this.#length
          this.#seen = 0
        }
      }
    }
    return true
  }
}
