import { constants } from '@mdm/contract'
import type { DeviceFile } from '@mdm/contract'
import { sql } from 'kysely'
import type { Actor } from '../../../actor.ts'
import type { Deps } from '../../../deps.ts'
import { refuse } from '../../../refusal.ts'

/** One answer of a device: all its apps, or the part of a folder that follows `after` ('' for the first). */
export type Which = { terminal_kid: string; kind: 'apps' | 'folder'; path: string; after: string }
type Said<T> = { items: T[]; next: string | null }

/** Answers of one device that are kept, the newest; a person looks at fewer folders. */
const kept_per_device = 200
const kept_ms = constants.device_file_cache_days * 86_400_000

/** Keeps what a device has just said, for when it is offline. */
export async function keepReport(
  { db, clock }: Deps,
  { terminal_kid, kind, path, after }: Which,
  { items, next }: Said<unknown>,
): Promise<void> {
  // A part begins where the one before ended, so parts of an older report would repeat or leave out entries.
  if (after === '') await db.deleteFrom('device_listing').where(ofPath({ terminal_kid, kind, path })).execute()
  await sql`
    INSERT INTO device_listing (terminal_kid, account_kid, kind, path, after, items, next, reported_at)
    SELECT kid, account_kid, ${kind}, ${path}, ${after}, ${JSON.stringify(items)}::jsonb, ${next}, ${clock.now()}
    FROM terminal WHERE kid = ${terminal_kid}
    ON CONFLICT (terminal_kid, kind, path, after)
    DO UPDATE SET items = excluded.items, next = excluded.next, reported_at = excluded.reported_at
  `.execute(db)
  await sql`
    DELETE FROM device_listing WHERE terminal_kid = ${terminal_kid} AND kind = 'folder' AND reported_at < (
      SELECT reported_at FROM device_listing WHERE terminal_kid = ${terminal_kid} AND kind = 'folder'
      ORDER BY reported_at DESC OFFSET ${kept_per_device - 1} LIMIT 1)
  `.execute(db)
}

/** What the device last said, at most 30 days ago; refused as `device_not_online` when that is nothing. */
export async function lastReport<T = DeviceFile>({ deps, scope }: Actor, which: Which) {
  const { after } = which
  const row = await scope
    .selectFrom('device_listing')
    .select(['items', 'next', 'reported_at'])
    .where(ofPath(which))
    .where('after', '=', after)
    .where('reported_at', '>=', new Date(deps.clock.now().getTime() - kept_ms))
    .executeTakeFirst()
  // The JSON is as keepReport wrote it.
  return row ? { ...row, items: row.items as unknown as T[] } : refuse('device_not_online')
}

const ofPath = ({ terminal_kid, kind, path }: Omit<Which, 'after'>) =>
  sql<boolean>`device_listing.terminal_kid = ${terminal_kid} AND kind = ${kind} AND path = ${path}`

export const dropOldReports = ({ db, clock }: Deps): Promise<unknown> =>
  db
    .deleteFrom('device_listing')
    .where('reported_at', '<', new Date(clock.now().getTime() - kept_ms))
    .execute()
