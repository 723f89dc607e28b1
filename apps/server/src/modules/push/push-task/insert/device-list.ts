import { agentOf, gatewayKinds, versions_kept } from '@mdm/contract'
import type { LeftOutReason, PushTarget, PushTaskType, TerminalFilter } from '@mdm/contract'
import { sql } from 'kysely'
import type { Kysely, Selectable } from 'kysely'
import type { Actor } from '../../../../actor.ts'
import { records } from '../../../../db/records.ts'
import type { Tables } from '../../../../db/schema/tables.ts'
import type { Deps } from '../../../../deps.ts'
import { newKid } from '../../../../lib/ids.ts'
import type { AppRule, PushRules } from '../kinds/kind.ts'
import { kindOf } from '../kinds/kinds.ts'
import { leftOutOf } from '../../../store/os-update/index.ts'
import type { Freezing } from '../../../../db/schema/tables-push.ts'
import { Refusal } from '../../../../refusal.ts'

type Db = Kysely<Tables>
export type ListRules = { type: PushTaskType; offline_days?: number | undefined; rules?: PushRules | undefined }

/** Of these devices, those that cannot take the version of a push, each with the reason. */
async function unfitForOs(
  { db, account_kid }: { db: Db; account_kid: string },
  { rules }: ListRules,
  kids: readonly string[],
): Promise<Map<string, LeftOutReason>> {
  if (!rules?.os) return new Map()
  const found = await leftOutOf(db, account_kid, rules.os.os_version_kid, kids)
  return new Map(found.map(({ kid, reason }) => [kid, reason]))
}

/** Devices of one transaction. */
export const chunk = 2_000
/** Comes before every kid. */
export const before_all = '00000000-0000-0000-0000-000000000000'
const day_ms = 86_400_000
/** So long a preview waits for its push. */
export const preview_ms = 3_600_000
/** The place of picked devices, before all others. Those stand in the order of a hash, so that each step is a fair sample. */
export const picked_order_key = -2_147_483_648

/** A device that has not said what it does is taken to do all. */
const incapable = (type: PushTaskType) => {
  const lacking = gatewayKinds.map((kind) => [kind, agentOf(kind)?.lacks[type]])
  return sql`CASE WHEN NOT ${type} = ANY(t.task_types)
    THEN COALESCE(${JSON.stringify(Object.fromEntries(lacking))}::jsonb ->> t.agent_kind, 'not_capable') END`
}

/** Why a device `t` with state `s` is left out, as SQL; null when it gets the push. What it does not get as a task needs no skill of it. */
const reasonOf = (deps: Deps, { type, offline_days, rules }: ListRules) => {
  const since = offline_days === undefined ? null : new Date(deps.clock.now().getTime() - offline_days * day_ms)
  return sql<LeftOutReason | null>`COALESCE(
    ${kindOf(type).deliver ? sql`NULL` : incapable(type)},
    ${rules?.apps ? unfit(rules.apps) : sql`NULL`},
    ${rules?.uninstalls ? withoutAny(rules.uninstalls) : sql`NULL`},
    CASE WHEN ${since}::timestamptz IS NOT NULL AND s.is_online IS NOT TRUE
      AND COALESCE(s.last_online_at, t.registered_at) < ${since}::timestamptz THEN 'offline' END)`
}

/**
 * Why a device `t` does not get these apps: all of them are there, or one that it lacks, be it only because another needs
 * it, does not run on it. What a device has not said of itself leaves it in. Versions are compared by their codes where
 * the device says them, otherwise by the numbers in their names.
 */
