import type { LiveEvent } from '@mdm/contract'
import type { Deps } from '../../deps.ts'

const channel = 'mdm_live'
const announce_ms = 10_000
/** A node that has not been heard of for this long listens to nothing. */
const silent_ms = 35_000
const gather_ms = 25
const most_waiting = 5_000
const payload_bytes = 7_500
const most_named = 100

type Said = [account_kid: string | null, event: LiveEvent]
type Message = { from: string; wants?: string[] | 'all'; said?: Said[]; lagged?: true }
export type LiveNodes = {
  publish(account_kid: string | null, event: LiveEvent): void
  /** Tells the other nodes at once which accounts somebody listens for here. */
  announce(): Promise<void>
  close(): Promise<void>
}

/**
 * Live events between server nodes that share one PostgreSQL. A node says for which accounts it has listeners, so that
 * an event nobody listens for costs no statement; events are gathered for a moment and sent many at once.
 */
export async function liveNodes(
  deps: Pick<Deps, 'database' | 'node_kid' | 'log'>,
  hub: { deliver(account_kid: string | null, event: LiveEvent): void; interests(): string[]; on_gap(): void },
): Promise<LiveNodes> {
  const { database, node_kid, log } = deps
  // The embedded database has one server, by its lock.
  if (database.kind === 'embedded') return { publish() {}, async announce() {}, async close() {} }

  const others = new Map<string, { wants: Set<string> | 'all'; until: number }>()
  let waiting: Said[] = []
  let has_dropped = false
  let timer: NodeJS.Timeout | undefined
  let announced = ''

  const isWanted = (account_kid: string | null): boolean => {
    const now = performance.now()
    for (const [node, { wants, until }] of others) {
      if (until < now) others.delete(node)
      else if (wants === 'all' || wants.has(account_kid ?? 'provider')) return true
    }
    return false
  }
  const send = (message: Omit<Message, 'from'>): Promise<void> =>
    database.notify(channel, JSON.stringify({ from: node_kid, ...message }))

  async function flush(): Promise<void> {
    timer = undefined
    const said = waiting
    waiting = []
    try {
      if (has_dropped) await send({ lagged: true })
      has_dropped = false
      for (const part of parts(said)) await send({ said: part })
    } catch (error) {
      has_dropped = true
      log.warn({ err: error }, 'live events did not reach the other nodes')
    }
  }

  const stop = await database.listen(
    channel,
    (payload) => {
      const message = JSON.parse(payload) as Message
      if (message.from === node_kid) return
      if (message.wants) {
        const wants = message.wants === 'all' ? 'all' : new Set(message.wants)
        others.set(message.from, { wants, until: performance.now() + silent_ms })
      }
      if (message.lagged) hub.on_gap()
      for (const [account_kid, event] of message.said ?? []) hub.deliver(account_kid, event)
    },
    () => {
      hub.on_gap()
      void announce(true)
    },
  )

  async function announce(is_forced = false): Promise<void> {
    const interests = hub.interests()
    const wants = interests.length > most_named ? ('all' as const) : interests.toSorted()
    const text = JSON.stringify(wants)
    if (!is_forced && text === announced) return
    announced = text
    await send({ wants }).catch((error: unknown) => {
      announced = ''
      log.warn({ err: error }, 'the other nodes do not know who listens here')
    })
  }
  const repeat = setInterval(() => void announce(announced !== '[]' || hub.interests().length > 0), announce_ms).unref()

  return {
    publish(account_kid, event) {
      if (!isWanted(account_kid)) return
      if (waiting.length >= most_waiting) has_dropped = true
      else waiting.push([account_kid, event])
      timer ??= setTimeout(() => void flush(), gather_ms)
    },
    announce: () => announce(),
    async close() {
      clearInterval(repeat)
      clearTimeout(timer)
      stop()
    },
  }
}

/** PostgreSQL carries just under 8,000 bytes a notification. */
function* parts(said: Said[]): Generator<Said[]> {
  let part: Said[] = []
  let size = 0
  for (const one of said) {
    const bytes = Buffer.byteLength(JSON.stringify(one)) + 1
    if (size + bytes > payload_bytes - 100 && part.length > 0) {
      yield part
      part = []
      size = 0
    }
    part.push(one)
    size += bytes
  }
  if (part.length > 0) yield part
}
