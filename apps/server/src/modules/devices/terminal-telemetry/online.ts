import type { Answer, Contract } from '@mdm/contract'
import type { Actor } from '../../../actor.ts'
import { assertVisible } from '../../../db/visible.ts'
import { daysOf } from './span.ts'
import type { Asked, DaySpan } from './span.ts'

type Curve = Answer<Contract['terminalTelemetry']['calls']['get_online_curve']>
type End = Curve['days'][number]['intervals'][number]['end']
export type Session = { epoch: string; connected_at: Date; disconnected_at: Date | null; is_lost: boolean }
/** What is known of the connection of now. */
export type Now = {
  at: Date
  is_online: boolean
  epoch: string | null
  connected_at: Date | null
  last_contact_at: Date | null
}
type Interval = { from: number; until: number; end: Exclude<End, 'day'> }

export async function onlineCurve(actor: Actor, asked: Asked): Promise<Curve> {
  const { deps, scope } = actor
  await assertVisible(scope, asked.terminal_kid)
  const { zone, spans, from, until } = await daysOf(actor, asked)
  const sessions = await scope
    .selectFrom('terminal_session')
    .select(['epoch', 'connected_at', 'disconnected_at', 'is_lost'])
    .where('terminal_kid', '=', asked.terminal_kid)
    .where('connected_at', '<', until)
    .where((eb) => eb.or([eb('disconnected_at', '>', from), eb('disconnected_at', 'is', null)]))
    .orderBy('connected_at')
    .execute()
  const state = await scope
    .selectFrom('terminal_state')
    .select(['is_online', 'epoch', 'connected_at', 'last_contact_at'])
    .where('terminal_kid', '=', asked.terminal_kid)
    .executeTakeFirst()
  const nothing = { is_online: false, epoch: null, connected_at: null, last_contact_at: null }
  const intervals = intervalsOf(sessions, { ...(state ?? nothing), at: deps.clock.now() })
  return { zone, days: spans.map((span) => dayOf(span, intervals, deps.clock.now())) }
}

/** When there was a connection, joined where two overlap. */
export function intervalsOf(sessions: readonly Session[], now: Now): Interval[] {
  const known = [...sessions]
  // A connection older than the retention of sessions has none left, and goes on all the same.
  if (now.is_online && now.connected_at && now.epoch !== null && !known.some(({ epoch }) => epoch === now.epoch))
    known.push({ epoch: now.epoch, connected_at: now.connected_at, disconnected_at: null, is_lost: false })
  const sorted = known.toSorted((a, b) => a.connected_at.getTime() - b.connected_at.getTime())
  const joined: Interval[] = []
  for (const [i, session] of sorted.entries()) {
    const next = endOf(session, sorted[i + 1], now)
    const last = joined.at(-1)
    if (!last || next.from > last.until) joined.push(next)
    else if (next.until >= last.until) Object.assign(last, { until: next.until, end: next.end })
  }
  return joined
}

function endOf(session: Session, next: Session | undefined, now: Now): Interval {
  const from = session.connected_at.getTime()
  if (session.disconnected_at)
    return { from, until: Math.max(from, session.disconnected_at.getTime()), end: session.is_lost ? 'lost' : 'left' }
  if (now.is_online && session.epoch === now.epoch) return { from, until: Math.max(from, now.at.getTime()), end: 'now' }
  // Nobody saw it end. It did so before the device came again, and nothing was heard after the last contact.
  const heard = next ? next.connected_at.getTime() : (now.last_contact_at?.getTime() ?? from)
  return { from, until: Math.max(from, Math.min(heard, now.at.getTime())), end: 'lost' }
}

function dayOf(span: DaySpan, intervals: readonly Interval[], now: Date): Curve['days'][number] {
  const from = span.from.getTime()
  const until = span.until.getTime()
  const within = intervals
    .filter((each) => each.from < until && each.until > from)
    .map((each) => ({
      from: Math.max(from, each.from),
      until: Math.min(until, each.until),
      end: each.until > until ? ('day' as const) : each.end,
    }))
  const online_ms = within.reduce((sum, each) => sum + each.until - each.from, 0)
  return {
    day: span.day,
    from: span.from,
    until: span.until,
    known_until: new Date(Math.max(from, Math.min(until, now.getTime()))),
    online_seconds: Math.round(online_ms / 1000),
    intervals: within.map((each) => ({ ...each, from: new Date(each.from), until: new Date(each.until) })),
  }
}
