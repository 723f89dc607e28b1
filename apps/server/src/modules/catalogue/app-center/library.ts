import type { AppOrigin, AppSpace } from '@mdm/contract'
import type { Kysely } from 'kysely'
import type { Actor } from '../../../actor.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import { retrying } from '../../../db/retrying.ts'
import { isBroken } from '../../../files/object-checks.ts'
import { takeSpace } from '../../../files/upload-space.ts'
import { refuse } from '../../../refusal.ts'
import { visible } from '../../store/app-offer/index.ts'
import { ownSpace } from '../../store/disk-space/index.ts'
import { lockAccount } from '../../../db/lock-account.ts'

export type Db = Kysely<Tables>

/**
 * Whose apps are kept: the account's, or the provider's. `uploads` is where the person's uploads are found, which is the
 * account that they act for. `signal` is aborted when the client disconnects.
 */
export type Librarian = Actor & { uploads: Kysely<Tables>; signal: AbortSignal | undefined }

export const appColumns = [
  'app.kid',
  'app.account_kid',
  'app.package',
  'app.name',
  'app.developer',
  'app.intro',
  'app.category_kid',
  'app.state',
  'app.is_system_signed',
  'app.download_count',
  'app.space_used',
  'app.version_count',
  'app.created_by',
  'app.created_at',
  'app.updated_at',
  'offered.kid as offered_kid',
  'offered.version_name',
  'offered.version_code',
  'offered.size',
  'offered.kind',
] as const

/** Rows of other accounts too, where this one sees them. */
export const readable = async (actor: Actor) =>
  actor.deps.db
    .selectFrom('app')
    .leftJoin('app_version as offered', 'offered.kid', 'app.offered_version_kid')
    .where(await visible(actor))

/** The row of an app that the account sees. */
export async function seen(actor: Actor, kid: string) {
  const row = await (
    await readable(actor)
  )
    .select(appColumns)
    .select(isBroken('offered.object').as('is_broken'))
    .where('app.kid', '=', kid)
    .executeTakeFirst()
  return row ?? refuse('not_found')
}

export const originOf = ({ account_kid }: Actor, row: { account_kid: string }): AppOrigin =>
  row.account_kid === account_kid ? 'private' : 'inherited'

/**
 * One change at a time in an account's app center, so that no two together make a circle or exceed a limit. Uploads may be
 * another account's than the apps, so the transaction is over all and its statements name whose rows they mean.
 */
export const change = <T>({ deps, account_kid }: Actor, run: (trx: Db) => Promise<T>): Promise<T> =>
  retrying(() =>
    deps.db.transaction().execute(async (trx) => {
      await lockAccount(trx, account_kid)
      return run(trx)
    }),
  )

/** A change that adds packages or pictures. @throws `storage_exceeded` */
export const addContent = <T>(actor: Actor, run: (trx: Db) => Promise<T>): Promise<T> =>
  change(actor, (trx) => takeSpace(trx, actor, 'app_center', () => run(trx)))

/** An app of the account's own, locked. Others' are as unknown as ones that never were. */
export async function ownApp(trx: Db, { account_kid }: Actor, kid: string) {
  const row = await trx
    .selectFrom('app')
    .selectAll()
    .where('kid', '=', kid)
    .where('account_kid', '=', account_kid)
    .forUpdate()
    .executeTakeFirst()
  return row ?? refuse('not_found')
}

/** Bytes that a row had, once nothing refers to them any more. */
export async function dropObjects({ deps }: Actor, objects: readonly string[]): Promise<void> {
  for (const object of objects) await deps.objects.delete(object)
}

export const changed = ({ deps, account_kid }: Actor): void => deps.live.publish(account_kid, { type: 'app_changed' })

export async function spaceOf(actor: Actor): Promise<AppSpace> {
  const { item_count, ...space } = await ownSpace(actor, 'app_center')
  return { ...space, app_count: item_count }
}
