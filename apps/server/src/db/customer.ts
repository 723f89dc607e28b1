import { sql } from 'kysely'
import type { Kysely, RawBuilder } from 'kysely'
import type { Tables } from './schema/tables.ts'

/** Of an account (by its alias in a statement), the customer that it is or is a sub-account of. */
export const customerOf = (alias: string): RawBuilder<string> => {
  const of = (column: string) => sql.ref(`${alias}.${column}`)
  return sql<string>`CASE WHEN ${of('type')} = 2 THEN COALESCE(${of('parent_kid')}, ${of('kid')}) ELSE ${of('kid')} END`
}

/** Whom an account counts for, where a customer and all its sub-accounts may do so much together and no more. */
export async function customerOfAccount(db: Kysely<Tables>, account_kid: string): Promise<string> {
  const { customer } = await db
    .selectFrom('account')
    .select(customerOf('account').as('customer'))
    .where('kid', '=', account_kid)
    .executeTakeFirstOrThrow()
  return customer
}
