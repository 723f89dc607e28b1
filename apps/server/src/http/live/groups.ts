import type { LiveEvent } from '@mdm/contract'
import type { Deps } from '../../deps.ts'
import { frame } from './client.ts'
import type { LiveClient } from './client.ts'
import { cachedSession } from '../session-cache.ts'

const every_ms = 250
/** More than this in a quarter of a second is cheaper to refetch than to look up. */
const most_held = 500

/**
 * For users limited to device groups: holds events that name a device or a task for a moment, asks the database once
 * for all of them which ones this user may see, and passes only those on. The groups are read anew each time, so a
 * device that was moved, or a user who was given other groups, is never judged by old knowledge.
 */
export function withinGroups(deps: Pick<Deps, 'db' | 'scope' | 'clock' | 'log' | 'database'>, client: LiveClient) {
  let held: LiveEvent[] = []
  let has_overflown = false
  let timer: NodeJS.Timeout | undefined
  let is_stopped = false

  async function flush(): Promise<void> {
    timer = undefined
    const events = held
    held = []
    const is_lagged = has_overflown
    has_overflown = false
    try {
      if (is_lagged) return client.send(frame({ type: 'lagged' }))
      const row = await cachedSession(deps as Deps, client.token_hash, client.asked_kid)
      if (!row || is_stopped) return
      const visible = await visibleOf(deps, client.session.account_kid, row.group_kids ?? undefined, events)
      for (const event of events) if (!is_stopped && visible(event)) client.send(frame(event))
    } catch (error) {
      deps.log.warn({ err: error }, 'live events of a limited user could not be checked')
      if (!is_stopped) client.send(frame({ type: 'lagged' }))
    }
  }

  return {
    hold(event: LiveEvent): void {
      if (terminalOf(event) === undefined && event.type !== 'push_task') return client.send(frame(event))
      if (held.length >= most_held) has_overflown = true
      else held.push(event)
      timer ??= setTimeout(() => void flush(), every_ms)
    },
    stop(): void {
      is_stopped = true
      clearTimeout(timer)
    },
  }
}

async function visibleOf(
  deps: Pick<Deps, 'scope'>,
  account_kid: string,
  group_kids: readonly string[] | undefined,
  events: LiveEvent[],
): Promise<(event: LiveEvent) => boolean> {
  const scope = deps.scope(account_kid, group_kids)
  const terminal_kids = [...new Set(events.map(terminalOf).filter((kid) => kid !== undefined))]
  const task_kids = [...new Set(events.flatMap((event) => (event.type === 'push_task' ? [event.kid] : [])))]
  const terminals = terminal_kids.length
    ? await scope.selectFrom('terminal').select('kid').where('kid', 'in', terminal_kids).execute()
    : []
  const tasks = task_kids.length
    ? await scope
        .selectFrom('push_task_terminal')
        .innerJoin('terminal', 'terminal.kid', 'push_task_terminal.terminal_kid')
        .select('push_task_terminal.push_task_kid as kid')
        .distinct()
        .where('push_task_terminal.push_task_kid', 'in', task_kids)
        .execute()
    : []
  const seen = new Set([...terminals, ...tasks].map((row) => row.kid))
  return (event) => seen.has(event.type === 'push_task' ? event.kid : (terminalOf(event) ?? ''))
}

/** The device that an event is about. */
function terminalOf(event: LiveEvent): string | undefined {
  if (event.type === 'push_task_terminal') return event.terminal_kid
  const names_device = event.type.startsWith('terminal_') && 'kid' in event
  return names_device ? event.kid : undefined
}
