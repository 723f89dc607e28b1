import { appLimits } from '@mdm/contract'
import type { AppCategory, Contract, In } from '@mdm/contract'
import { sql } from 'kysely'
import { violation } from '../../../db/violations.ts'
import { newKid } from '../../../lib/ids.ts'
import { refuse } from '../../../refusal.ts'
import type { Actor } from '../../../actor.ts'
import { inheritedFrom, visible } from '../../store/app-offer/index.ts'
import { change, changed, originOf } from './library.ts'
import type { Db } from './library.ts'

type Calls = Contract['appCenter']['calls']

/** The account's own, and those of whom it inherits apps from. */
export async function listCategories(actor: Actor): Promise<AppCategory[]> {
  const owners = [actor.account_kid, ...(await inheritedFrom(actor))]
  const is_seen = await visible(actor)
  const rows = await actor.deps.db
    .selectFrom('app_category')
    .select((eb) => [
      'app_category.kid',
      'app_category.parent_kid',
      'app_category.name',
      'app_category.account_kid',
      eb
        .selectFrom('app')
        .select(sql<number>`count(*)::int`.as('n'))
        .whereRef('app.category_kid', '=', 'app_category.kid')
        .where(is_seen)
        .as('app_count'),
    ])
    .where('app_category.account_kid', '=', sql<string>`any(${owners}::uuid[])`)
    .orderBy(sql`parent_kid is not null`)
    .orderBy(sql`lower(name)`)
    .orderBy('app_category.kid')
    .execute()
  return rows.map(({ account_kid, app_count, ...row }) => ({
    ...row,
    app_count: app_count ?? 0,
    origin: originOf(actor, { account_kid }),
  }))
}

/** With those below it; empty for one that is not there. */
export async function kidsWithin(actor: Actor, kid: string): Promise<string[]> {
  const all = await listCategories(actor)
  return all.flatMap((each) => (each.kid === kid || each.parent_kid === kid ? [each.kid] : []))
}

export async function assertCategory(trx: Db, actor: Actor, kid: string | null | undefined): Promise<void> {
  if (!kid) return
  const owners = [actor.account_kid, ...(await ownersAbove(trx, actor))]
  const found = await trx
    .selectFrom('app_category')
    .select('kid')
    .where('kid', '=', kid)
    .where('account_kid', '=', sql<string>`any(${owners}::uuid[])`)
    .executeTakeFirst()
  if (!found) refuse('app_category_unknown')
}
/** Within a transaction: the embedded database has one connection. */
const ownersAbove = (trx: Db, actor: Actor) => inheritedFrom({ ...actor, deps: { ...actor.deps, db: trx } })

const unlessTaken = <T>(run: () => Promise<T>): Promise<T> => violation(run, { app_category_name: 'duplicate_name' })

export async function insertCategory(actor: Actor, { name, parent_kid }: In<Calls['insert_category']>) {
  const { account_kid, deps } = actor
  const kid = newKid()
  await unlessTaken(() =>
    change(actor, async (trx) => {
      const own = trx.selectFrom('app_category').where('account_kid', '=', account_kid)
      if (parent_kid !== null) {
        const parent = await own.select('parent_kid').where('kid', '=', parent_kid).executeTakeFirst()
        if (!parent) return refuse('app_category_unknown')
        if (parent.parent_kid !== null) return refuse('app_category_level')
      }
      const beside = await own
        .select(sql<number>`count(*)::int`.as('n'))
        .where('parent_kid', parent_kid === null ? 'is' : '=', parent_kid)
        .executeTakeFirstOrThrow()
      if (beside.n >= appLimits.categories) return refuse('app_category_limit', { max: appLimits.categories })
      const values = { kid, account_kid, parent_kid, name, created_at: deps.clock.now() }
      await trx.insertInto('app_category').values(values).execute()
    }),
  )
  changed(actor)
  return { kid, name }
}

export async function renameCategory(actor: Actor, { kid, name }: In<Calls['update_category']>) {
  const row = await unlessTaken(() =>
    actor.scope.updateTable('app_category').set({ name }).where('kid', '=', kid).returning('kid').executeTakeFirst(),
  )
  if (!row) refuse('not_found')
  changed(actor)
}

/** Its apps have no category then. */
export async function removeCategory(actor: Actor, kid: string): Promise<string> {
  const name = await change(actor, async (trx) => {
    const below = await trx.selectFrom('app_category').select('kid').where('parent_kid', '=', kid).executeTakeFirst()
    const gone = await trx
      .selectFrom('app_category')
      .select('name')
      .where('kid', '=', kid)
      .where('account_kid', '=', actor.account_kid)
      .executeTakeFirst()
    if (!gone) return refuse('not_found')
    if (below) return refuse('app_category_has_children')
    await trx.deleteFrom('app_category').where('kid', '=', kid).execute()
    return gone.name
  })
  changed(actor)
  return name
}