const unfit = (apps: readonly AppRule[]) => sql`(
  SELECT CASE
    WHEN bool_and(a.is_dependency OR NOT a.is_lacking)
      THEN CASE WHEN bool_or(a.there > 0 AND NOT a.is_dependency) THEN 'has_newer' ELSE 'has_it' END
    WHEN bool_or(a.is_lacking AND NOT a.kind = ANY(t.package_kinds)) THEN 'package_kind'
    WHEN bool_or(a.is_lacking AND a.abis <> '{}' AND NOT a.abis && t.abis) THEN 'abi'
    WHEN bool_or(a.is_lacking AND a.min_sdk > t.sdk) THEN 'sdk' END
  FROM (
    SELECT r.*, c.there, c.there IS NULL OR c.there < 0 OR c.there > 0 AND r.may_downgrade AS is_lacking
    FROM ${records(apps).as(`r(package text, version_name text, version_code bigint, kind text, min_sdk integer,
      abis text[], is_dependency boolean, may_downgrade boolean)`)}
    LEFT JOIN LATERAL (
      SELECT CASE
        WHEN i.version_code IS NOT NULL THEN sign(i.version_code - r.version_code)::integer
        WHEN i.version_key = version_key(r.version_name) THEN 0
        WHEN i.version_key < version_key(r.version_name) THEN -1 ELSE 1 END AS there
      FROM terminal_app i WHERE i.terminal_kid = t.kid AND i.package = r.package) c ON true) a)`

/** A device that has said what it has, and has none of these. */
const withoutAny = (packages: readonly string[]) => sql`CASE
  WHEN EXISTS (SELECT FROM terminal_app i WHERE i.terminal_kid = t.kid)
    AND NOT EXISTS (SELECT FROM terminal_app i WHERE i.terminal_kid = t.kid AND i.package = ANY(${packages}::text[]))
  THEN 'has_not' END`

/** Those of these devices that get a push of this kind, and those that are left out, each in the order of their kids. */
export async function splitByEligibility(
  actor: Actor,
  kids: readonly string[],
  rules: ListRules,
): Promise<{ kids: string[]; left_out: { terminal_kid: string; sn: string; reason: LeftOutReason }[] }> {
  const { deps, account_kid } = actor
  const cannot = await unfitForOs({ db: deps.db, account_kid }, rules, kids)
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

/** Whoever a list is made for: a person's call, or what goes on in the name of one. */
export type ListOwner = Pick<Actor, 'deps' | 'account_kid'> & { user: { kid: string; name: string } }

type NewList = ListRules & {
  /** What matches, where devices that match later may be taken in too. */
  late_filter?: TerminalFilter | undefined
  target?: PushTarget
  freezing?: Freezing | undefined
}
/** Begins a list of devices. One that no push takes over is dropped an hour later. */
export async function beginList(
  trx: Db,
  { deps, account_kid, user }: ListOwner,
  { type, rules, offline_days, late_filter, target, freezing }: NewList,
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
      late_filter: late_filter ? JSON.stringify(late_filter) : null,
      target: target ? JSON.stringify(target) : null,
      rules: rules ? JSON.stringify(rules) : null,
      offline_days: offline_days ?? null,
      freezing: freezing ? JSON.stringify(freezing) : null,
    })
    .execute()
  return kid
}

/** Adds devices to a list, each once, with the reason why it is left out. How many came to it, and which of them get the push. */
export async function addToList(
  trx: Db,
  actor: Pick<Actor, 'deps' | 'account_kid'>,
  list_kid: string,
  kids: readonly string[],
  rules: ListRules,
): Promise<{ added: number; getting: string[] }> {
  const { deps, account_kid } = actor
  if (kids.length === 0) return { added: 0, getting: [] }
  const cannot = [...(await unfitForOs({ db: trx, account_kid }, rules, kids))].map(([k, r]) => ({ k, r }))
  const { rows } = await sql<{ added: number; getting: string[] }>`
    WITH added AS (
      INSERT INTO push_list_terminal (push_list_kid, account_kid, order_key, terminal_kid, sn, reason)
      SELECT ${list_kid}::uuid, t.account_kid, GREATEST(hashtext(t.kid::text), ${picked_order_key + 1}::integer), t.kid, t.sn,
        COALESCE(${reasonOf(deps, rules)}, u.r)
      FROM terminal t LEFT JOIN terminal_state s ON s.terminal_kid = t.kid
      LEFT JOIN ${records(cannot).as('u(k uuid, r text)')} ON u.k = t.kid
      WHERE t.kid = ANY(${[...kids]}::uuid[]) AND t.account_kid = ${account_kid}
      ON CONFLICT (push_list_kid, terminal_kid) DO NOTHING
      RETURNING terminal_kid, reason)
    UPDATE push_list SET total = total + (SELECT count(*) FROM added WHERE reason IS NULL) WHERE kid = ${list_kid}::uuid
    RETURNING (SELECT count(*)::integer FROM added) AS added,
      ARRAY(SELECT terminal_kid FROM added WHERE reason IS NULL) AS getting
  `.execute(trx)
  return rows[0]!
}

