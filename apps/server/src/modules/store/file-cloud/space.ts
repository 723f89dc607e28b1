import { fileLimits } from '@mdm/contract'
import type { FileOrigin, FileSpace } from '@mdm/contract'
import { sql } from 'kysely'
import type { Kysely, Selectable } from 'kysely'
import type { Actor } from '../../../actor.ts'
import { retrying } from '../../../db/retrying.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import { takeSpace } from '../../../files/upload-space.ts'
import { refuse } from '../../../refusal.ts'
import { ownSpace } from '../disk-space/index.ts'
import { lockAccount } from '../../../db/lock-account.ts'

export type Db = Kysely<Tables>
export type Row = Selectable<Tables['file_cloud']>

/** Whose files are kept: the account's, or the provider's. `uploads` has the person's uploads: of the account that they act for. */
export type Keeper = Actor & { uploads: Kysely<Tables> }

export const any = (values: readonly string[]) => sql<string>`any(${values}::uuid[])`

/** The accounts whose files this one sees: its own, and the provider's. */
export async function ownersOf(db: Db, { account_kid }: Actor): Promise<string[]> {
  const rows = await db.selectFrom('account').select('kid').where('type', '=', 101).execute()
  return [...new Set([account_kid, ...rows.map(({ kid }) => kid)])]
}

export const originOf = ({ account_kid }: Actor, row: { account_kid: string }): FileOrigin =>
  row.account_kid === account_kid ? 'private' : 'platform'

/**
 * One change at a time in an account's file cloud, so that no two together put a folder into itself, nest too deep or
 * delete what is just being filled. Uploads may be of another account, so the statements name whose rows they mean.
 */
export const change = <T>({ deps, account_kid }: Actor, run: (trx: Db) => Promise<T>): Promise<T> =>
  retrying(() =>
    deps.db.transaction().execute(async (trx) => {
      await lockAccount(trx, account_kid)
      return run(trx)
    }),
  )

/** A change that adds files. @throws `storage_exceeded` */
export const addFiles = <T>(actor: Actor, run: (trx: Db) => Promise<T>): Promise<T> =>
  change(actor, (trx) => takeSpace(trx, actor, 'file_disk', () => run(trx)))

export const changed = ({ deps, account_kid }: Actor): void => deps.live.publish(account_kid, { type: 'file_changed' })

/** Files and folders of the account's own. Others' are as unknown as ones that never were. */
export async function ownRows(trx: Db, { account_kid }: Actor, kids: readonly string[]): Promise<Row[]> {
  const rows = await trx
    .selectFrom('file_cloud')
    .selectAll()
    .where('kid', '=', any(kids))
    .where('account_kid', '=', account_kid)
    .forUpdate()
    .execute()
  return rows.length === new Set(kids).size ? rows : refuse('not_found')
}

/** These and all that is in them, each folder before what it holds. `depth` counts from these, which have 0. */
export async function rowsWithin(trx: Db, kids: readonly string[]): Promise<(Row & { depth: number })[]> {
  const { rows } = await sql<{ kid: string; depth: number }>`
    WITH RECURSIVE below AS (
      SELECT kid, 0 AS depth FROM file_cloud WHERE kid = ANY(${kids}::uuid[])
      UNION ALL SELECT f.kid, below.depth + 1 FROM file_cloud f JOIN below ON f.parent_kid = below.kid
    ) SELECT kid, max(depth) AS depth FROM below GROUP BY kid`.execute(trx)
  const depths = new Map(rows.map(({ kid, depth }) => [kid, depth]))
  const whole = await trx
    .selectFrom('file_cloud')
    .selectAll()
    .where('kid', '=', any([...depths.keys()]))
    .execute()
  return whole.map((row) => ({ ...row, depth: depths.get(row.kid)! })).toSorted((a, b) => a.depth - b.depth)
}

/** Refused where the account has no such folder. The top is one as well. */
export async function assertFolder(trx: Db, { account_kid }: Actor, kid: string | null): Promise<void> {
  if (kid === null) return
  const found = await trx
    .selectFrom('file_cloud')
    .select('kid')
    .where('kid', '=', kid)
    .where('account_kid', '=', account_kid)
    .where('is_folder', '=', true)
    .executeTakeFirst()
  if (!found) refuse('file_folder_unknown')
}

/** How many more folders the account may have. */
export async function foldersLeft(trx: Db, { account_kid }: Actor): Promise<number> {
  const { n } = await trx
    .selectFrom('file_cloud')
    .select(sql<number>`count(*)::int`.as('n'))
    .where('account_kid', '=', account_kid)
    .where('is_folder', '=', true)
    .executeTakeFirstOrThrow()
  return fileLimits.folders - n
}

export async function spaceOf(actor: Actor): Promise<FileSpace> {
  const { scope } = actor
  const { item_count: file_count, ...space } = await ownSpace(actor, 'file_disk')
  const { folder_count } = await scope
    .selectFrom('file_cloud')
    .select(sql<number>`count(*)::int`.as('folder_count'))
    .where('is_folder', '=', true)
    .executeTakeFirstOrThrow()
  const { broken_count } = await scope
    .selectFrom('file_cloud')
    .innerJoin('object_check', 'object_check.object', 'file_cloud.object')
    .select(sql<number>`count(*)::int`.as('broken_count'))
    .where('object_check.fault', 'is not', null)
    .executeTakeFirstOrThrow()
  return { ...space, file_count, folder_count, broken_count }
}
