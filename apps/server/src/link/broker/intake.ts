import type { Socket } from 'node:net'

type Intake = {
  /** Bytes that a packet may announce at this moment. */
  most: () => number
  /** Whether more may be read now. */
  isOpen: () => boolean
  refuse: (why: string) => void
}

/**
 * Stands between a socket and aedes, which reads with `read()`. aedes keeps whatever length a packet announces (up to
 * 256 MiB) before it asks who sends it, and reads on while earlier publishes wait for their commit. Here a packet too
 * large ends its connection at its fifth byte, and while `isOpen` says no the bytes stay in the network, so that the
 * device slows down instead of being cut off. Call the answer when `isOpen` may have become true.
 */
export function guardIntake(socket: Socket, { most, isOpen, refuse }: Intake): () => void {
  const read = socket.read.bind(socket)
  const hasRoom = packetLengths(most)
  let is_held = false
  socket.read = (size?: number | null) => {
    // Node itself calls read(0) to fill the buffer; aedes asks for everything.
    if (typeof size === 'number') return read(size)
    if (!isOpen()) {
      is_held = true
      return null
    }
    const bytes = read() as Buffer | null
    if (bytes === null || hasRoom(bytes)) return bytes
    refuse('a packet too large')
    return null
  }
  return () => {
    if (!is_held || !isOpen()) return
    is_held = false
    socket.emit('readable')
  }
}

/** Follows the packets of a stream by their fixed headers [MQTT-2.2.3]; false when one is too long. */
export function packetLengths(most: () => number): (bytes: Uint8Array) => boolean {
  let body = 0
  let length = 0
  /** Bytes of the present header that were seen; 0 is between packets. */
  let seen = 0
  return (bytes) => {
    for (let i = 0; i < bytes.length;) {
      if (body > 0) {
        const step = Math.min(body, bytes.length - i)
        body -= step
        i += step
      } else if (seen === 0) {
        seen = 1
        length = 0
        i++
      } else {
        const byte = bytes[i++]!
        length += (byte & 127) * 128 ** (seen - 1)
        if (length > most() || seen > 4) return false
        seen++
        if (byte < 128) {
          body = length
          seen = 0
        }
      }
    }
    return true
  }
}
