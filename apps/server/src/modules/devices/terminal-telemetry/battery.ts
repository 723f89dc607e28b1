import { batteryTriggers } from '@mdm/contract'
import type { Answer, Contract } from '@mdm/contract'
import { sql } from 'kysely'
import type { Actor } from '../../../actor.ts'
import { assertVisible } from '../../../db/visible.ts'
import { daysOf } from './span.ts'
import type { Asked } from './span.ts'

type Curve = Answer<Contract['terminalTelemetry']['calls']['list_battery']>
type Trigger = Curve['triggers'][number]

const points_max = 500
const triggers_max = 500
/** Reports that waited on their device longer than this are in the record, but not in this curve. */
const latest_ms = 31 * 86_400_000
/** A device may say what happened as an event and in the report that follows it. */
const same_ms = 120_000

/** The level over time, by the time at which the device measured it; what happened to its power stands beside it. */
export async function batteryCurve(actor: Actor, asked: Asked): Promise<Curve> {
  const { scope } = actor
  await assertVisible(scope, asked.terminal_kid)
  const { zone, from, until } = await daysOf(actor, asked)
  const received_until = new Date(until.getTime() + latest_ms)
  const span_s = (until.getTime() - from.getTime()) / 1000 / points_max
  const reports = () =>
    scope
      .selectFrom('terminal_report')
      .where('terminal_kid', '=', asked.terminal_kid)
      .where('received_at', '>=', from)
      .where('received_at', '<', received_until)
      .where('device_time', '>=', from)
      .where('device_time', '<', until)
      .where('battery_level', 'is not', null)
      .select([
        'device_time as at',
        'received_at',
        'battery_level as level',
        sql<string | null>`parts -> 'battery' ->> 'charging'`.as('charging'),
        sql<string | null>`parts -> 'battery' ->> 'trigger'`.as('trigger'),
      ])
  const points = await reports()
    .distinctOn(sql`floor(extract(epoch from device_time) / ${sql.lit(span_s)}::float8)`)
    .orderBy(sql`floor(extract(epoch from device_time) / ${sql.lit(span_s)}::float8)`)
    .orderBy('device_time', 'desc')
    .execute()
  const reported = await reports()
    .where(sql<boolean>`parts -> 'battery' ->> 'trigger' is not null`)
    .orderBy('device_time', 'desc')
    .limit(triggers_max)
    .execute()
  const events = await scope
    .selectFrom('terminal_event')
    .where('terminal_kid', '=', asked.terminal_kid)
    .where('type', '=', 'battery')
    .where('at', '>=', from)
    .where('at', '<', until)
    .select(['at', 'received_at', 'detail'])
    .orderBy('at', 'desc')
    .limit(triggers_max)
    .execute()
  const told = events.map(({ at, received_at, detail }) => trigger(at, received_at, detail['trigger'], detail['level']))
  const also = reported
    .map(({ at, received_at, trigger: name, level }) => trigger(at, received_at, name, level))
    .filter((each) => !told.some((event) => event && each && isSame(event, each)))
  return {
    zone,
    from,
    until,
    points: points.map(({ at, level, charging }) => ({ at, level: level!, charging })),
    triggers: [...told, ...also]
      .filter((each) => each !== undefined)
      .toSorted((a, b) => timeOf(a.at) - timeOf(b.at))
      .slice(-triggers_max),
  }
}

/** Undefined for what is none: a device of another make may say anything. */
function trigger(at: Date, received_at: Date, name: unknown, said: unknown): Trigger | undefined {
  const known = batteryTriggers.find((each) => each === name)
  const level = typeof said === 'number' && said >= 0 && said <= 100 ? said : null
  return known && { at, received_at, trigger: known, level }
}
const timeOf = (at: Date | string): number => new Date(at).getTime()
const isSame = (a: Trigger, b: Trigger): boolean =>
  a.trigger === b.trigger && Math.abs(timeOf(a.at) - timeOf(b.at)) < same_ms
