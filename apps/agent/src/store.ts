import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isDiskFull } from './body/failures.ts'
import { giveUpReserve, reserve_name } from './body/room.ts'

/** Small JSON documents that survive the process. Names are `name` or `folder/name`. A write is all or nothing. */
export type Store = {
  read(name: string): Promise<unknown>
  write(name: string, value: unknown): Promise<void>
  remove(name: string): Promise<void>
  /** Names in a folder, as they were written. */
  list(folder: string): Promise<string[]>
}

const namePattern = /^[a-z0-9_-]+(\/[a-z0-9._-]+)?$/
const checked = (name: string): string => {
  if (!namePattern.test(name)) throw new Error(`Not a document name: ${name}`)
  return name
}

const reserve_bytes = 1_048_576
const tasks_folder = 'tasks'

/** Makes the reserve, where there is room for it and as much again. */
function keepReserve(dir: string): void {
  const path = join(dir, reserve_name)
  if (existsSync(path)) return
  const { bavail, bsize } = statfsSync(dir)
  if (bavail * bsize < 2 * reserve_bytes) return
  try {
    writeFileSync(path, randomBytes(reserve_bytes), { flag: 'wx', mode: 0o600 })
  } catch (error) {
    rmSync(path, { force: true })
    if (!isDiskFull(error)) throw error
  }
}

/** Left by a process that was killed while it wrote. */
function sweepHalfWritten(dir: string): void {
  for (const folder of [dir, join(dir, tasks_folder)])
    if (existsSync(folder))
      for (const name of readdirSync(folder)) if (name.endsWith('.tmp')) rmSync(join(folder, name), { force: true })
}

/**
 * One file per document below `dir`, readable by its owner only. A document is written beside, flushed and renamed, so
 * a kill or a power cut leaves the old one or the new one. Writes to one document happen in the order they were asked for.
 * For the agent that holds the folder (`is_holder`) they take the room of a reserve on a full disk, which comes back when there
 * is room again.
 */
export function fileStore(dir: string, { is_holder = false }: { is_holder?: boolean } = {}): Store {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  chmodSync(dir, 0o700)
  if (is_holder) {
    sweepHalfWritten(dir)
    keepReserve(dir)
  }
  let is_given_up = is_holder && !existsSync(join(dir, reserve_name))
  const queues = new Map<string, Promise<void>>()
  const pathOf = (name: string) => join(dir, `${checked(name)}.json`)
  const inOrder = (name: string, work: () => Promise<void>): Promise<void> => {
    const done = (queues.get(name) ?? Promise.resolve()).then(work)
    const settled = done.catch(() => undefined)
    queues.set(name, settled)
    void settled.then(() => queues.get(name) === settled && queues.delete(name))
    return done
  }
  return {
    async read(name) {
      try {
        return JSON.parse(await readFile(pathOf(name), 'utf8')) as unknown
      } catch (error) {
        if (isMissing(error)) return undefined
        throw new Error(`${pathOf(name)} cannot be read: ${(error as Error).message}`, { cause: error })
      }
    },
    write(name, value) {
      const path = pathOf(name)
      const text = JSON.stringify(value)
      return inOrder(name, async () => {
        if (name.includes('/')) mkdirSync(join(path, '..'), { recursive: true, mode: 0o700 })
        await replace(path, text).catch((error: unknown) => {
          if (!is_holder || !isDiskFull(error)) throw error
          giveUpReserve(dir)
          is_given_up = true
          return replace(path, text)
        })
        if (!is_given_up) return
        keepReserve(dir)
        is_given_up = !existsSync(join(dir, reserve_name))
      })
    },
    remove: (name) => inOrder(name, () => rm(pathOf(name), { force: true })),
    async list(folder) {
      try {
        const names = await readdir(join(dir, checked(folder)))
        return names.filter((name) => name.endsWith('.json')).map((name) => `${folder}/${name.slice(0, -5)}`)
      } catch (error) {
        if (isMissing(error)) return []
        throw error
      }
    },
  }
}

async function replace(path: string, text: string): Promise<void> {
  const beside = `${path}.${randomBytes(4).toString('hex')}.tmp`
  try {
    const file = await open(beside, 'wx', 0o600)
    try {
      await file.writeFile(text)
      await file.datasync()
    } finally {
      await file.close()
    }
    await rename(beside, path)
  } catch (error) {
    await rm(beside, { force: true })
    throw error
  }
}

/** For simulated devices: lives as long as the process, so an agent that is killed and started again finds it. */
export function memoryStore(): Store {
  const documents = new Map<string, string>()
  return {
    read: async (name) => {
      const text = documents.get(checked(name))
      return text === undefined ? undefined : (JSON.parse(text) as unknown)
    },
    write: async (name, value) => void documents.set(checked(name), JSON.stringify(value)),
    remove: async (name) => void documents.delete(name),
    list: async (folder) => [...documents.keys()].filter((name) => name.startsWith(`${folder}/`)),
  }
}

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT'
