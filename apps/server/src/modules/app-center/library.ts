import type { AppOrigin } from '@mdm/contract'
import type { Kysely } from 'kysely'
import type { Actor } from '../../actor.ts'
import type { Tables } from '../../db/schema/tables.ts'
import { retrying } from '../../db/retrying.ts'
import { refuse } from '../../refusal.ts'
import { lockAccount } from '../terminal-group/service.ts'

export type Db = Kysely<Tables>

/**
 * Whose apps are kept: the account's, or the provider's. `uploads` is where the person's uploads are found, which is the
 * account that they act for. `left` is aborted when whoever asked has gone.
 */
export type Librarian = Actor & { uploads: Kysely<Tables>; left: AbortSignal | undefined }

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
