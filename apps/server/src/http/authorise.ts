import { holds, opens } from '@mdm/contract'
import type { Call } from '@mdm/contract'
import { Refusal } from '../refusal.ts'
import type { SignedIn } from './context.ts'

/**
 * The catalogue's own checks; rows of other tenants are kept out by the scope, not here. The provider is no tenant
 * (decisions, Accounts): its people reach what belongs to one by entering it.
 */
export function authorise(call: Call, session: SignedIn | undefined): void {
  if (call.needs === 'public') return
  if (!session) throw new Refusal('unauthorized')
  if (call.scope === 'ops' && session.account_type !== 101) throw new Refusal('no_permission')
  if (call.scope === 'tenant' && !session.is_tenant) throw new Refusal('no_permission')
  if (call.is_personal && session.is_api_token) throw new Refusal('no_permission')
  if (!opens(call, session.permissions)) throw new Refusal('no_permission')
}

/** A user who is limited to device groups changes nothing of the whole account. */
export function assertWithin(call: Call, session: SignedIn | undefined): void {
  if (call.limited === 'refused' && session?.group_kids) throw new Refusal('no_permission')
}

export function assertHolds(session: SignedIn | undefined, permission: string): void {
  if (!session || !holds(session.permissions, permission)) throw new Refusal('no_permission')
}
