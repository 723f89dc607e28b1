import { constants } from '@mdm/contract'

export type Expiry = { days: number; is_past: boolean; tone: 'red' | 'orange' }

/**
 * Section 4: days left are rounded up. At 3 or fewer red, past ones with their absolute value; at 30 or fewer
 * orange; otherwise nothing.
 */
export function expiryOf(expire_time: string | null, now: number): Expiry | undefined {
  if (!expire_time) return undefined
  const left_ms = Date.parse(expire_time) - now
  const days = Math.ceil(left_ms / 86_400_000)
  if (Number.isNaN(days) || days > constants.expiry_orange_days) return undefined
  return { days: Math.abs(days), is_past: left_ms <= 0, tone: days <= constants.expiry_red_days ? 'red' : 'orange' }
}
