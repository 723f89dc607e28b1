import type { Kysely } from 'kysely'
import type { Tables } from '../../../db/schema/tables.ts'

/** The natural week, Monday to Sunday, in which a moment falls for people of a zone: 2026-W03 (ISO 8601). */
export function weekOf(at: Date, zone: string): string {
  const parts = new Intl.DateTimeFormat('en-CA', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' })
  const [year, month, day] = parts.format(at).split('-').map(Number) as [number, number, number]
  const date = new Date(Date.UTC(year, month - 1, day))
  // The week belongs to the year in which its Thursday is.
  date.setUTCDate(date.getUTCDate() + 3 - ((date.getUTCDay() + 6) % 7))
  const thursday = date.getTime()
  const first = Date.UTC(date.getUTCFullYear(), 0, 1)
  const week = Math.floor((thursday - first) / (7 * 86_400_000)) + 1
  return `${date.getUTCFullYear()}-W${String(week).padStart(2, '0')}`
}

/** The zone of an account is its root's. */
export async function zoneOfAccount(db: Kysely<Tables>, account_kid: string): Promise<string> {
  const root = await db
    .selectFrom('user_account')
    .select('zone_id')
    .where('account_kid', '=', account_kid)
    .where('type', 'in', [1, 2])
    .orderBy('created_at')
    .limit(1)
    .executeTakeFirst()
  return root?.zone_id ?? 'UTC'
}

export const weekOfAccount = async (db: Kysely<Tables>, account_kid: string, at: Date): Promise<string> =>
  weekOf(at, await zoneOfAccount(db, account_kid))

const mark = 'MDM-WEEK'
/** What the provider's sheets bear above their header. */
export const weekStamp = (week: string): string => `${mark} ${week}`
export const stampedWeek = (cell: string): string | undefined => /^MDM-WEEK (\d{4}-W\d{2})$/.exec(cell)?.[1]
