import { customFieldLimits } from '@mdm/contract'
import type { Contract, CustomField, In } from '@mdm/contract'
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Actor } from '../../../actor.ts'
import { retrying } from '../../../db/retrying.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import { violation } from '../../../db/violations.ts'
import { refuse } from '../../../refusal.ts'
import { newKid } from '../../../lib/ids.ts'
import { lockAccount } from '../../../db/lock-account.ts'

type Calls = Contract['customField']['calls']
type Db = Kysely<Tables>
const columns = ['kid', 'name', 'kind', 'choices'] as const

export const list = (scope: Db): Promise<CustomField[]> =>
  scope.selectFrom('custom_field').select(columns).orderBy('sort').orderBy('kid').execute()

/**
 * One change at a time per account, so that neither the limit nor the order is missed. A field is the account's: a user
 * limited to groups changes it, and takes it off, for every device.
 */
async function change<T>({ deps, account_kid }: Actor, run: (trx: Db) => Promise<T>): Promise<T> {
  const done = await violation(
    () =>
      retrying(() =>
        deps
          .scope(account_kid)
          .transaction()
          .execute(async (trx) => {
            await lockAccount(trx, account_kid)
            return run(trx)
          }),
      ),
    { custom_field_name: 'duplicate_name' },
  )
  deps.live.publish(account_kid, { type: 'terminal_list_changed' })
  return done
}

export const insert = (actor: Actor, draft: In<Calls['insert']>): Promise<CustomField> =>
  change(actor, async (trx) => {
    const present = await trx.selectFrom('custom_field').select('sort').orderBy('sort').execute()
    const max = customFieldLimits.fields
    if (present.length >= max) refuse('custom_field_limit', { max })
    return trx
      .insertInto('custom_field')
      .values({
        ...draft,
        kid: newKid(),
        account_kid: actor.account_kid,
        sort: (present.at(-1)?.sort ?? -1) + 1,
        created_at: actor.deps.clock.now(),
      })
      .returning(columns)
      .executeTakeFirstOrThrow()
  })

/** The values that devices have are of the kind that the field had when they got them, so it never changes. */
export const update = (actor: Actor, { kid, ...draft }: In<Calls['update']>): Promise<CustomField> =>
  change(actor, async (trx) => {
    const field = await trx.selectFrom('custom_field').select('kind').where('kid', '=', kid).executeTakeFirst()
    if (!field) return refuse('not_found')
    if (field.kind !== draft.kind) refuse('custom_field_kind_fixed')
    const { name, choices } = draft
    return trx
      .updateTable('custom_field')
      .set({ name, choices })
      .where('kid', '=', kid)
      .returning(columns)
      .executeTakeFirstOrThrow()
  })

export const move = (actor: Actor, { kid, position }: In<Calls['move']>): Promise<CustomField[]> =>
  change(actor, async (trx) => {
    const fields = await list(trx)
    const moved = fields.find((field) => field.kid === kid) ?? refuse('not_found')
    const order = fields.filter((field) => field !== moved).toSpliced(position, 0, moved)
    for (const [sort, field] of order.entries())
      await trx.updateTable('custom_field').set({ sort }).where('kid', '=', field.kid).execute()
    return order
  })

/** The field goes, and what devices have in it. */
export const remove = (actor: Actor, kid: string): Promise<{ name: string }> =>
  change(actor, async (trx) => {
    const gone = await trx.deleteFrom('custom_field').where('kid', '=', kid).returning('name').executeTakeFirst()
    if (!gone) return refuse('not_found')
    await trx
      .updateTable('terminal')
      .set({ fields: sql`terminal.fields - ${kid}::text` })
      .where(sql<boolean>`terminal.fields ? ${kid}::text`)
      .execute()
    return gone
  })
