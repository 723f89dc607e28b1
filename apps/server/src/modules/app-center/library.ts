import type { AppOrigin } from '@mdm/contract'
import { sql } from 'kysely'
import type { Kysely, RawBuilder } from 'kysely'
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

/** The accounts whose listed apps this one has as well: the one above a sub-account, and the provider. */
export async function inheritedFrom({ deps, account_kid }: Actor): Promise<string[]> {
  const rows = await deps.db
    .selectFrom('account as own')
    .innerJoin('account as other', (join) =>
      join.on((eb) => eb.or([eb('other.type', '=', 101), eb('other.kid', '=', eb.ref('own.parent_kid'))])),
    )
    .select('other.kid')
    .where('own.kid', '=', account_kid)
    .where('own.type', '!=', 101)
    .execute()
  return rows.map(({ kid }) => kid)
}

/** Apps that the account sees: its own, and the listed ones that it inherits. Of all accounts' rows, so it names them. */
export async function visible(actor: Actor): Promise<RawBuilder<boolean>> {
  const inherited = await inheritedFrom(actor)
  return sql<boolean>`(app.account_kid = ${actor.account_kid}
    or (app.account_kid = any(${inherited}::uuid[]) and app.state = 'listed'))`
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
