import type { Contract, In } from '@mdm/contract'
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import { readPage } from '../../db/paging.ts'
import type { Tables } from '../../db/tables.ts'
import { assertVisible } from './rows.ts'

type Calls = Contract['terminal']['calls']
type Db = Kysely<Tables>

export async function pagingEvent(scope: Db, input: In<Calls['paging_event']>) {
  await assertVisible(scope, input.terminal_kid)
  return readPage({
    query: scope
      .selectFrom('terminal_event')
      .select(['kid', 'type', 'at', 'received_at', 'detail'])
      .where('terminal_kid', '=', input.terminal_kid)
      .$if(Boolean(input.type), (q) => q.where('type', '=', input.type!)),
    input,
    columns: { at: { ref: sql`at`, order: 'desc' } },
    key: sql`kid`,
  })
}

/** Of what a device said lately, that which was not taken over. */
export async function listRefusals(scope: Db, terminal_kid: string) {
  await assertVisible(scope, terminal_kid)
  return scope
    .selectFrom('terminal_refusal')
    .select(['kid', 'at', 'name', 'is_whole', 'parts'])
    .where('terminal_kid', '=', terminal_kid)
    .orderBy('at', 'desc')
    .orderBy('kid', 'desc')
    .limit(20)
    .execute()
}

const points_max = 500
const point_columns = [
  'received_at as at',
  'cpu',
  'memory_used',
  'memory_total',
  'storage_used',
  'storage_total',
  'battery_level',
] as const

/**
 * Reports of the last hours, oldest first: all of them, or when there are more than 500 the last one of each of 500
 * equal spans. Each span is one index lookup, so a device that reports every second costs no more than a quiet one.
 */
export async function listRun(scope: Db, now: Date, { terminal_kid, hours }: In<Calls['list_run']>) {
  await assertVisible(scope, terminal_kid)
  const since = new Date(now.getTime() - hours * 3_600_000)
  const all = await scope
    .selectFrom('terminal_report')
    .select(point_columns)
    .where('terminal_kid', '=', terminal_kid)
    .where('received_at', '>', since)
    .where('received_at', '<=', now)
    .orderBy('received_at')
    .limit(points_max + 1)
    .execute()
  if (all.length <= points_max) return all
  const span_ms = (hours * 3_600_000) / points_max
  const edge = (n: 0 | 1) =>
    sql<Date>`${since}::timestamptz + (span.n + ${sql.lit(n)}) * ${span_ms}::float8 * interval '1 millisecond'`
  return scope
    .selectFrom(sql<{ n: number }>`generate_series(0, ${sql.lit(points_max - 1)})`.as<'span'>(sql`span(n)`))
    .innerJoinLateral(
      (eb) =>
        eb
          .selectFrom('terminal_report')
          .select(point_columns)
          .where('terminal_kid', '=', terminal_kid)
          .where('received_at', '>', edge(0))
          .where('received_at', '<=', edge(1))
          .orderBy('received_at', 'desc')
          .limit(1)
          .as('point'),
      (join) => join.onTrue(),
    )
    .selectAll('point')
    .orderBy('point.at')
    .execute()
}
