import { compareOsVersions, errorMessage } from '@mdm/contract'
import type { Contract, In, Language, OsVersionDetail, OsVersionRow } from '@mdm/contract'
import { sql } from 'kysely'
import type { Actor } from '../../../actor.ts'
import { containing, readPage } from '../../../db/paging.ts'
import { newKid } from '../../../lib/ids.ts'
import { refuse } from '../../../refusal.ts'
import { fetchReasonText } from './fetch.ts'
import type { FetchReason } from './fetch.ts'
import { isOffered, isOwn, lockOwn, note, tell, titleOf } from './locked-version.ts'
import type { Db, Fault } from './locked-version.ts'

type Calls = Contract['opsOsVersion']['calls']

const rowsOf = (who: Actor) =>
  who.deps.db
    .selectFrom('os_version')
    .innerJoin('os_uid', 'os_uid.kid', 'os_version.uid_kid')
    .selectAll('os_version')
    .select((eb) => [
      'os_uid.code as uid_code',
      'os_uid.display_name as uid_name',
      'os_uid.type as type',
      isOwn(who).as('is_own'),
      eb
        .selectFrom('os_package')
        .select(sql<number>`count(*)::int`.as('count'))
        .whereRef('os_package.os_version_kid', '=', 'os_version.kid')
        .$asScalar()
        .as('package_count'),
    ])
type Found = Awaited<ReturnType<ReturnType<typeof rowsOf>['executeTakeFirstOrThrow']>>

const shown = (row: Found): OsVersionRow => ({
  ...row,
  package_count: row.package_count ?? 0,
  step: !row.package_count ? 'upload' : row.mode === null ? 'release' : 'complete',
  released_at: row.released_at?.toISOString() ?? null,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
})

export async function paging(who: Actor, input: In<Calls['paging']>) {
  const { text, state, uid_kid, type, is_own } = input
  const page = await readPage({
    query: rowsOf(who)
      .$if(Boolean(text), (q) =>
        q.where((eb) =>
          eb.or([
            eb(sql`lower(os_version.os_version)`, 'like', containing(text!)),
            eb(sql`lower(os_uid.code)`, 'like', containing(text!)),
            eb(sql`lower(os_uid.display_name)`, 'like', containing(text!)),
          ]),
        ),
      )
      .$if(state !== undefined, (q) => q.where('os_version.state', '=', state!))
      .$if(uid_kid !== undefined, (q) => q.where('os_version.uid_kid', '=', uid_kid!))
      .$if(type !== undefined, (q) => q.where('os_uid.type', '=', type!))
      .$if(is_own !== undefined, (q) => q.where(isOwn(who), '=', is_own!)),
    input,
    columns: {
      updated_at: { ref: sql`os_version.updated_at`, order: 'desc' },
      created_at: { ref: sql`os_version.created_at`, order: 'desc' },
      released_at: { ref: sql`os_version.released_at`, order: 'desc', is_nullable: true },
      ver: { ref: sql`os_version.ver`, order: 'desc' },
    },
    key: sql`os_version.kid`,
  })
  return { ...page, items: page.items.map(shown) }
}

export async function get(who: Actor, kid: string, language: Language): Promise<OsVersionDetail> {
  const { db } = who.deps
  const row = await rowsOf(who).where('os_version.kid', '=', kid).executeTakeFirst()
  if (!row) return refuse('not_found')
  const packages = await db
    .selectFrom('os_package')
    .selectAll()
    .where('os_version_kid', '=', kid)
    .orderBy(sql`from_build IS NOT NULL`)
    .orderBy('created_at')
    .execute()
  const accounts = await db
    .selectFrom('os_version_account')
    .innerJoin('account', 'account.kid', 'os_version_account.account_kid')
    .select(['account.kid as account_kid', 'account.name', 'os_version_account.terminal_group_kids'])
    .where('os_version_kid', '=', kid)
    .orderBy('account.name')
    .execute()
  const key = await db.selectFrom('os_key').select('public_key').where('kid', '=', row.key_kid).executeTakeFirst()
  const { mode, is_for_all } = row
  return {
    ...shown(row),
    description: row.description,
    remaining_problems: row.remaining_problems,
    is_cancelling: row.is_cancelling,
    packages: packages.map(({ from_build, fault, created_at, ...one }) => ({
      ...one,
      is_offered: isOffered(row, one),
      kind: from_build ? 'difference' : 'full',
      from: from_build,
      fault: fault && faultText(fault, language),
      created_at: created_at.toISOString(),
    })),
    audience: mode && {
      mode,
      is_for_all,
      accounts: accounts.map(({ account_kid, terminal_group_kids }) => ({ account_kid, terminal_group_kids })),
    },
    account_names: accounts.map(({ account_kid, name }) => ({ account_kid, name })),
    key: key?.public_key ?? null,
  }
}

export function faultText({ name, details }: Fault, language: Language): string {
  const { reason, detail } = details
  if (name !== 'os_fetch_failed') return errorMessage(name, language, details)
  return errorMessage(name, language, {
    reason: fetchReasonText(reason as FetchReason, String(detail ?? ''), language),
  })
}

