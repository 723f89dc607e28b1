import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { SettingsError } from '../config.ts'

/** In MDM_DATA, once `mdm move` has taken its database elsewhere. */
export const moved_name = 'moved.json'

/** Refuses to start on the embedded database of before. Throws SettingsError. */
export async function assertNotMoved(data: string): Promise<void> {
  const path = join(data, moved_name)
  const mark = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw new SettingsError([`${path} cannot be read (${error.code ?? error.message}).`])
  })
  if (mark === undefined) return
  const { to, at } = JSON.parse(mark) as { to: string; at: string }
  throw new SettingsError([
    `The database of MDM_DATA was moved to ${to} at ${at}: set DATABASE_URL. To start on what it was then, and lose what came since, remove ${path}.`,
  ])
}
