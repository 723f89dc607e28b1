import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { Actor } from '../../actor.ts'

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