type Draft = In<Calls['insert']>

export async function insert(who: Actor, draft: Draft): Promise<{ kid: string; title: string }> {
  const { deps, user } = who
  const kid = newKid()
  const now = deps.clock.now()
  await deps.db.transaction().execute(async (trx) => {
    await assertFree(trx, draft)
    await trx
      .insertInto('os_version')
      .values({
        kid,
        ...draft,
        state: 'draft',
        created_by_kid: user.kid,
        created_by: user.name,
        created_at: now,
        updated_at: now,
      })
      .execute()
    await note(trx, who, kid, 'created', titleOf(draft))
  })
  tell(who, kid)
  return { kid, title: titleOf(draft) }
}

const fixed = ['uid_kid', 'os_version', 'version_code', 'ver'] as const
/** What devices go by is fixed from the first package on: its name has the UID, and it may have been given to some. */
export async function update(who: Actor, { kid, ...said }: In<Calls['update']>): Promise<string> {
  const { deps } = who
  const title = await deps.db.transaction().execute(async (trx) => {
    const old = await lockOwn(trx, who, kid)
    const next = { ...old, ...said }
    if (fixed.some((field) => next[field] !== old[field])) {
      if (old.released_at !== null || (await hasPackages(trx, kid))) refuse('os_version_fixed')
      if (next.os_version === String(next.ver)) refuse('os_version_taken')
      await assertFree(trx, next, kid)
    }
    await trx
      .updateTable('os_version')
      .set({ ...said, updated_at: deps.clock.now() })
      .where('kid', '=', kid)
      .execute()
    await note(trx, who, kid, 'changed', titleOf(next))
    return titleOf(next)
  })
  tell(who, kid)
  return title
}

const hasPackages = async (trx: Db, kid: string): Promise<boolean> =>
  (await trx.selectFrom('os_package').select('kid').where('os_version_kid', '=', kid).limit(1).executeTakeFirst()) !==
  undefined

/**
 * Pairs that are unique within a UID: OS version and VER, version code and VER. Until the end of the transaction nobody adds
 * another one. 9.0.1 and 9.00.1 are one version.
 */
async function assertFree(
  trx: Db,
  draft: Pick<Draft, 'uid_kid' | 'os_version' | 'version_code' | 'ver'>,
  own_kid?: string,
): Promise<void> {
  const { uid_kid, os_version, version_code, ver } = draft
  const uid = await trx.selectFrom('os_uid').select('kid').where('kid', '=', uid_kid).forUpdate().executeTakeFirst()
  if (!uid) refuse('os_uid_unknown')
  const others = await trx
    .selectFrom('os_version')
    .select(['os_version', 'version_code'])
    .where('uid_kid', '=', uid_kid)
    .where('ver', '=', ver)
    .$if(own_kid !== undefined, (q) => q.where('kid', '!=', own_kid!))
    .execute()
  if (others.some((other) => compareOsVersions({ os_version }, { os_version: other.os_version }) === 0))
    refuse('os_version_taken')
  const same = others.find((other) => other.version_code === version_code)
  if (same) refuse('os_code_ver_taken', { os_version: same.os_version })
}

/** With its packages. Pushes that are over keep what they say of it. */
export async function remove(who: Actor, kid: string): Promise<string> {
  const { deps } = who
  const { title, objects } = await deps.db.transaction().execute(async (trx) => {
    const row = await lockOwn(trx, who, kid, 'delete')
    const { tasks } = await openPushes(trx, kid)
    if (tasks > 0) refuse('os_being_pushed', { tasks })
    const packages = await trx.deleteFrom('os_package').where('os_version_kid', '=', kid).returning('object').execute()
    await trx.deleteFrom('os_version').where('kid', '=', kid).execute()
    return { title: titleOf(row), objects: packages.flatMap(({ object }) => object ?? []) }
  })
  for (const object of objects) await deps.objects.delete(object)
  tell(who, kid, true)
  return title
}

/** Pushes of a version that are not over, of all accounts. */
export async function openPushes(db: Db, kid: string): Promise<{ customers: number; tasks: number; devices: number }> {
  const { rows } = await sql<{ customers: number; tasks: number; devices: number }>`
    SELECT count(DISTINCT account_kid)::int AS customers, count(*)::int AS tasks,
      COALESCE(sum(GREATEST(target_count, total) - completed - failed - canceled), 0)::int AS devices
    FROM push_task WHERE type = 'os' AND payload ->> 'os_version_kid' = ${kid} AND ended_at IS NULL
      AND phase <> 'rejected'
  `.execute(db)
  return rows[0]!
}

export const listHistory = async ({ deps }: Pick<Actor, 'deps'>, kid: string) => {
  const rows = await deps.db
    .selectFrom('os_version_event')
    .select(['event', 'at', 'by_name as by', 'detail'])
    .where('os_version_kid', '=', kid)
    .orderBy('at', 'desc')
    .orderBy('kid', 'desc')
    .limit(500)
    .execute()
  return rows.map((row) => ({ ...row, at: row.at.toISOString() }))
}
