import type { Selectable } from 'kysely'
import type { Tables } from '../db/schema/tables.ts'
import type { Deps } from '../deps.ts'
import { uploadBytes } from './upload-bytes.ts'

type Row = Selectable<Tables['upload']>
export const uploadKidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const day_ms = 86_400_000
/** An upload that nobody finished: it can be gone on with until then. */
const unfinished_ms = 2 * day_ms
/** One that came whole and nobody kept. */
const unkept_ms = 60 * 60_000
const claimed_ms = 2 * day_ms

/** Removes the bytes of an upload whose row is gone. They may have moved on without the row being told. */
export async function dropBytes(deps: Deps, row: Pick<Row, 'kid' | 'object' | 'multipart'>): Promise<void> {
  await uploadBytes(deps).drop(row)
  await deps.objects.delete(row.object ?? row.kid)
}

/**
 * Removes uploads that were never finished or never kept, and bytes that no row knows. For a
 * timer; each run removes at most 500. Returns how many rows went.
 */
export async function purgeUploads(deps: Deps): Promise<number> {
  const now = deps.clock.now().getTime()
  const rows = await deps.db
    .selectFrom('upload')
    .selectAll()
    .where((eb) =>
      eb.or([
        eb.and([eb('finished_at', 'is', null), eb('created_at', '<', new Date(now - unfinished_ms))]),
        eb.and([eb('claimed_at', 'is', null), eb('finished_at', '<', new Date(now - unkept_ms))]),
        eb('claimed_at', '<', new Date(now - claimed_ms)),
      ]),
    )
    .limit(500)
    .execute()
  for (const row of rows) {
    // Somebody may keep it at this moment: the bytes are theirs then.
    const gone = await deps.db
      .deleteFrom('upload')
      .where('kid', '=', row.kid)
      .$if(!row.claimed_at, (q) => q.where('claimed_at', 'is', null))
      .returning('kid')
      .executeTakeFirst()
    if (gone && !row.claimed_at) await dropBytes(deps, row)
  }
  await uploadBytes(deps).sweep()
  return rows.length
}
