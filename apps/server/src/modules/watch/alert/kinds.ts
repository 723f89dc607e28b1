import type { AlertKind, AlertParams, AlertWatch } from '@mdm/contract'
import { expressionBuilder, sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { Actor } from '../../../actor.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import { versionCodeOf } from '../../store/app-offer/index.ts'
import { comparesVersion } from '../../fleet/installed-app/index.ts'
import { osVersions } from '../../devices/terminal/index.ts'
import { certificatesExpire } from '../../configuration/terminal-config/index.ts'

type Sql = RawBuilder<boolean>
/** What a rule asks of `terminal` and `terminal_state`. */
export type Watched = {
  /** True of a device for which it begins to count. */
  begins: Sql
  /** Which of the two tables they ask: what is not asked is not read. */
  of: { has_terminal: boolean; has_state: boolean }
  /** True for as long as it goes on: wider than `begins` where a figure wavers, so that nothing flaps. */
  goes_on: Sql
}
type DeviceKind = Exclude<AlertKind, 'account_expiry'>
type Kinds = {
  [K in DeviceKind]: (params: AlertParams<K>, now: Date, actor: Actor) => Watched | Promise<Watched>
}

const minute_ms = 60_000
const day_ms = 86_400_000
/** Percent by which a figure has to recover. */
const recovery = { battery: 5, storage: 3 }
const query = expressionBuilder<Tables, 'terminal'>()
const of_state = { has_terminal: false, has_state: true }
const of_terminal = { has_terminal: true, has_state: false }
const same = (condition: Sql, of: Watched['of']): Watched => ({ begins: condition, goes_on: condition, of })
const before = (now: Date, minutes: number) => new Date(now.getTime() - minutes * minute_ms)

/** How each kind is true of a device, as SQL that goes into one statement for all devices of an account. */
const kinds: Kinds = {
  battery: ({ percent }) => ({
    of: of_state,
    begins: sql<boolean>`terminal_state.battery_level <= ${percent}`,
    goes_on: sql<boolean>`terminal_state.battery_level < ${Math.min(100, percent + recovery.battery)}`,
  }),
  storage: ({ percent }) => ({
    of: of_state,
    begins: sql<boolean>`terminal_state.storage_percent >= ${percent}`,
    goes_on: sql<boolean>`terminal_state.storage_percent > ${percent - recovery.storage}`,
  }),
  offline: ({ minutes }, now) => ({
    of: of_state,
    begins: sql<boolean>`(not terminal_state.is_online and terminal_state.last_online_at <= ${before(now, minutes)})`,
    goes_on: sql<boolean>`not terminal_state.is_online`,
  }),
  // Where a device is of its fence has its own hysteresis.
  fence: () => same(sql<boolean>`terminal_state.fence_state = 'outside'`, of_state),
  failed_tasks: ({ count, hours }, now) => {
    const failed = query
      .selectFrom('push_task_terminal')
      .select('push_task_terminal.terminal_kid')
      .where('push_task_terminal.state', '=', 'failed')
      .where('push_task_terminal.state_at', '>', before(now, hours * 60))
      .groupBy('push_task_terminal.terminal_kid')
      .having(sql<number>`count(*)`, '>=', count)
    return same(sql<boolean>`terminal.kid in ${failed}`, of_terminal)
  },
  config_drift: ({ minutes }, now) => {
    const drifted = query
      .selectFrom('terminal_config_delivery')
      .innerJoin('terminal_state as held', 'held.terminal_kid', 'terminal_config_delivery.terminal_kid')
      .select('terminal_config_delivery.terminal_kid')
      .where(sql<boolean>`terminal_config_delivery.version <> coalesce(held.config_version, 0)`)
      // Whoever has confirmed is owed nothing: few rows, by an index.
      .where('terminal_config_delivery.send_at', 'is not', null)
      .where('terminal_config_delivery.sent_at', '<=', before(now, minutes))
    return same(sql<boolean>`(terminal_state.is_online and terminal_state.terminal_kid in ${drifted})`, of_state)
  },
  app_behind: async ({ package: name, version }, _now, actor) => {
    const has = { code: sql.ref('terminal_app.version_code'), key: sql.ref('terminal_app.version_key') }
    const than = { code: await versionCodeOf(actor, name, version), name: version }
    const behind = query
      .selectFrom('terminal_app')
      .select('terminal_app.terminal_kid')
      .where('terminal_app.package', '=', name)
      .where(comparesVersion(has, '<', than))
    return same(sql<boolean>`terminal.kid in ${behind}`, of_terminal)
  },
  certificate_expiry: async ({ days }, now, actor) =>
    same(await certificatesExpire(actor, new Date(now.getTime() + days * day_ms)), of_terminal),
  // Of the versions that there are: comparing those of every device would cost a hundred times as much.
  os_behind: async ({ version }, _now, actor) => {
    const there = await osVersions(actor)
    const { rows } = await sql<{ v: string }>`
      SELECT v FROM unnest(${there}::text[]) v WHERE version_key(v) < version_key(${version})
    `.execute(actor.scope)
    return same(sql<boolean>`terminal.os_version = any(${rows.map(({ v }) => v)}::text[])`, of_terminal)
  },
}

/** The conditions of a rule; undefined of one that is about the account. */
export const watchedBy = async (actor: Actor, { kind, params }: AlertWatch, now: Date): Promise<Watched | undefined> =>
  kind === 'account_expiry'
    ? undefined
    : (kinds[kind] as (params: object, now: Date, actor: Actor) => Watched | Promise<Watched>)(params, now, actor)
