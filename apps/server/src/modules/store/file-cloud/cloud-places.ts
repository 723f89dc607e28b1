import { constants } from '@mdm/contract'
import { sql } from 'kysely'
import type { Db } from './space.ts'

type Folder = { kid: string; parent_kid: string | null; name: string; device_path: string | null }
export type Folders = ReadonlyMap<string, Folder>

/** These folders and those that they are in, up to the top. */
export async function foldersAbove(db: Db, kids: readonly (string | null)[]): Promise<Folders> {
  const wanted = [...new Set(kids.filter((kid) => kid !== null))]
  if (wanted.length === 0) return new Map()
  const { rows } = await sql<Folder>`
    WITH RECURSIVE above AS (
      SELECT kid, parent_kid, name, device_path FROM file_cloud WHERE kid = ANY(${wanted}::uuid[])
      UNION SELECT f.kid, f.parent_kid, f.name, f.device_path FROM file_cloud f JOIN above ON f.kid = above.parent_kid
    ) SELECT * FROM above`.execute(db)
  return new Map(rows.map((row) => [row.kid, row]))
}

/** The folders that something is in, outermost first. */
export function chainOf(folders: Folders, parent_kid: string | null): Folder[] {
  const chain: Folder[] = []
  for (let kid = parent_kid; kid !== null;) {
    const folder: Folder | undefined = folders.get(kid)
    if (!folder) break
    chain.unshift(folder)
    kid = folder.parent_kid
  }
  return chain
}

/** Where on a device what is in the last of these folders belongs: below the nearest one that has a place of its own. */
export function devicePlace(chain: readonly Pick<Folder, 'name' | 'device_path'>[]): string {
  let place: string = constants.device_storage_root
  for (const { name, device_path } of chain) place = device_path ?? `${place.replace(/\/+$/, '')}/${name}`
  return place
}
