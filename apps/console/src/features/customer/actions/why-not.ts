import type { CustomerRow } from '@mdm/contract'
import type { ShownState } from '../../../shared/accounts/quota.ts'

/** Disabled or ended, itself or what is above it: the end is the better word where it is one. */
export const stateOf = ({ state, is_expired }: Pick<CustomerRow, 'state' | 'is_expired'>): ShownState =>
  is_expired ? 'expired' : state

export type WhyNot = 'invalid' | 'expired' | 'other'
/** Why a customer cannot be entered now; undefined when it can. The server decides, this names the reason. */
export function whyNot(row: CustomerRow): WhyNot | undefined {
  if (row.can.includes('enter')) return undefined
  const state = stateOf(row)
  return state === 'invalid' || state === 'expired' ? state : 'other'
}
