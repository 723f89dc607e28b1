import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync } from 'node:fs'
import { open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'

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

/**
 * One file per document below `dir`, readable by its owner only. A document is written beside, flushed and renamed, so
 * a kill or a power cut leaves the old one or the new one. Writes to one document happen in the order they were asked for.
 */
export function fileStore(dir: string): Store {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  chmodSync(dir, 0o700)
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
        const beside = `${path}.${randomBytes(4).toString('hex')}.tmp`
        const file = await open(beside, 'wx', 0o600)
        try {
          await file.writeFile(text)
          await file.datasync()
        } finally {
          await file.close()
        }
        await rename(beside, path)
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
