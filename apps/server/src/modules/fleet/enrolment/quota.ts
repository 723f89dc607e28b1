import type { Kysely } from 'kysely'
import type { Tables } from '../../../db/schema/tables.ts'
import { quotaOf } from '../../people/quota/index.ts'
import { lockAccount } from '../../../db/lock-account.ts'

type Db = Kysely<Tables>
export type QuotaRefusal = 'account_device_limit' | 'registered_devices_exceed_limit'

/** How many devices more there is room for, and what to say when that is none. */
type Room = { left: number; refusal: QuotaRefusal }

/**
 * Locks the account (and the root it draws on, first) until the transaction ends; the refusal when it has no room for
 * one more device. Registrations of one customer pass here one after another, so the last slot goes to one.
 */
export async function takeSlot(trx: Db, account_kid: string): Promise<QuotaRefusal | undefined> {
  const { left, refusal } = await takeRoom(trx, account_kid)
  return left > 0 ? undefined : refusal
}

/** The same for many: nobody else takes of what is left until the transaction ends. */
export async function takeRoom(trx: Db, account_kid: string): Promise<Room> {
  const { type, parent_kid } = await trx
    .selectFrom('account')
    .select(['type', 'parent_kid'])
    .where('kid', '=', account_kid)
    .executeTakeFirstOrThrow()
  if (type === 2 && parent_kid !== null) await lockAccount(trx, parent_kid)
  await lockAccount(trx, account_kid)
  return seeRoom(trx, account_kid)
}

/** Whether another device fits right now; only `takeSlot` holds the place. */
export const hasRoom = async (db: Db, account_kid: string): Promise<boolean> =>
  (await seeRoom(db, account_kid)).left > 0

export async function seeRoom(db: Db, account_kid: string): Promise<Room> {
  const { remaining, is_own_limit } = await quotaOf(db, account_kid)
  return { left: remaining, refusal: is_own_limit ? 'account_device_limit' : 'registered_devices_exceed_limit' }
}
