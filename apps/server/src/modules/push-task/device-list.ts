import type { LeftOutReason, PushTaskType, Targets } from '@mdm/contract'
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Actor } from '../../actor.ts'
import { retrying } from '../../db/retrying.ts'
import type { Tables } from '../../db/schema/tables.ts'
import type { Deps } from '../../deps.ts'
import { newKid } from '../../lib/ids.ts'
import { matchingAfter } from '../terminal-filter/service.ts'

type Db = Kysely<Tables>
export type ListRules = { type: PushTaskType; offline_days?: number | undefined }

/** Devices of one transaction. */
const chunk = 5_000
const day_ms = 86_400_000
/** So long a preview waits for its push. */
export const preview_ms = 3_600_000
/** The place of picked devices, before all others. Those stand in the order of a hash, so that each step is a fair sample. */
export const picked_lot = -2_147_483_648

/** Why a device `t` with state `s` is left out, as SQL; null when it gets the push. */
const reasonOf = (deps: Deps, { type, offline_days }: ListRules) => {
  const since = offline_days === undefined ? null : new Date(deps.clock.now().getTime() - offline_days * day_ms)
  return sql<LeftOutReason | null>`CASE
    WHEN t.task_types IS NOT NULL AND NOT ${type} = ANY(t.task_types) THEN 'not_capable'
    WHEN ${since}::timestamptz IS NOT NULL AND s.is_online IS NOT TRUE
      AND COALESCE(s.last_online_at, t.registered_at) < ${since}::timestamptz THEN 'offline'
    END`
}

/** Those of these devices that get a push of this kind, and those that are left out, each in the order of their kids. */
export async function sortOut(
  { deps, account_kid }: Actor,
  kids: readonly string[],
  rules: ListRules,
): Promise<{ kids: string[]; left_out: { terminal_kid: string; sn: string; reason: LeftOutReason }[] }> {
  const { rows } = await sql<{ terminal_kid: string; sn: string; reason: LeftOutReason | null }>`
    SELECT t.kid AS terminal_kid, t.sn, ${reasonOf(deps, rules)} AS reason
    FROM terminal t LEFT JOIN terminal_state s ON s.terminal_kid = t.kid
    WHERE t.kid = ANY(${[...kids]}::uuid[]) AND t.account_kid = ${account_kid} ORDER BY t.kid
  `.execute(deps.db)
  return {
    kids: rows.filter(({ reason }) => reason === null).map(({ terminal_kid }) => terminal_kid),
    left_out: rows.flatMap(({ reason, ...row }) => (reason === null ? [] : [{ ...row, reason }])),
  }
}

/** Begins a list of devices. One that no push takes over is dropped an hour later. */
export async function beginList(
  trx: Db,
  { deps, account_kid, user }: Actor,
  { type, later }: { type: PushTaskType; later?: object | undefined },
): Promise<string> {
  const kid = newKid()
  await trx
    .insertInto('push_list')
    .values({
      kid,
      account_kid,
      created_by_kid: user.kid,
      created_at: deps.clock.now(),
      type,
      later: later ? JSON.stringify(later) : null,
    })
    .execute()
  return kid
}

/** Adds devices to a list, each once, with the reason why it is left out. */
export async function addToList(
  trx: Db,
  { deps, account_kid }: Pick<Actor, 'deps' | 'account_kid'>,
  list_kid: string,
  kids: readonly string[],
  rules: ListRules,
): Promise<void> {
  await sql`
    WITH added AS (
      INSERT INTO push_list_terminal (push_list_kid, account_kid, lot, terminal_kid, sn, reason)
      SELECT ${list_kid}::uuid, t.account_kid, GREATEST(hashtext(t.kid::text), ${picked_lot + 1}::integer), t.kid, t.sn,
        ${reasonOf(deps, rules)}
      FROM terminal t LEFT JOIN terminal_state s ON s.terminal_kid = t.kid
      WHERE t.kid = ANY(${[...kids]}::uuid[]) AND t.account_kid = ${account_kid}
      ON CONFLICT (push_list_kid, terminal_kid) DO NOTHING
      RETURNING reason)
    UPDATE push_list SET total = total + (SELECT count(*) FROM added WHERE reason IS NULL) WHERE kid = ${list_kid}::uuid
  `.execute(trx)
}

/** Freezes, piece by piece, which devices are meant now: named ones and what matches. Answers the list's kid. */
export async function freeze(actor: Actor, { terminal_kids, match }: Targets, rules: ListRules): Promise<string> {
  const { deps } = actor
  const list_kid = await beginList(deps.db, actor, { type: rules.type, later: match })
  const add = (kids: readonly string[]) =>
    retrying(() => deps.db.transaction().execute((trx) => addToList(trx, actor, list_kid, kids, rules)))
  const named = [...(terminal_kids ?? [])]
  for (let at = 0; at < named.length; at += chunk) await add(named.slice(at, at + chunk))
  for (let after: string | undefined; match;) {
    const kids = await matchingAfter(actor, match, after, chunk)
    if (kids.length > 0) await add(kids)
    if (kids.length < chunk) break
    after = kids.at(-1)
  }
  return list_kid
}
