import type { Deps } from '../../../../deps.ts'
import { keyedDigest } from '../../../../lib/sealed.ts'
import { codeOf, typedCode } from '../codes.ts'

const length = 10
/** As it is compared: without the hyphen. */
const pattern = new RegExp(`^(\\d{4})W(\\d\\d)[A-Z2-9]{${length}}$`)

/** For which account a code is looked at, and in which week of its people, as 2026-W03. */
export type Week = { account_kid: string; week: string }
type Announced = { sn: string; registration_code: string }

/**
 * What the provider's sheets have in the place of a registration code: it registers this device into this account in
 * this week and is worth nothing anywhere else. The week is part of what is signed, so it cannot be cut out of a sheet.
 */
export async function sheetCode(deps: Deps, { account_kid, week }: Week, { sn, registration_code }: Announced) {
  const digest = await keyedDigest(deps, JSON.stringify(['sheet_code', account_kid, week, sn, registration_code]))
  return `${week.replace('-', '')}-${codeOf(Buffer.from(digest, 'hex').subarray(0, length))}`
}

/** The week in which a code of such a sheet may be used; undefined for every other code. */
export function weekOfSheetCode(typed: string): string | undefined {
  const [, year, week] = pattern.exec(typedCode(typed)) ?? []
  return year && `${year}-W${week}`
}
