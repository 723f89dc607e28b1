import type { Kysely } from 'kysely'
import type { Tables } from '../../../db/schema/tables.ts'
import type { Deps } from '../../../deps.ts'
import { refuse } from '../../../refusal.ts'
import { held, taken } from './here.ts'
import type { Held } from './here.ts'

type Db = Kysely<Tables>
export type ActivationRefusal = 'activation_missing' | 'activation_expired'

/** Why nothing may be added; undefined while the activation holds or none is needed. Nothing that is there ends with it. */
const refusalOf = ({ state }: Held): ActivationRefusal | undefined => {
  if (state === 'missing' || state === 'foreign_machine') return 'activation_missing'
  return state === 'expired' || state === 'eliminated' ? 'activation_expired' : undefined
}

/**
 * How many devices this server may still take up, of all customers together, and what to say when that is none. With `is_locked`
 * nobody else takes of it until the transaction ends.
 */
export async function roomForDevices(
  deps: Deps,
  db: Db,
  options: { is_locked?: boolean } = {},
): Promise<{ left: number; refusal: ActivationRefusal | 'registered_devices_exceed_limit' }> {
  const found = await held(deps, db, options)
  const refusal = refusalOf(found)
  if (refusal) return { left: 0, refusal }
  const left = found.payload ? found.payload.max_devices - (await taken(db)).devices : Infinity
  return { left: Math.max(0, left), refusal: 'registered_devices_exceed_limit' }
}

/** Refused when this server may have no more customers. Others wait until the transaction ends. */
export async function assertRoomForCustomer(deps: Deps, trx: Db): Promise<void> {
  const found = await held(deps, trx, { is_locked: true })
  const refusal = refusalOf(found)
  if (refusal) refuse(refusal)
  if (found.payload && (await taken(trx)).accounts >= found.payload.max_accounts)
    refuse('registered_users_exceed_limit')
}
