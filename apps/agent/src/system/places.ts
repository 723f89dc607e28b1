import { createHash, randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { lstat, mkdir, open, realpath, rename, rm } from 'node:fs/promises'
import { dirname, join, posix } from 'node:path'
import { TaskFailure } from '../body/body.ts'
import { isGoodName, refuse, removeInJail, stepsOf } from '../body/jail.ts'
import { filesInJail } from '../body/jail-files.ts'
import type { FileChange } from '../body/system-work.ts'

export type PlaceRules = {
  /** Folders that may be written to. */
  write: readonly string[]
  /** The agent's own, where a mistake of a push would end it. */
  closed: readonly string[]
}
/** They are no disk. */
const kernel_folders = ['/proc', '/sys', '/dev']
const isWithin = (path: string, folder: string) => folder === '/' || path === folder || path.startsWith(`${folder}/`)

async function resolved(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ENOENT' || path === '/') throw new TaskFailure('bad_path', `${path}: ${code}`)
    return join(await resolved(dirname(path)), posix.basename(path))
  }
}

/** A folder of this machine, after links: rules are about where bytes would really go. */
async function allowed({ write, closed }: PlaceRules, folder: string): Promise<string> {
  const at = await resolved(join('/', ...stepsOf(folder)))
  if ([...kernel_folders, ...closed].some((each) => isWithin(at, each))) throw refuse(folder)
  const roots = await Promise.all(write.map(resolved))
  if (!roots.some((root) => isWithin(at, root)))
    throw new TaskFailure('bad_path', `${folder} is not below ${write.join(', ')}: this device takes no files there`)
  return at
}

/** One by one: `recursive` hides that a disk can only be read. */
async function makeFolder(path: string): Promise<void> {
  if (await lstat(path).catch(() => undefined)) return
  await makeFolder(dirname(path))
  await mkdir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
}

/** Where a file goes on this machine: its folders are made, and nothing but another file is replaced. */
export async function placeOnSystem(rules: PlaceRules, folder: string, name: string): Promise<string> {
  const shown = posix.join('/', folder, name)
  if (!isGoodName(name)) throw refuse(shown)
  const at = await allowed(rules, folder)
  await makeFolder(at)
  const place = join(at, name)
  const kind = await lstat(place).catch(() => undefined)
  if (kind && !kind.isFile()) throw new TaskFailure('bad_path', `${shown} is there and is no file`)
  return place
}

/**
 * Copies a download beside its place and renames it there. The digest is taken of what is written: the download belongs to a user
 * that may change it meanwhile.
 */
export async function copyTo(part: string, place: string, sha256: string): Promise<void> {
  const beside = `${place}.${randomBytes(4).toString('hex')}.part`
  const hash = createHash('sha256')
  try {
    const from = await open(part, constants.O_RDONLY | constants.O_NOFOLLOW)
    try {
      const to = await open(beside, 'wx', 0o644)
      try {
        for await (const chunk of from.createReadStream({ autoClose: false, highWaterMark: 256 * 1024 })) {
          hash.update(chunk as Buffer)
          await to.writeFile(chunk as Buffer)
        }
        await to.datasync()
      } finally {
        await to.close()
      }
    } finally {
      await from.close()
    }
    if (hash.digest('hex') !== sha256) throw new TaskFailure('hash_mismatch', `${part} changed on the device`)
    await rename(beside, place)
  } catch (error) {
    await rm(beside, { force: true })
    throw error
  }
}

export async function removeOnSystem(rules: PlaceRules, path: string, sha256: string): Promise<boolean> {
  const folder = await allowed(rules, posix.dirname(path))
  return removeInJail('/', join(folder, posix.basename(path)), sha256)
}

export async function changeFiles(rules: PlaceRules, change: FileChange): Promise<void> {
  await allowed(rules, change.do === 'remove' ? change.path : posix.dirname(change.path))
  const files = filesInJail('/')
  if (change.do === 'make_folder') return files.make_folder(change.path)
  if (change.do === 'remove') return files.remove(change.path)
  await allowed(rules, change.path)
  return files.rename(change.path, change.name)
}
