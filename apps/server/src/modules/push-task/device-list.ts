import type { LeftOutReason, PushPayload, PushTaskType, Targets } from '@mdm/contract'
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Actor } from '../../actor.ts'
import { retrying } from '../../db/retrying.ts'
import type { Tables } from '../../db/schema/tables.ts'
import type { Deps } from '../../deps.ts'
import { newKid } from '../../lib/ids.ts'
import { matchingAfter } from '../terminal-filter/service.ts'
import { kindOf } from './kinds/kinds.ts'

type Db = Kysely<Tables>
export type ListRules = {
  type: PushTaskType
  offline_days?: number | undefined
  /** Of the push, or of what is previewed: some kinds are not for every device. */
  payload: unknown
}

/** Of these devices, those that cannot take what is pushed. */
async function unfit(
  of: { db: Db; account_kid: string },
  { type, payload }: ListRules,
  kids: readonly string[],
): Promise<Map<string, LeftOutReason>> {
  const found =
    payload === undefined ? [] : await kindOf(type).leavesOut?.(of, payload as PushPayload<PushTaskType>, kids)
  return new Map((found ?? []).map(({ kid, reason }) => [kid, reason]))
}
export const aboutOf = ({ type, payload }: Pick<ListRules, 'type' | 'payload'>): string =>
  (payload === undefined ? undefined : kindOf(type).about?.(payload as PushPayload<PushTaskType>)) ?? ''

/** Devices of one transaction. */
const chunk = 5_000
const day_ms = 86_400_000
/** Picked devices come first; all others in an order that is the same for nobody's reason: steps are fair samples. */
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
  actor: Actor,
  kids: readonly string[],
  rules: ListRules,
): Promise<{ kids: string[]; left_out: { terminal_kid: string; sn: string; reason: LeftOutReason }[] }> {
  const { deps, account_kid } = actor
  const cannot = await unfit({ db: deps.db, account_kid }, rules, kids)
  const { rows: read } = await sql<{ terminal_kid: string; sn: string; reason: LeftOutReason | null }>`
    SELECT t.kid AS terminal_kid, t.sn, ${reasonOf(deps, rules)} AS reason
    FROM terminal t LEFT JOIN terminal_state s ON s.terminal_kid = t.kid
    WHERE t.kid = ANY(${[...kids]}::uuid[]) AND t.account_kid = ${account_kid} ORDER BY t.kid
  `.execute(deps.db)
  const rows = read.map((row) => ({ ...row, reason: row.reason ?? cannot.get(row.terminal_kid) ?? null }))
  return {
    kids: rows.filter(({ reason }) => reason === null).map(({ terminal_kid }) => terminal_kid),
    left_out: rows.flatMap(({ reason, ...row }) => (reason === null ? [] : [{ ...row, reason }])),
  }
}

/** Begins a list of devices. One that no push takes over is dropped an hour later. */
export async function beginList(
  trx: Db,
  { deps, account_kid, user }: Actor,
  more: {
    type: PushTaskType
    about?: string
    missing?: string[]
    missing_count?: number
    later?: object | undefined
  },
): Promise<string> {
  const kid = newKid()
  const { later, missing, missing_count, type, about = '' } = more
  await trx
    .insertInto('push_list')
    .values({
      kid,
      account_kid,
      created_by_kid: user.kid,
      created_at: deps.clock.now(),
      type,
      about,
      missing_count: missing_count ?? 0,
      missing: JSON.stringify(missing ?? []),
      later: later ? JSON.stringify(later) : null,
    })
    .execute()
  return kid
}

/** Adds devices to a list, each once, with the reason why it is left out. */
export async function addToList(
  trx: Db,
  actor: Pick<Actor, 'deps' | 'account_kid'>,
  list_kid: string,
  kids: readonly string[],
  rules: ListRules,
): Promise<void> {
  const { deps, account_kid } = actor
  const cannot = [...(await unfit({ db: trx, account_kid }, rules, kids))].map(([k, r]) => ({ k, r }))
  await sql`
    WITH added AS (
      INSERT INTO push_list_terminal (push_list_kid, account_kid, lot, terminal_kid, sn, reason)
      SELECT ${list_kid}::uuid, t.account_kid, GREATEST(hashtext(t.kid::text), ${picked_lot + 1}::integer), t.kid, t.sn,
        COALESCE(${reasonOf(deps, rules)}, u.r)
      FROM terminal t LEFT JOIN terminal_state s ON s.terminal_kid = t.kid
      LEFT JOIN jsonb_to_recordset(${JSON.stringify(cannot)}::jsonb) AS u(k uuid, r text) ON u.k = t.kid
      WHERE t.kid = ANY(${[...kids]}::uuid[]) AND t.account_kid = ${account_kid}
      ON CONFLICT (push_list_kid, terminal_kid) DO NOTHING
      RETURNING reason)
    UPDATE push_list SET total = total + (SELECT count(*) FROM added WHERE reason IS NULL) WHERE kid = ${list_kid}::uuid
  `.execute(trx)
}

/** Freezes, piece by piece, which devices are meant now: named ones and what matches. Answers the list's kid. */
export async function freeze(
  actor: Actor,
  { terminal_kids, match }: Targets,
  rules: ListRules,
  more: { missing?: string[]; missing_count?: number } = {},
): Promise<string> {
  const { deps } = actor
  const list_kid = await beginList(deps.db, actor, {
    type: rules.type,
    about: aboutOf(rules),
    later: match,
    ...more,
  })
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
