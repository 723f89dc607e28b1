import { constants } from '@mdm/contract'
import type { CustomerRow } from '@mdm/contract'

const day_ms = 86_400_000
export const isUnlimited = (max: number): boolean => max >= constants.unlimited_devices

/** Section 4: orange from 30 days before the end, red from 3 days before, and after it. */
export function expiryTone(expire_time: string | null, now: number): 'bad' | 'warn' | undefined {
  if (!expire_time) return undefined
  const days = (Date.parse(expire_time) - now) / day_ms
  if (days <= constants.expiry_red_days) return 'bad'
  return days <= constants.expiry_orange_days ? 'warn' : undefined
}

/** Whole days until the end, or since it (negative). */
export const daysLeft = (expire_time: string, now: number): number =>
  Math.trunc((Date.parse(expire_time) - now) / day_ms)

export type WhyNot = 'init' | 'invalid' | 'expired' | 'other'
/** Why a customer cannot be entered now; undefined when it can. The server decides, this names the reason. */
export function whyNot(row: CustomerRow, now: number): WhyNot | undefined {
  if (row.can.includes('enter')) return undefined
  if (row.state !== 'normal') return row.state
  return row.expire_time && Date.parse(row.expire_time) <= now ? 'expired' : 'other'
}
