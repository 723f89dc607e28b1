import { constants } from 'node:fs'
import { lstat, mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join, posix } from 'node:path'
import { limits } from '@mdm/device-link'
import type { FileEntry } from '@mdm/device-link'
import { TaskFailure } from './body.ts'
import type { Files } from './body.ts'
import { folderInJail, placeIn, refuse } from './jail.ts'

/** What a JSON text cannot say plainly is left out: nobody could name it in a request either. */
const sayable = (name: string): boolean => !/[\p{Cc}\p{Cs}\uFFFD]/u.test(name)

async function entryOf(folder: string, name: string): Promise<FileEntry | undefined> {
  // Gone since the folder was read.
  const found = await lstat(join(folder, name)).catch(() => undefined)
  if (!found) return undefined
  const type = found.isDirectory() ? 'folder' : found.isFile() ? 'file' : 'other'
  return { name, type, ...(type === 'file' ? { size: found.size } : {}), modified_at: found.mtime.toISOString() }
}

/** The parent, which has to be there, and the path itself, whatever it is. The root has no parent here. */
async function within(root: string, path: string) {
  const name = posix.basename(path)
  if (name === '') throw refuse(path)
  const folder = await folderInJail(root, posix.dirname(path), false)
  const place = placeIn(folder, name, path)
  return { place, found: await lstat(place).catch(() => undefined) }
}
const missing = (path: string) => new TaskFailure('not_found', `There is no ${path}`)
const taken = (path: string) => new TaskFailure('exists', `${path} is there already`)

/** The files below `root` as a device's own, and nothing above or beside it. */
export const filesInJail = (root: string): Files => ({
  async list(path, after) {
    const folder = await folderInJail(root, path, false)
    const names = (await readdir(folder)).filter(sayable).toSorted()
    const rest = after === undefined ? names : names.filter((name) => name > after)
    const part = rest.slice(0, limits.folder_entries)
    const entries = await Promise.all(part.map((name) => entryOf(folder, name)))
    return { items: entries.filter((entry) => entry !== undefined), has_more: part.length < rest.length }
  },
  async make_folder(path) {
    const { place, found } = await within(root, path)
    if (found) throw taken(path)
    await mkdir(place)
  },
  async rename(path, name) {
    const { place, found } = await within(root, path)
    if (!found) throw missing(path)
    const to = placeIn(dirname(place), name, name)
    if (to === place) return
    if (await lstat(to).catch(() => undefined)) throw taken(name)
    await rename(place, to)
  },
  async remove(path) {
    const { place, found } = await within(root, path)
    if (!found) throw missing(path)
    // A link goes, not what it leads to.
    await rm(place, { recursive: found.isDirectory() })
  },
  async read(path) {
    const { place, found } = await within(root, path)
    if (!found) throw missing(path)
    if (!found.isFile()) throw refuse(path)
    return {
      size: found.size,
      modified_at: found.mtime,
      async *open({ from, length } = { from: 0, length: found.size }) {
        const file = await open(place, constants.O_RDONLY | constants.O_NOFOLLOW)
        try {
          // A file that grows meanwhile is sent as long as it was said to be.
          const end = Math.min(found.size, from + length) - 1
          if (end >= from)
            yield* file.createReadStream({ autoClose: false, start: from, end, highWaterMark: 256 * 1024 })
        } catch (error) {
          throw new Error(`${basename(place)} could not be read`, { cause: error })
        } finally {
          await file.close()
        }
      },
    }
  },
})
