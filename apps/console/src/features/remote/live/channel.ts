import { ticketProtocol, tunnel_protocol, ViewerNote } from '@mdm/contract/tunnel.ts'
import type { TunnelNote } from '@mdm/contract/tunnel.ts'

type Of<E> = ((event: E) => void) | null
export type ChannelEnds = {
  onOpen: () => void
  onNote: (note: ViewerNote) => void
  onClosed: (code: number) => void
}

/**
 * A viewer's end of a tunnel, in the shape in which noVNC takes a WebSocket: binary frames are its own, text frames are notes
 * between the server and us. Whoever shows the stream sets `onmessage` and the others after it has opened or before.
 */
export class TunnelChannel {
  binaryType: BinaryType = 'arraybuffer'
  onopen: Of<Event> = null
  onmessage: Of<MessageEvent<ArrayBuffer>> = null
  onerror: Of<Event> = null
  onclose: Of<CloseEvent> = null
  /** Runs before anybody is told that it closed: the last picture can still be kept. */
  beforeClose: (() => void) | null = null
  /** Stands around the reading of each piece, for whoever measures it. */
  measure: ((bytes: number, read: () => void) => void) | null = null
  readonly #socket: WebSocket
  readonly #ends: ChannelEnds
  #is_over = false
  /** What came before anybody listened. A viewer is drawn a moment after its channel is there. */
  #early: MessageEvent<ArrayBuffer>[] | null = []

  constructor(url: string, ticket: string, ends: ChannelEnds, Socket: typeof WebSocket = WebSocket) {
    const socket = new Socket(url, [tunnel_protocol, ticketProtocol(ticket)])
    socket.binaryType = 'arraybuffer'
    socket.onopen = (event) => {
      ends.onOpen()
      this.onopen?.(event)
    }
    socket.onmessage = (event: MessageEvent<ArrayBuffer | string>) => {
      if (typeof event.data === 'string') {
        const note = noteOf(event.data)
        if (note) ends.onNote(note)
      } else this.#take(event as MessageEvent<ArrayBuffer>)
    }
    socket.onerror = (event) => this.onerror?.(event)
    socket.onclose = (event) => this.#ended(event)
    this.#socket = socket
    this.#ends = ends
  }

  get protocol(): string {
    return this.#socket.protocol
  }
  get readyState(): number {
    return this.#socket.readyState
  }
  send(data: Uint8Array<ArrayBuffer>): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(data)
  }
  note(note: TunnelNote): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(note))
  }
  /** Over at once: of a connection that is dead the browser would wait for an answer. */
  close(): void {
    this.#socket.close()
    queueMicrotask(() => this.#ended(new CloseEvent('close', { code: 1000, wasClean: true })))
  }
  /** Hands over what came before `onmessage` was set, in its order. */
  begin(): void {
    const early = this.#early ?? []
    this.#early = null
    for (const event of early) this.#give(event)
  }

  #ended(event: CloseEvent): void {
    if (this.#is_over) return
    this.#is_over = true
    this.beforeClose?.()
    this.onclose?.(event)
    this.#ends.onClosed(event.code)
  }
  #take(event: MessageEvent<ArrayBuffer>): void {
    if (this.#early) this.#early.push(event)
    else this.#give(event)
  }
  #give(event: MessageEvent<ArrayBuffer>): void {
    const read = () => this.onmessage?.(event)
    if (this.measure) this.measure(event.data.byteLength, read)
    else read()
  }
}

/** A newer server may say what this console does not know yet. */
function noteOf(text: string): ViewerNote | undefined {
  try {
    return ViewerNote.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}
