import type { Contract, In } from '@mdm/contract'
import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { Actor } from '../../../actor.ts'
import { readPage } from '../../../db/paging.ts'
import type { ActorWith } from '../../../http/context.ts'
import { inWords } from '../../../lib/event-words.ts'
import { assertVisible } from '../../../db/visible.ts'

type Calls = Contract['terminal']['calls']

/** An id that is the same at every reading, of what has none of its own. */
const kidOf = (of: RawBuilder<string>) =>
  sql<string>`overlay(overlay(md5(${of}) placing '8' from 13 for 1) placing '8' from 17 for 1)::uuid`
const nothing = sql<Record<string, unknown>>`'{}'::jsonb`

/**
 * What happened to a device: what it reported, and what the server knows by itself, its registration and connections. These
 * are read from where they are kept anyway, so that a device which comes and goes stores nothing twice.
 */
export async function pagingEvent({ scope, request }: ActorWith<'request'>, input: In<Calls['paging_event']>) {
  const { terminal_kid, type } = input
  await assertVisible(scope, terminal_kid)
  const happened = scope
    .selectFrom('terminal_event')
    .select(['kid', 'type', 'at', 'received_at', 'detail'])
    .where('terminal_kid', '=', terminal_kid)
    .unionAll(
      scope
        .selectFrom('terminal_session')
        .select([
          kidOf(sql`epoch || ' online'`).as('kid'),
          sql<string>`'online'`.as('type'),
          'connected_at as at',
          'connected_at as received_at',
          sql<Record<string, unknown>>`jsonb_build_object('address', address)`.as('detail'),
        ])
        .where('terminal_kid', '=', terminal_kid),
    )
    .unionAll(
      scope
        .selectFrom('terminal_session')
        .select([
          kidOf(sql`epoch || ' offline'`).as('kid'),
          sql<string>`'offline'`.as('type'),
          sql<Date>`disconnected_at`.as('at'),
          sql<Date>`disconnected_at`.as('received_at'),
          nothing.as('detail'),
        ])
        .where('terminal_kid', '=', terminal_kid)
        .where('disconnected_at', 'is not', null),
    )
    .unionAll(
      scope
        .selectFrom('terminal')
        .select([
          kidOf(sql`kid::text || ' registered'`).as('kid'),
          sql<string>`'registered'`.as('type'),
          'registered_at as at',
          'registered_at as received_at',
          nothing.as('detail'),
        ])
        .where('kid', '=', terminal_kid),
    )
  const page = await readPage({
    query: scope
      .selectFrom(happened.as('happened'))
      .select(['kid', 'type', 'at', 'received_at', 'detail'])
      .$if(Boolean(type), (q) => q.where('type', '=', type!)),
    input,
    columns: { at: { ref: sql`at`, order: 'desc' } },
    key: sql`kid`,
  })
  return { ...page, items: page.items.map((row) => inWords(row, request.language)) }
}

/** Of what a device said lately, that which was not taken over. */
export async function listRefusals({ scope }: Actor, terminal_kid: string) {
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
export async function listRun({ deps, scope }: Actor, { terminal_kid, hours }: In<Calls['list_run']>) {
  await assertVisible(scope, terminal_kid)
  const now = deps.clock.now()
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
