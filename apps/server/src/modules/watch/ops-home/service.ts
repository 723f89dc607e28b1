import { constants } from '@mdm/contract'
import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { Actor } from '../../../actor.ts'
import type { Deps } from '../../../deps.ts'
import { zoneOfUser } from '../../../db/zone-of-user.ts'
import { isAlive } from '../../../link/nodes.ts'
import { beginOfDay, dayOf } from '../../../lib/days.ts'
import { shownState } from '../../people/customer/index.ts'
import { spaceIn } from '../../store/disk-space/index.ts'
import { reservedOf } from '../../people/quota/index.ts'

const day_ms = 24 * 3_600_000
const shown = 10
const nearly_full = 0.9

/** Everything at a glance: a handful of statements, none of which reads devices, tasks or operations one by one. */
export async function overview({ deps, user }: Actor) {
  const now = deps.clock.now()
  const [customers, devices, expiring, full, storage, tasks, failed_sign_ins, nodes] = await Promise.all([
    customersOf(deps, now),
    devicesOf(deps),
    expiringOf(deps, now),
    nearlyFullOf(deps),
    storageOf(deps),
    tasksOf(deps, user.kid, now),
    failedSignInsOf(deps, now),
    deps.db.selectFrom('node').selectAll().select(isAlive(deps).as('is_alive')).orderBy('started_at').execute(),
  ])
  return {
    customers,
    devices,
    expiring,
    nearly_full: full,
    storage,
    tasks,
    failed_sign_ins,
    nodes: nodes.map(({ heard_at: _, ...node }) => node),
  }
}

async function first<T>(deps: Deps, statement: RawBuilder<T>): Promise<T> {
  return (await statement.execute(deps.db)).rows[0]!
}

const customersOf = (deps: Deps, now: Date) =>
  first(
    deps,
    sql<{ total: number; normal: number; init: number; invalid: number; expired: number }>`
      SELECT count(*)::integer AS total,
        count(*) FILTER (WHERE state = 'normal')::integer AS normal,
        count(*) FILTER (WHERE state = 'init')::integer AS init,
        count(*) FILTER (WHERE state = 'invalid')::integer AS invalid,
        count(*) FILTER (WHERE expire_time <= ${now})::integer AS expired
      FROM (SELECT a.expire_time, ${shownState('a', now)} AS state FROM account a WHERE a.type = 1) customer`,
  )

/** The total from counters; those online from the index that has nobody else. */
const devicesOf = (deps: Deps) =>
  first(
    deps,
    sql<{ total: number; online: number }>`
      SELECT (SELECT COALESCE(sum(terminal_count), 0)::bigint FROM account WHERE type IN (1, 2)) AS total,
        (SELECT count(*)::integer FROM terminal_state WHERE is_online) AS online`,
  )

async function expiringOf({ db }: Deps, now: Date) {
  const within = constants.expiry_orange_days * day_ms
  const ends = (from: Date, to: Date, order: 'asc' | 'desc') =>
    db
      .selectFrom('account')
      .select(['kid', 'name', 'expire_time'])
      .where('type', 'in', [1, 2])
      .where('status', '!=', 'invalid')
      .where('expire_time', '>', from)
      .where('expire_time', '<=', to)
      .orderBy('expire_time', order)
      .orderBy('kid')
      .limit(shown)
      .$narrowType<{ expire_time: Date }>()
      .execute()
  const expired = await ends(new Date(now.getTime() - within), now, 'desc')
  const coming = await ends(now, new Date(now.getTime() + within), 'asc')
  return [...expired.toReversed(), ...coming]
}

async function nearlyFullOf({ db }: Deps) {
  const { rows } = await sql<{ kid: string; name: string; taken: number; terminal_max: number }>`
    SELECT a.kid, a.name, f.n AS taken, a.terminal_max
    FROM account a, LATERAL (
      SELECT a.terminal_count + COALESCE(sum(c.terminal_count), 0)::bigint + ${reservedOf('c')} AS n
      FROM account c WHERE c.parent_kid = a.kid
    ) f
    WHERE a.type = 1 AND a.terminal_max > 0 AND a.terminal_max < ${constants.unlimited_devices}::bigint
      AND f.n >= a.terminal_max * ${nearly_full}::float8
    ORDER BY f.n::float8 / a.terminal_max DESC, f.n DESC, a.kid LIMIT ${shown}`.execute(db)
  return rows
}

async function storageOf({ db }: Deps) {
  const { rows } = await sql<{ kid: string; name: string; used: number; space: number }>`
    SELECT a.kid, a.name, s.used, s.space
    FROM (
      SELECT d.account_kid, sum(d.used_bytes)::bigint AS used, sum(${spaceIn('d')})::bigint AS space
      FROM disk_space d JOIN account a ON a.kid = d.account_kid GROUP BY d.account_kid
    ) s JOIN account a ON a.kid = s.account_kid
    WHERE a.type IN (1, 2) AND s.used > 0 ORDER BY s.used DESC, a.kid LIMIT ${shown}`.execute(db)
  return rows
}

/** A task runs while it has a device with a deadline; those that failed today are told apart by day of the reader. */
async function tasksOf(deps: Deps, user_kid: string, now: Date) {
  const zone = await zoneOfUser(deps.db, user_kid)
  const today = beginOfDay(dayOf(now, zone), zone)
  return first(deps, tasksSince(today))
}

export const tasksSince = (today: Date) =>
  sql<{ running: number; failed_today: number }>`
    SELECT
      (SELECT count(DISTINCT push_task_kid)::integer FROM push_task_terminal WHERE deadline_at IS NOT NULL) AS running,
      (SELECT count(DISTINCT push_task_kid)::integer FROM push_task_terminal
        WHERE state = 'failed' AND state_at >= ${today}) AS failed_today`

async function failedSignInsOf({ db }: Deps, now: Date): Promise<number> {
  const { n } = await failedSignIns(db, new Date(now.getTime() - day_ms)).executeTakeFirstOrThrow()
  return n
}

export const failedSignIns = (db: Deps['db'], since: Date) =>
  db
    .selectFrom('operation_log')
    .select(sql<number>`count(*)::integer`.as('n'))
    // As the partial index says it.
    .where(sql<boolean>`module_code = 'login' AND result <> 1`)
    .where('action_code', 'in', ['login', 'totp', 'exchange'])
    .where('created_at', '>=', since)
