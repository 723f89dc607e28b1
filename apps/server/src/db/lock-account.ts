import type { Kysely } from 'kysely'
import type { Tables } from './schema/tables.ts'

/**
 * Changes of one account's groups and of what is in them happen one after another, so that no two of them together
 * make a cycle, exceed a quota or deadlock over counters; so does whatever is counted before it is added to. References
 * to the account stay possible meanwhile.
 */
export const lockAccount = (trx: Kysely<Tables>, account_kid: string) =>
  trx.selectFrom('account').selectAll().where('kid', '=', account_kid).forNoKeyUpdate().executeTakeFirstOrThrow()
