import type { Kysely } from 'kysely'
import type { Tables } from '../../../db/schema/tables.ts'
import { quotaOf } from '../../people/quota/index.ts'
import { lockAccount } from '../../../db/lock-account.ts'
import type { Deps } from '../../../deps.ts'
import { roomForDevices } from '../../people/activation/index.ts'
import type { ActivationRefusal } from '../../people/activation/index.ts'

type Db = Kysely<Tables>
export type QuotaRefusal = 'account_device_limit' | 'registered_devices_exceed_limit' | ActivationRefusal

/** How many devices more there is room for, and what to say when that is none. */
type Room = { left: number; refusal: QuotaRefusal }

/**
 * Locks the account (and the root it draws on, first) until the transaction ends; the refusal when it has no room for
 * one more device. Registrations of one customer pass here one after another, so the last slot goes to one; where the whole
 * server is limited by its activation, those of all customers do.
 */
export async function takeSlot(deps: Deps, trx: Db, account_kid: string): Promise<QuotaRefusal | undefined> {
  const { left, refusal } = await takeRoom(deps, trx, account_kid)
  return left > 0 ? undefined : refusal
}

/** The same for many: nobody else takes of what is left until the transaction ends. */
export async function takeRoom(deps: Deps, trx: Db, account_kid: string): Promise<Room> {
  const { type, parent_kid } = await trx
    .selectFrom('account')
    .select(['type', 'parent_kid'])
    .where('kid', '=', account_kid)
    .executeTakeFirstOrThrow()
  if (type === 2 && parent_kid !== null) await lockAccount(trx, parent_kid)
  await lockAccount(trx, account_kid)
  return roomOf(deps, trx, account_kid, true)
}

/** Whether another device fits right now, else why not; only `takeSlot` holds the place. */
export async function whyFull(deps: Deps, account_kid: string): Promise<QuotaRefusal | undefined> {
  const { left, refusal } = await seeRoom(deps, account_kid)
  return left > 0 ? undefined : refusal
}

export const seeRoom = (deps: Deps, account_kid: string): Promise<Room> => roomOf(deps, deps.db, account_kid, false)

async function roomOf(deps: Deps, db: Db, account_kid: string, is_locked: boolean): Promise<Room> {
  const server = await roomForDevices(deps, db, { is_locked })
  if (server.left === 0) return server
  const { remaining, is_own_limit } = await quotaOf(db, account_kid)
  if (server.left < remaining) return server
  return { left: remaining, refusal: is_own_limit ? 'account_device_limit' : 'registered_devices_exceed_limit' }
}