/** Hand-picked devices come before all others of a list. @throws `bad_input` when one is not on it */
export async function pickFirst(trx: Db, list_kid: string, kids: readonly string[] | undefined): Promise<void> {
  const picked = [...new Set(kids)]
  if (picked.length === 0) return
  const { numUpdatedRows } = await trx
    .updateTable('push_list_terminal')
    .set({ order_key: picked_order_key })
    .where('push_list_kid', '=', list_kid)
    .where('terminal_kid', 'in', picked)
    .where('reason', 'is', null)
    .executeTakeFirstOrThrow()
  if (Number(numUpdatedRows) !== picked.length)
    throw new Refusal('bad_input', {}, { 'rollout.picked_kids': { name: 'picked_not_meant' } })
}

/** How many devices of a row of push_list are left out. */
export const left_out_of_list = sql`(SELECT count(*)::integer FROM push_list_terminal l
  WHERE l.push_list_kid = push_list.kid AND l.reason IS NOT NULL)`
/** How many devices of a list get the push, and how many are left out. */
export async function countList(trx: Db, kid: string): Promise<{ total: number; left_out: number }> {
  const { rows } = await sql<{ total: number; left_out: number }>`
    SELECT total, ${left_out_of_list} AS left_out FROM push_list WHERE kid = ${kid}
  `.execute(trx)
  return rows[0]!
}

/** A list of which the next devices are still to be looked up. */
export type OpenList = Pick<Selectable<Tables['push_list']>, 'kid' | 'type'> & {
  rules: object | null
  freezing: Freezing
}

/** Adds the next devices to a list that is locked. How its freezing goes on; null: it is whole. */
export async function addPiece(
  trx: Db,
  actor: Pick<Actor, 'deps' | 'account_kid'>,
  { kid, type, rules, freezing }: Pick<OpenList, 'kid' | 'type' | 'rules' | 'freezing'>,
  kids: readonly string[],
  about = freezing.of,
): Promise<Freezing | null> {
  const offline_days = freezing.offline_days ?? undefined
  await addToList(trx, actor, kid, kids, { type, offline_days, rules: (rules as PushRules | null) ?? undefined })
  const done = freezing.done + kids.length
  const of = about === 0 ? 0 : Math.max(about, done + 1)
  const next = kids.length < chunk ? null : { ...freezing, after: kids.at(-1)!, done, of }
  await trx
    .updateTable('push_list')
    .set({ freezing: next && JSON.stringify(next) })
    .where('kid', '=', kid)
    .execute()
  return next
}

/** Versions of the OS that the devices of a list run, the commonest first. */
export async function installedVersions(db: Db, list_kid: string): Promise<string[]> {
  const rows = await db
    .selectFrom('push_list_terminal')
    .innerJoin('terminal', 'terminal.kid', 'push_list_terminal.terminal_kid')
    .select('terminal.os_version')
    .where('push_list_terminal.push_list_kid', '=', list_kid)
    .where('push_list_terminal.reason', 'is', null)
    .where('terminal.os_version', 'is not', null)
    .groupBy('terminal.os_version')
    .orderBy((eb) => eb.fn.countAll(), 'desc')
    .orderBy('terminal.os_version')
    .limit(versions_kept)
    .$narrowType<{ os_version: string }>()
    .execute()
  return rows.map(({ os_version }) => os_version)
}
