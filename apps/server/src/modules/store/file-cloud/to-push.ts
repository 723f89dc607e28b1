import { sql } from 'kysely'
import type { Actor } from '../../../actor.ts'
import { refuse } from '../../../refusal.ts'
import { ownersOf } from './space.ts'

/** A file of a push by value, so that a later change of the file changes no running push. */
export type PushedFile = {
  kid: string
  name: string
  /** Folders that it lies in from the one that was chosen on, joined by `/`; empty for a file that was chosen itself. */
  folder: string
  size: number
  md5: string
  sha256: string
  object: string
  content_type: string
}

/**
 * The files that were chosen, and those in the folders that were chosen, in that order, at most one more than `max`. What
 * lies in a chosen folder goes with it, also when it was chosen by itself. @throws `not_found`
 */
export async function filesToPush(
  actor: Actor,
  kids: readonly string[],
  max: number,
): Promise<{ files: PushedFile[]; names: string[] }> {
  const { db } = actor.deps
  const owners = await ownersOf(db, actor)
  const chosen = await db
    .selectFrom('file_cloud')
    .select(['kid', 'name', 'is_folder'])
    .where('kid', '=', sql<string>`any(${kids}::uuid[])`)
    .where('account_kid', '=', sql<string>`any(${owners}::uuid[])`)
    .execute()
  const names = kids.map((kid) => {
    const row = chosen.find((each) => each.kid === kid) ?? refuse('not_found')
    return row.is_folder ? `${row.name}/` : row.name
  })
  const { rows } = await sql<PushedFile & { at: number }>`
    WITH RECURSIVE below AS (
      SELECT kid, ''::text AS folder, name, is_folder, array_position(${kids}::uuid[], kid) AS at
        FROM file_cloud WHERE kid = ANY(${kids}::uuid[])
      UNION ALL
      SELECT f.kid, CASE below.folder WHEN '' THEN below.name ELSE below.folder || '/' || below.name END, f.name, f.is_folder, below.at
        FROM file_cloud f JOIN below ON f.parent_kid = below.kid WHERE below.is_folder
    ), once AS (
      SELECT DISTINCT ON (kid) kid, folder, at FROM below WHERE NOT is_folder ORDER BY kid, length(folder) DESC
    )
    SELECT f.kid, f.name, once.folder, once.at, f.size, f.md5, f.sha256, f.object, f.content_type
    FROM once JOIN file_cloud f ON f.kid = once.kid ORDER BY once.at, once.folder, f.name LIMIT ${max + 1}`.execute(db)
  return { files: rows.map(({ at: _at, ...row }) => row), names }
}
