import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import { lockAccount } from '../terminal-group/service.ts'

type Db = Kysely<Tables>
export type QuotaRefusal = 'account_device_limit' | 'registered_devices_exceed_limit'
type Counted = { kid: string; terminal_max: number; terminal_count: number }

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
export const takeRoom = (trx: Db, account_kid: string): Promise<Room> =>
  roomOf(trx, account_kid, (kid) => lockAccount(trx, kid))

/** Whether another device fits right now; only `takeSlot` holds the place. */
export const hasRoom = async (db: Db, account_kid: string): Promise<boolean> =>
  (await seeRoom(db, account_kid)).left > 0

export const seeRoom = (db: Db, account_kid: string): Promise<Room> =>
  roomOf(db, account_kid, (kid) =>
    db.selectFrom('account').selectAll().where('kid', '=', kid).executeTakeFirstOrThrow(),
  )

async function roomOf(db: Db, account_kid: string, read: (kid: string) => Promise<Counted>): Promise<Room> {
  const root_kid = await rootOf(db, account_kid)
  const root = await read(root_kid)
  const own = root_kid === account_kid ? root : await read(account_kid)
  return room(db, own, root)
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
async function room(db: Db, own: Counted, root: Counted): Promise<Room> {
  const own_left = own.terminal_max - own.terminal_count
  if (own_left <= 0) return { left: 0, refusal: 'account_device_limit' }
  const { n } = await db
    .selectFrom('account')
    .select(sql<number>`coalesce(sum(terminal_count), 0)::bigint`.as('n'))
    .where('parent_kid', '=', root.kid)
    .executeTakeFirstOrThrow()
  const root_left = root.terminal_max - root.terminal_count - n
  const is_own = own_left <= root_left || own.kid === root.kid
  return {
    left: Math.max(0, Math.min(own_left, root_left)),
    refusal: is_own ? 'account_device_limit' : 'registered_devices_exceed_limit',
  }
}
