import type { AppDetails } from '@mdm/contract'
import { sql } from 'kysely'
import type { Actor } from '../../../actor.ts'
import { refuse } from '../../../refusal.ts'
import { visible } from '../../store/app-offer/index.ts'
import { originOf } from './library.ts'
import type { Db } from './library.ts'

/** All of them can be seen by the account, and none of them needs the app itself, also not by way of others. */
export async function assertDependencies(trx: Db, actor: Actor, kid: string, needed: readonly string[]): Promise<void> {
  if (needed.length === 0) return
  if (needed.includes(kid)) refuse('app_dependency_cycle')
  const is_seen = await visible({ ...actor, deps: { ...actor.deps, db: trx } })
  const { n } = await trx
    .selectFrom('app')
    .select(sql<number>`count(*)::int`.as('n'))
    .where('kid', '=', sql<string>`any(${needed}::uuid[])`)
    .where(is_seen)
    .executeTakeFirstOrThrow()
  if (n < new Set(needed).size) refuse('app_dependency_unknown')
  // Inherited apps never need those of who inherits them, so a circle is within the account.
  const rows = await trx
    .selectFrom('app_dependency')
    .select(['app_kid', 'needed_kid'])
    .where('account_kid', '=', actor.account_kid)
    .execute()
  const reached = new Set(needed)
  for (const at of reached) {
    if (at === kid) refuse('app_dependency_cycle')
    for (const row of rows) if (row.app_kid === at) reached.add(row.needed_kid)
  }
}

export async function setDependencies(trx: Db, { account_kid }: Actor, kid: string, needed: readonly string[]) {
  await trx.deleteFrom('app_dependency').where('app_kid', '=', kid).execute()
  if (needed.length === 0) return
  const rows = [...new Set(needed)].map((needed_kid) => ({ app_kid: kid, needed_kid, account_kid }))
  await trx.insertInto('app_dependency').values(rows).execute()
}

const columns = ['app.kid', 'app.account_kid', 'app.package', 'app.name', 'app.state'] as const

export async function dependenciesOf(
  actor: Actor,
  kid: string,
): Promise<Pick<AppDetails, 'dependencies' | 'needed_by'>> {
  const { db } = actor.deps
  // What was inherited when it was chosen is told although it is delisted by now.
  const dependencies = await db
    .selectFrom('app_dependency')
    .innerJoin('app', 'app.kid', 'app_dependency.needed_kid')
    .select(columns)
    .where('app_dependency.app_kid', '=', kid)
    .orderBy(sql`lower(app.name)`)
    .execute()
  const needed_by = await db
    .selectFrom('app_dependency')
    .innerJoin('app', 'app.kid', 'app_dependency.app_kid')
    .select(columns)
    .where('app_dependency.needed_kid', '=', kid)
    .where('app.account_kid', '=', actor.account_kid)
    .orderBy(sql`lower(app.name)`)
    .execute()
  const named = <R extends { account_kid: string }>(rows: R[]) =>
    rows.map((row) => ({ ...row, origin: originOf(actor, row) }))
  return { dependencies: named(dependencies), needed_by: named(needed_by) }
}
