import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import { lockAccount } from '../terminal-group/service.ts'

type Db = Kysely<Tables>
export type QuotaRefusal = 'account_device_limit' | 'registered_devices_exceed_limit'
type Counted = { kid: string; terminal_max: number; terminal_count: number }

/**
 * Locks the account (and the root it draws on, first) until the transaction ends; the refusal when it has no room for
 * one more device. Registrations of one customer pass here one after another, so the last slot goes to one.
 */
export async function takeSlot(trx: Db, account_kid: string): Promise<QuotaRefusal | undefined> {
  const root_kid = await rootOf(trx, account_kid)
  const root = await lockAccount(trx, root_kid)
  const own = root_kid === account_kid ? root : await lockAccount(trx, account_kid)
  return fullness(trx, own, root)
}

/** Whether another device fits right now; only `takeSlot` holds the place. */
export async function hasRoom(db: Db, account_kid: string): Promise<boolean> {
  const root_kid = await rootOf(db, account_kid)
  const read = (kid: string) => db.selectFrom('account').selectAll().where('kid', '=', kid).executeTakeFirstOrThrow()
  const root = await read(root_kid)
  const own = root_kid === account_kid ? root : await read(account_kid)
  return (await fullness(db, own, root)) === undefined
}

async function rootOf(db: Db, account_kid: string): Promise<string> {
  const { type, parent_kid } = await db
    .selectFrom('account')
    .select(['type', 'parent_kid'])
    .where('kid', '=', account_kid)
    .executeTakeFirstOrThrow()
  return type === 2 && parent_kid !== null ? parent_kid : account_kid
}

/** Sub-accounts draw on the root: its own devices and all of theirs together stay within its maximum. */
async function fullness(db: Db, own: Counted, root: Counted): Promise<QuotaRefusal | undefined> {
  if (own.terminal_count >= own.terminal_max) return 'account_device_limit'
  const { n } = await db
    .selectFrom('account')
    .select(sql<number>`coalesce(sum(terminal_count), 0)::bigint`.as('n'))
    .where('parent_kid', '=', root.kid)
    .executeTakeFirstOrThrow()
  if (root.terminal_count + n < root.terminal_max) return undefined
  return own.kid === root.kid ? 'account_device_limit' : 'registered_devices_exceed_limit'
}
