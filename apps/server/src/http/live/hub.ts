import { opens, liveHeartbeat, liveNeeds } from '@mdm/contract'
import type { LiveEvent, LiveEventType } from '@mdm/contract'
import type { Deps, Live } from '../../deps.ts'
import type { SignedIn } from '../context.ts'
import { frame } from './client.ts'
import type { LiveClient } from './client.ts'
import { withinGroups } from './groups.ts'
import { liveNodes } from './nodes.ts'
import type { LiveNodes } from './nodes.ts'
import { stillSignedIn } from './sessions.ts'

export type LiveHub = Live & {
  connect(client: LiveClient): Promise<() => void>
  readonly size: number
  close(): Promise<void>
}

type HubDeps = Pick<Deps, 'database' | 'db' | 'scope' | 'clock' | 'log' | 'memory' | 'node_kid'>
type Listener = LiveClient & { hears: ReadonlySet<LiveEventType>; hold?: (event: LiveEvent) => void }

/** "Ends within a second of its session": looked up for all streams at once, in one statement. */
const session_check_ms = 900
const provider = 'provider'
/** Events that say how far a job is that is an operation task. */
const tells_of_tasks: ReadonlySet<LiveEventType> = new Set([
  'batch_job',
  'terminal_export',
  'scrap_schedule_changed',
  'os_version',
  'os_custom_changed',
  'oscs_changed',
] satisfies LiveEventType[])

/**
 * Delivers what modules publish to the open streams of this node and, on PostgreSQL, of every other one. Timers here
 * are the machine's: they keep connections alive, they decide nothing that a test clock should move.
 */
export async function startLive(deps: HubDeps): Promise<LiveHub> {
  const rooms = new Map<string, Set<Listener>>()
  const all = new Set<Listener>()
  let nodes: LiveNodes | undefined

  function deliver(account_kid: string | null, event: LiveEvent): void {
    const room = rooms.get(account_kid ?? provider)
    if (!room) return
    let text: string | undefined
    for (const listener of room) {
      if (!listener.hears.has(event.type)) continue
      if (listener.hold) listener.hold(event)
      else listener.send((text ??= frame(event)))
    }
  }
  const interests = (): string[] => [...rooms.keys()]
  nodes = await liveNodes(deps, {
    deliver,
    interests,
    // What was said while the connection was down is unknown.
    on_gap: () => all.forEach((listener) => listener.send(frame({ type: 'lagged' }))),
  })

  function tell(account_kid: string | null, event: LiveEvent): void {
    deliver(account_kid, event)
    nodes?.publish(account_kid, event)
  }

  let is_checking = false
  async function check(): Promise<void> {
    if (is_checking || all.size === 0) return
    is_checking = true
    try {
      const good = await stillSignedIn(deps, [...all])
      for (const listener of all) if (!good(listener)) listener.end()
    } catch (error) {
      deps.log.warn({ err: error }, 'sessions of live streams could not be checked')
    } finally {
      is_checking = false
    }
  }
  const checks = setInterval(() => void check(), session_check_ms).unref()
  const beats = setInterval(() => all.forEach((listener) => listener.beat()), liveHeartbeat.every_ms).unref()

  return {
    publish(account_kid, event) {
      tell(account_kid, event)
      // Whosever job it is, the provider's people follow it as an operation task.
      if (tells_of_tasks.has(event.type)) tell(null, { type: 'operation_task_changed' })
    },
    async connect(client) {
      const listener: Listener = { ...client, hears: heardBy(client.session) }
      // A user limited to device groups hears of a device only after a look whether it is in one of them.
      const groups = client.session.group_kids === undefined ? undefined : withinGroups(deps, client)
      if (groups) listener.hold = groups.hold
      const names = roomsOf(client.session)
      all.add(listener)
      for (const name of names) rooms.set(name, (rooms.get(name) ?? new Set()).add(listener))
      await nodes.announce()
      return () => {
        all.delete(listener)
        groups?.stop()
        for (const name of names) {
          const room = rooms.get(name)
          room?.delete(listener)
          if (room?.size === 0) rooms.delete(name)
        }
      }
    },
    get size() {
      return all.size
    },
    async close() {
      clearInterval(checks)
      clearInterval(beats)
      for (const listener of all) listener.end()
      await nodes.close()
    },
  }
}

const roomsOf = (session: SignedIn): string[] =>
  session.account_type === 101 && session.enter_kid === null ? [session.account_kid, provider] : [session.account_kid]

function heardBy(session: SignedIn): ReadonlySet<LiveEventType> {
  const types = Object.keys(liveNeeds) as LiveEventType[]
  return new Set(types.filter((t) => opens({ needs: liveNeeds[t] }, session.permissions)))
}
