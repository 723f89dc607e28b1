import { constants } from '@mdm/contract'

const day_ms = 86_400_000
export const isUnlimited = (max: number): boolean => max >= constants.unlimited_devices

/** Used part of what there is; of nothing, anything is all. */
export const partOf = (used: number, max: number): number => (max > 0 ? used / max : used > 0 ? 1 : 0)

/** Section 4: orange from 30 days before the end, red from 3 days before, and after it. */
export function expiryTone(expire_time: string | null, now: number): 'bad' | 'warn' | undefined {
  if (!expire_time) return undefined
  const days = (Date.parse(expire_time) - now) / day_ms
  if (days <= constants.expiry_red_days) return 'bad'
  return days <= constants.expiry_orange_days ? 'warn' : undefined
}

/** Section 4: days until the end, rounded up as everywhere; whole days since it are negative. */
export const daysLeft = (expire_time: string, now: number): number =>
  Math.ceil((Date.parse(expire_time) - now) / day_ms)

type State = { state: 'normal' | 'init' | 'invalid'; expire_time: string | null }
export type ShownState = State['state'] | 'expired'
/** The end of an account is the better word for what is wrong with it. */
export const shownState = ({ state, expire_time }: State, now: number): ShownState =>
  expire_time !== null && Date.parse(expire_time) <= now ? 'expired' : state
