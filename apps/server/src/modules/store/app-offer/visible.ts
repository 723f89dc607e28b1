import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { Actor } from '../../../actor.ts'

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

/** The code of a version that the account has in its app center, its own app before an inherited one; undefined of others. */
export async function versionCodeOf(actor: Actor, name: string, version: string): Promise<number | undefined> {
  const row = await actor.deps.db
    .selectFrom('app')
    .innerJoin('app_version', 'app_version.app_kid', 'app.kid')
    .where('app.package', '=', name)
    .where('app_version.version_name', '=', version)
    .where(await visible(actor))
    .select('app_version.version_code')
    .orderBy(sql`app.account_kid <> ${actor.account_kid}`)
    .orderBy('app_version.version_code')
    .limit(1)
    .executeTakeFirst()
  return row?.version_code
}
