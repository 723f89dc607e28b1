import { constants, holds, narrowed } from '@mdm/contract'
import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { Tables } from '../db/schema/tables.ts'
import { unlessDiskFull } from '../lib/database-errors.ts'
import type { Deps } from '../deps.ts'

const hour = 3_600_000
const { idle_hours, absolute_days } = constants.session
export const sessionEnd = (created_at: Date): Date => new Date(created_at.getTime() + absolute_days * 24 * hour)

type AccountType = Tables['account']['type']

/** A session, or an API token, with everything a request needs to know of its user. */
export type SessionRow = {
  kid: string
  is_api_token: boolean
  may_destroy: boolean
  /** Null for an API token that nobody has used. */
  last_use_at: Date | null
  expires_at: Date
  confirmed_at: Date | null
  enter_kid: string | null
  user_kid: string
  username: string
  name: string
  user_type: Tables['user_account']['type']
  own_account_kid: string
  own_account_name: string
  own_account_type: AccountType
  /** Of the user and the own account: neither invalid nor expired. */
  is_usable: boolean
  /** The user's, of which an API token has only those it was granted. */
  permissions: string[]
  /** Null when the user is not limited to groups. */
  group_kids: string[] | null
  /** The account asked for, else the entered one, if there is such an account at all. */
  target: { kid: string; name: string; type: AccountType; parent_kid: string | null; is_usable: boolean } | null
}

/** Whether an account (by its alias in a statement) works: neither it nor its parent is invalid or expired. */
export const accountUsable = (alias: string, now: Date): RawBuilder<boolean> => {
  const works = (a: string) =>
    sql<boolean>`(${sql.ref(`${a}.status`)} <> 'invalid' AND COALESCE(${sql.ref(`${a}.expire_time`)} > ${now}, true))`
  return sql<boolean>`(${works(alias)} AND NOT EXISTS (
    SELECT 1 FROM account above WHERE above.kid = ${sql.ref(`${alias}.parent_kid`)} AND NOT ${works('above')}
  ))`
}
/** When an account (by its alias in a statement) ends: with its own time or with its root's, whichever is first. */
export const nearestEnd = (alias: string): RawBuilder<Date | null> => sql<Date | null>`LEAST(
  ${sql.ref(`${alias}.expire_time`)},
  (SELECT above.expire_time FROM account above WHERE above.kid = ${sql.ref(`${alias}.parent_kid`)})
)`
/** Specification, 4: "Expired or invalid accounts cannot be entered". */
export const accountCanBeEntered = accountUsable

/** What a user (by its alias in a statement) holds: the union of all roles, in one order. */
export const permissionsHeldBy = (alias: string): RawBuilder<string[]> => sql<string[]>`ARRAY(
  SELECT DISTINCT held FROM user_role ur JOIN role r ON r.kid = ur.role_kid, unnest(r.permissions) AS held
  WHERE ur.user_kid = ${sql.ref(`${alias}.kid`)} ORDER BY held
)`

/** Kids of the groups that a user (by its alias) is limited to, all below included; null of a user without limits. */
export const limitedTo = (alias: string): RawBuilder<string[] | null> => {
  const columnOf = (column: string) => sql.ref(`${alias}.${column}`)
  return sql<string[] | null>`CASE WHEN ${columnOf('type')} = 3 THEN (
    WITH RECURSIVE managed AS (
      SELECT m.terminal_group_kid AS kid FROM terminal_group_user_manged m
      WHERE m.user_kid = ${columnOf('kid')} AND m.account_kid = ${columnOf('account_kid')}
      UNION
      SELECT g.kid FROM terminal_group g JOIN managed ON g.parent_kid = managed.kid
    )
    SELECT array_agg(kid) FROM managed
  ) END`
}

/** Whether `limitedTo` limits a user (by its alias) at all. */
export const isLimited = (alias: string): RawBuilder<boolean> => {
  const columnOf = (column: string) => sql.ref(`${alias}.${column}`)
  return sql<boolean>`(${columnOf('type')} = 3 AND EXISTS (
    SELECT 1 FROM terminal_group_user_manged m WHERE m.user_kid = ${columnOf('kid')} AND m.account_kid = ${columnOf('account_kid')}
  ))`
}

/**
 * Whether a user may act for an account at all: for the own one, a root for its sub-accounts, an operator for customers that it may
 * enter.
 */
export function mayActFor(
  who: { user_type: Tables['user_account']['type']; own_account_kid: string; held: readonly string[] },
  { kid, parent_kid }: { kid: string; parent_kid: string | null },
): boolean {
  if (kid === who.own_account_kid) return true
  if (who.user_type === 101) return holds(who.held, 'externalUserManageList:enter')
  return who.user_type === 1 && parent_kid === who.own_account_kid
}

