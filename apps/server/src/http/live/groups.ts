import { liveAbout } from '@mdm/contract'
import type { LiveEvent, LiveEventType } from '@mdm/contract'
import type { Deps } from '../../deps.ts'
import { frame } from './client.ts'
import type { SignedIn } from '../context.ts'
import type { LiveClient } from './client.ts'
import { cachedSession } from '../session-cache.ts'

const every_ms = 250
/** More than this in a quarter of a second is cheaper to refetch than to look up. */
const most_held = 500

/**
 * For users limited to device groups: holds events that name a device, a task, a sheet or an export for a moment, asks
 * the database once for all of them which ones this user may see, and passes only those on. The groups are read anew
 * each time, so a device that was moved, or a user who was given other groups, is never judged by old knowledge.
 */
export function withinGroups(deps: Pick<Deps, 'db' | 'scope' | 'clock' | 'log' | 'memory'>, client: LiveClient) {
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
      const visible = await visibleOf(deps, client.session, row.group_kids ?? undefined, events)
      for (const event of events) if (!is_stopped && visible(event)) client.send(frame(event))
    } catch (error) {
      deps.log.warn({ err: error }, 'live events of a limited user could not be checked')
      if (!is_stopped) client.send(frame({ type: 'lagged' }))
    }
  }

  return {
    hold(event: LiveEvent): void {
      if (namedBy(event) === undefined) return client.send(frame(event))
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

type Named = { of: NonNullable<(typeof liveAbout)[LiveEventType]>[0]; kid: string }

async function visibleOf(
  deps: Pick<Deps, 'scope'>,
  { account_kid, user_kid }: SignedIn,
  group_kids: readonly string[] | undefined,
  events: LiveEvent[],
): Promise<(event: LiveEvent) => boolean> {
  const scope = deps.scope(account_kid, group_kids)
  const named = events.map(namedBy).filter((each) => each !== undefined)
  const look = async (
    of: readonly Named['of'][],
    found: (kids: string[]) => Promise<{ kid: string }[]>,
  ): Promise<string[]> => {
    const kids = [...new Set(named.filter((each) => of.includes(each.of)).map(({ kid }) => kid))]
    return kids.length === 0 ? [] : (await found(kids)).map(({ kid }) => kid)
  }
  const seen = new Set([
    ...(await look(['terminal', 'terminal_config'], (kids) =>
      scope.selectFrom('terminal').select('kid').where('kid', 'in', kids).execute(),
    )),
    ...(await look(['push_task'], (kids) =>
      scope
        .selectFrom('push_task_terminal')
        .innerJoin('terminal', 'terminal.kid', 'push_task_terminal.terminal_kid')
        .select('push_task_terminal.push_task_kid as kid')
        .distinct()
        .where('push_task_terminal.push_task_kid', 'in', kids)
        .execute(),
    )),
    // What is set for the account, or for a group above the user's own, reaches the user's devices as well.
    account_kid,
    ...(await look(['terminal_config'], (kids) =>
      scope.selectFrom('terminal_group').select('kid').where('kid', 'in', kids).execute(),
    )),
    ...(await look(['terminal_config'], (kids) =>
      scope.selectFrom('config_profile').select('kid').where('kid', 'in', kids).execute(),
    )),
    // Of sheets and exports such a user has only their own: those of others may name devices out of reach.
    ...(await look(['batch_job'], (kids) =>
      scope
        .selectFrom('batch_job')
        .select('schedule_version as kid')
        .where('schedule_version', 'in', kids)
        .where('created_by_kid', '=', user_kid)
        .execute(),
    )),
    ...(await look(['terminal_export'], (kids) =>
      scope
        .selectFrom('terminal_export')
        .select('kid')
        .where('kid', 'in', kids)
        .where('created_by_kid', '=', user_kid)
        .execute(),
    )),
  ])
  return (event) => seen.has(namedBy(event)?.kid ?? '')
}

/** What an event is about, where not everybody in the account may hear of it. */
function namedBy(event: LiveEvent): Named | undefined {
  const about = liveAbout[event.type]
  return about ? { of: about[0], kid: (event as unknown as Record<string, string>)[about[1]]! } : undefined
}
