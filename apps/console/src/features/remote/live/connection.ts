import type { RemoteSession, RemoteTicket } from '@mdm/contract'
import type { ViewerNote } from '@mdm/contract/tunnel.ts'
import { CallFailed } from '../../../core/call-failed.ts'
import type { ChannelEnds, TunnelChannel } from './channel.ts'
import { isOver, nextStatus, retryDelay } from './status.ts'
import type { Status, StatusEvent } from './status.ts'

/** What a connection reaches the world by. */
export type Doors = {
  open: () => Promise<RemoteTicket>
  join: (session_kid: string) => Promise<RemoteTicket>
  channel: (ticket: RemoteTicket, ends: ChannelEnds) => TunnelChannel
}
export type Connection = {
  status: Status
  channel: TunnelChannel | null
  session: RemoteSession | null
  viewer_kid: string | null
  has_control: boolean
  viewers: number
  /** When the session ends, by `performance.now()`. */
  ends_at: number | undefined
}
type Options = {
  /** A session that is open already is joined; otherwise one is opened. */
  session_kid?: string | undefined
  asks_consent: boolean
  /** Pictures tell that it lives; a terminal and a log may be silent for hours. */
  has_pictures: boolean
}

const look_every_ms = 1_000

/** One person's way into a session: opens or joins it, and joins again whenever the connection breaks, for as long as it is open. */
export class RemoteConnection {
  #now: Connection
  readonly #listeners = new Set<() => void>()
  #retry: ReturnType<typeof setTimeout> | undefined
  #looks: ReturnType<typeof setInterval> | undefined
  /** Of each try: what an earlier one still brings is not heard any more. */
  #turn = 0
  /** The server's clock minus this computer's, which may be wrong by hours. */
  #clock_ahead_ms = 0

  constructor(
    readonly doors: Doors,
    readonly options: Options,
  ) {
    this.#now = {
      status: nextStatus({ name: 'connecting', is_open: false }, { type: 'asked', ...options }),
      channel: null,
      session: null,
      viewer_kid: null,
      has_control: false,
      viewers: 1,
      ends_at: undefined,
    }
  }

  readonly current = (): Connection => this.#now
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  start(): void {
    const { session_kid, has_pictures } = this.options
    if (has_pictures)
      this.#looks = setInterval(() => this.#tell({ type: 'looked', at: performance.now() }), look_every_ms)
    void this.#enter(
      session_kid ? () => this.doors.join(session_kid) : () => this.doors.open(),
      session_kid === undefined,
    )
  }
  /** Does not wait for its turn: the device has just come back. */
  retryNow(): void {
    if (this.#now.status.name === 'reconnecting' && this.#retry !== undefined) this.#rejoin()
  }
  seen(): void {
    this.#tell({ type: 'seen', at: performance.now() })
  }
  /** Goes away; the session goes on for the others. */
  leave(): void {
    this.#tell({ type: 'left' })
  }
  /** What the server has told elsewhere about the session, by a call or an event. */
  putSession(session: RemoteSession): void {
    if (session.kid === this.#now.session?.kid) this.#put({ session, ends_at: this.#instant(session.ends_at) })
  }

  async #enter(ask: () => Promise<RemoteTicket>, is_new: boolean): Promise<void> {
    const turn = ++this.#turn
    const isMine = () => turn === this.#turn
    try {
      const ticket = await ask()
      if (!isMine() || isOver(this.#now.status)) return
      const { session, viewer_kid } = ticket
      if (is_new) this.#clock_ahead_ms = Date.parse(session.created_at) - Date.now()
      const own = session.viewers.find(({ kid }) => kid === viewer_kid)
      this.#put({
        session,
        viewer_kid,
        has_control: own?.has_control ?? false,
        viewers: session.viewers.filter(({ left_at }) => left_at === null).length,
        ends_at: this.#instant(session.ends_at),
      })
      this.#tell({ type: 'answered' })
      const channel = this.doors.channel(ticket, {
        onOpen: () => isMine() && this.#opened(),
        onNote: (note) => isMine() && this.#noted(note),
        onClosed: (code) => isMine() && this.#tell({ type: 'closed', code }),
      })
      this.#put({ channel })
    } catch (error) {
      if (!isMine()) return
      // Nobody waits for the answer of a session of the console that is over.
      if (error instanceof CallFailed && error.is_silent) this.#tell({ type: 'left' })
      else if (error instanceof CallFailed)
        this.#tell({ type: 'refused', result: error.result, message: error.message })
      else throw error
    }
  }
  #opened(): void {
    this.#tell({ type: 'opened' })
    if (!this.options.has_pictures) this.seen()
  }
  #noted(note: ViewerNote): void {
    if ('ends_at' in note) this.#put({ ends_at: this.#instant(note.ends_at) })
    else this.#put({ has_control: note.has_control, viewers: note.viewers })
  }
  #instant(at: string): number {
    return performance.now() + Date.parse(at) - Date.now() - this.#clock_ahead_ms
  }
  #rejoin(): void {
    clearTimeout(this.#retry)
    this.#retry = undefined
    const kid = this.#now.session?.kid ?? this.options.session_kid
    if (kid) void this.#enter(() => this.doors.join(kid), false)
  }

  #tell(event: StatusEvent): void {
    const before = this.#now.status
    const status = nextStatus(before, event)
    if (status === before) return
    const is_over = isOver(status)
    const is_again = status.name === 'reconnecting' && status !== before
    if (is_over || is_again) {
      const { channel } = this.#now
      clearTimeout(this.#retry)
      // Whoever shows the stream lets go of it first, and keeps its last picture.
      this.#put({ status, channel: null })
      // Its end is known here; the word of it would be taken for that of the next one.
      this.#turn += 1
      channel?.beforeClose?.()
      channel?.close()
      if (is_again) this.#retry = setTimeout(() => this.#rejoin(), retryDelay(status.attempt))
      else clearInterval(this.#looks)
    } else this.#put({ status })
  }
  #put(change: Partial<Connection>): void {
    this.#now = { ...this.#now, ...change }
    for (const listener of this.#listeners) listener()
  }
}