/**
 * How a session is found: by its token's hash, or by its kid, for what began in it and goes on without its token. `user_kid` is for
 * what goes on without a session at all: as one that this user would begin now in the account that is asked for.
 */
export type SessionKey = { token_hash: Buffer } | { kid: string } | { user_kid: string }

/** One statement, whatever the user's roles and groups: it runs for every request that the cache does not answer. */
export async function loadSession(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  key: SessionKey,
  asked_kid: string | null,
): Promise<SessionRow | undefined> {
  const now = clock.now()
  const { rows } = await sql<Omit<SessionRow, 'target'> & Target & { granted: string[] | null }>`
    SELECT s.kid, s.is_api_token, s.may_destroy, s.granted, s.last_use_at, s.expires_at, s.confirmed_at, s.enter_kid,
      u.kid AS user_kid, u.username, u.name, u.type AS user_type,
      own.kid AS own_account_kid, own.name AS own_account_name, own.type AS own_account_type,
      (u.status <> 'invalid' AND ${accountUsable('own', now)}) AS is_usable,
      ${permissionsHeldBy('u')} AS permissions,
      ${limitedTo('u')} AS group_kids,
      target.kid AS target_kid, target.name AS target_name, target.type AS target_type, target.parent_kid AS target_parent_kid,
      ${accountUsable('target', now)} AS target_is_usable
    FROM (${sessionsOf(key, asked_kid, now)}) s
    JOIN user_account u ON u.kid = s.user_kid
    JOIN account own ON own.kid = u.account_kid
    LEFT JOIN account target ON target.kid = COALESCE(${asked_kid}::uuid, s.enter_kid)`.execute(db)
  const row = rows[0]
  if (!row) return undefined
  const { target_kid, target_name, target_type, target_parent_kid, target_is_usable, granted, ...rest } = row
  const permissions = granted ? narrowed(granted, row.permissions) : row.permissions
  const target = target_kid && {
    kid: target_kid,
    name: target_name!,
    type: target_type!,
    parent_kid: target_parent_kid,
    is_usable: target_is_usable,
  }
  return { ...rest, permissions, target: target || null }
}
function sessionsOf(key: SessionKey, asked_kid: string | null, now: Date): RawBuilder<unknown> {
  if ('user_kid' in key)
    return sql`
      SELECT ${key.user_kid}::uuid AS kid, ${key.user_kid}::uuid AS user_kid, ${now}::timestamptz AS last_use_at,
        ${now}::timestamptz AS expires_at, NULL::timestamptz AS confirmed_at, ${asked_kid}::uuid AS enter_kid,
        false AS is_api_token, false AS may_destroy, NULL::text[] AS granted`
  const is_it = 'kid' in key ? sql`kid = ${key.kid}` : sql`token_hash = ${key.token_hash}`
  return sql`
      SELECT kid, user_kid, last_use_at, expires_at, confirmed_at, enter_kid,
        false AS is_api_token, false AS may_destroy, NULL::text[] AS granted
      FROM session WHERE ${is_it}
      UNION ALL
      SELECT kid, user_kid, last_use_at, expires_at, NULL, NULL, true, may_destroy, permissions
      FROM api_token WHERE ${is_it}`
}
type Target = {
  target_kid: string | null
  target_name: string | null
  target_type: AccountType | null
  target_parent_kid: string | null
  target_is_usable: boolean
}

/** Idle or too old, or its user or account no longer works. An API token may lie idle. */
export function isOver(row: SessionRow, now: Date): boolean {
  if (!row.is_usable || row.expires_at <= now) return true
  if (row.is_api_token || row.last_use_at === null) return false
  return row.last_use_at.getTime() + idle_hours * hour <= now.getTime()
}

/** Notes the use, at most once a minute; the row in hand is brought up to date for those who share it. */
export async function touch({ db }: Deps, row: SessionRow, now: Date, address: string | undefined): Promise<void> {
  const minute = 60_000
  if (row.last_use_at && Math.abs(now.getTime() - row.last_use_at.getTime()) < minute) return
  row.last_use_at = now
  const change = row.is_api_token
    ? db
        .updateTable('api_token')
        .set({ last_use_at: now, ...(address === undefined ? {} : { last_address: address }) })
        .where('kid', '=', row.kid)
    : db.updateTable('session').set({ last_use_at: now }).where('kid', '=', row.kid)
  await change.execute().catch(unlessDiskFull)
}

export const removeSession = async ({ db }: Deps, kid: string): Promise<void> =>
  void (await db.deleteFrom('session').where('kid', '=', kid).execute())
