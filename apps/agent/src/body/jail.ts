import { constants, createReadStream } from 'node:fs'
import type { Hash } from 'node:crypto'
import { createHash, randomBytes } from 'node:crypto'
import { copyFile, lstat, mkdir, open, realpath, rename, rm, stat } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { dirname, join, posix, sep } from 'node:path'
import { TaskFailure } from './body.ts'
import type { FileToLand, Landing } from './body.ts'
import { isDiskFull, noSpace } from './failures.ts'
import { holdPart, roomIn, sweepParts } from './room.ts'
import type { StatFs } from './room.ts'

/** Names that no file may have (specification, 5), and those that mean a folder. */
const badName = /[\\/:*?"<>|\p{Cc}]/u
export const isGoodName = (name: string): boolean =>
  name !== '' && !badName.test(name) && !name.endsWith('.') && Buffer.byteLength(name) <= 255

export const refuse = (path: string): TaskFailure =>
  new TaskFailure('bad_path', `${path} is not a place for files on this device`)

/** The steps of a device path, from its root; what could climb or hide is refused. */
export function stepsOf(path: string): string[] {
  const steps = path.split('/').filter((step) => step !== '' && step !== '.')
  if (path.includes('\\') || path.includes('\0') || !steps.every(isGoodName)) throw refuse(path)
  return steps
}

/**
 * A device path as a folder below `root`. `/sdcard/Download` and `sdcard/Download` are the same folder there; anything
 * that climbs out, by `..` or through a symbolic link, is refused with `bad_path`. Folders that are missing are made, or
 * are `not_found`.
 */
export async function folderInJail(root: string, folder: string, is_made: boolean): Promise<string> {
  const steps = stepsOf(folder)
  await mkdir(root, { recursive: true })
  const jail = await realpath(root)
  let at = jail
  for (const step of steps) {
    at = join(at, step)
    const kind = await lstat(at).catch(() => undefined)
    if (kind?.isSymbolicLink() || (kind && !kind.isDirectory())) throw refuse(folder)
    if (!kind && !is_made) throw new TaskFailure('not_found', `There is no ${folder}`)
    if (!kind) await mkdir(at)
  }
  if ((await realpath(at)) !== at || !(at === jail || at.startsWith(jail === sep ? sep : jail + sep)))
    throw refuse(folder)
  return at
}

/** A name in a folder that `folderInJail` gave. */
export function placeIn(folder: string, name: string, shown: string): string {
  if (!isGoodName(name)) throw refuse(shown)
  return join(folder, name)
}

/** Where a file may be put: below `root`, with its folders made, and over nothing but another file. */
export async function placeInJail(root: string, folder: string, name: string): Promise<string> {
  const shown = posix.join(folder, name)
  if (!isGoodName(name)) throw refuse(shown)
  const place = placeIn(await folderInJail(root, folder, true), name, shown)
  const kind = await lstat(place).catch(() => undefined)
  if (kind && !kind.isFile()) throw refuse(shown)
  return place
}

/** Over the border of a file system it is copied first, so that nobody sees half a file. */
async function move(from: string, to: string): Promise<void> {
  try {
    await rename(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error
    const beside = `${to}.${randomBytes(4).toString('hex')}.part`
    try {
      await copyFile(from, beside, constants.COPYFILE_EXCL)
      await rename(beside, to)
    } catch (failure) {
      await rm(beside, { force: true })
      throw failure
    }
    await rm(from, { force: true })
  }
}

async function hashInto(path: string, hashes: Hash[]): Promise<void> {
  for await (const chunk of createReadStream(path, { highWaterMark: 1_048_576 }))
    for (const hash of hashes) hash.update(chunk as Buffer)
}

/** Removes a file of this digest; another one, a link or a folder stays. Says whether there was one. */
export async function removeInJail(root: string, path: string, sha256: string): Promise<boolean> {
  const folder = await folderInJail(root, posix.dirname(path), false).catch(() => undefined)
  if (folder === undefined) return false
  const place = placeIn(folder, posix.basename(path), path)
  const kind = await lstat(place).catch(() => undefined)
  if (!kind?.isFile()) return false
  const hash = createHash('sha256')
  await hashInto(place, [hash])
  if (hash.digest('hex') !== sha256) return false
  await rm(place, { force: true })
  return true
}

/** So many bytes are written between two looks at the room that is left. */
const look_bytes = 4 * 1_048_576

/** Where complete files go. */
export type Placing = {
  /** The path of a file, after its folders were made. Throws `bad_path`. */
  find(folder: string, name: string): Promise<string>
  /** Looked at again: the folders may have changed while the file was on its way. */
  put(file: { part: string; folder: string; name: string; sha256: string }): Promise<void>
}
export const placingInJail = (root: string): Placing => ({
  find: (folder, name) => placeInJail(root, folder, name),
  put: async ({ part, folder, name }) => move(part, await placeInJail(root, folder, name)),
})

/**
 * Bytes gather in `parts`, named by their digest, and are renamed into the jail when they are complete. Throws `no_space` where
 * there is no room for them, before the first and while they come; then nothing is left of them.
 */
export async function landFile(options: {
  placing: Placing
  parts: string
  file: FileToLand
  statfs?: StatFs | undefined
}): Promise<Landing> {
  const { file, parts, placing, statfs } = options
  const place = await placing.find(file.path, file.name)
  const shown = posix.join('/', file.path, file.name)
  await mkdir(parts, { recursive: true, mode: 0o700 })
  const key = createHash('sha256').update(`${file.sha256} ${place}`).digest('hex').slice(0, 16)
  const part = join(parts, `${key}.${file.size}.part`)
  const release = holdPart(part)
  let md5 = createHash('md5')
  let sha256 = createHash('sha256')
  const reset = () => {
    md5 = createHash('md5')
    sha256 = createHash('sha256')
  }
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW
  let handle: FileHandle | undefined
  let position = 0
  let is_placed = false

  const existing = await stat(place).catch(() => undefined)
  if (existing?.size === file.size) {
    // A file of others may not be read by the agent: then it is fetched again.
    await hashInto(place, [md5, sha256]).catch(reset)
    is_placed = sha256.copy().digest('hex') === file.sha256
    if (!is_placed) reset()
  }
  if (is_placed) position = file.size
  else {
    position = (await stat(part).catch(() => undefined))?.size ?? 0
    if (position > 0) await hashInto(part, [md5, sha256])
  }

  let looked_at = position
  const giveUp = async (room: number): Promise<never> => {
    const needed = file.size - position
    await handle?.close()
    handle = undefined
    await rm(part, { force: true })
    release()
    throw noSpace(file.name, needed, room)
  }
  if (!is_placed) {
    const needed = Math.max(0, file.size - position)
    const room = await sweepParts(parts, needed, statfs)
    if (room < needed) await giveUp(room)
    // Over the border of a file system it is copied there as a whole.
    const folder = dirname(place)
    // Where the agent may not even look, a full disk shows when the file is put there.
    const there = await stat(folder).catch(() => undefined)
    if (there && there.dev !== (await stat(parts)).dev) {
      const room_there = await roomIn(folder, statfs)
      if (room_there < file.size) await giveUp(room_there)
    }
  }

  return {
    get position() {
      return position
    },
    async write(chunk) {
      try {
        handle ??= await open(part, flags, 0o600)
        for (let at = 0; at < chunk.byteLength;)
          at += (await handle.write(chunk, at, chunk.byteLength - at, position + at)).bytesWritten
      } catch (error) {
        if (isDiskFull(error)) await giveUp(0)
        throw error
      }
      // Others write too, and another download may take the same room.
      if (position + chunk.byteLength - looked_at >= look_bytes) {
        looked_at = position + chunk.byteLength
        const room = await roomIn(parts, statfs)
        if (room < 0) await giveUp(room)
      }
      md5.update(chunk)
      sha256.update(chunk)
      position += chunk.byteLength
    },
    digests: () => ({ md5: md5.copy().digest('hex'), sha256: sha256.copy().digest('hex') }),
    async place() {
      if (is_placed) return shown
      handle ??= await open(part, flags, 0o600)
      await handle.datasync()
      await handle.chmod(0o644)
      await handle.close()
      handle = undefined
      await placing.put({ part, folder: file.path, name: file.name, sha256: file.sha256 })
      await rm(part, { force: true })
      is_placed = true
      return shown
    },
    async close() {
      await handle?.close()
      handle = undefined
      release()
    },
    async reset() {
      await handle?.close()
      handle = undefined
      await rm(part, { force: true })
      position = 0
      looked_at = 0
      is_placed = false
      reset()
    },
  }
}

export const landInJail = ({
  root,
  ...rest
}: {
  root: string
  parts: string
  file: FileToLand
  statfs?: StatFs | undefined
}) => landFile({ placing: placingInJail(root), ...rest })
