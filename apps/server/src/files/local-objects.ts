import { constants } from 'node:fs'
import { access, mkdir, open, readFile, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { newKid } from '../lib/ids.ts'
import { digestsOfFile, emptyArriving, isObjectKey, rememberer, writeDigested } from './object-bytes.ts'
import { ObjectMissing } from './object-store.ts'
import type { ListedObjects, ObjectInfo } from './object-store.ts'

/**
 * Objects as files below `root`. A key is a kid; `ab/cd/<kid>` spreads them over folders by the kid's last, random
 * characters. Beside each lies `<kid>.info` with its digests. Bytes are on disk before an object can be seen. `arriving` is a
 * folder of the same disk, where others may write what is younger than `older_ms`.
 */
export async function localObjects(
  root: string,
  arriving = join(root, 'arriving'),
  older_ms = 0,
): Promise<ListedObjects> {
  await emptyArriving(arriving, older_ms)

  // Objects never change: what was once read of one stays true until it is deleted.
  const known = rememberer<ObjectInfo>()

  async function place(key: string, source: string, info: ObjectInfo): Promise<ObjectInfo> {
    const target = pathOf(root, key)
    await mkdir(dirname(target), { recursive: true, mode: 0o700 })
    const note = join(arriving, newKid())
    await writeDurably(note, JSON.stringify(info))
    // The digests first: an object that can be seen always has them.
    await rename(note, `${target}.info`)
    await rename(source, target)
    await syncFolder(dirname(target))
    return known.put(key, info)
  }

  const store: ListedObjects = {
    async put(key, body, max_bytes) {
      pathOf(root, key)
      const source = join(arriving, newKid())
      try {
        return await place(key, source, await writeDigested(source, body, max_bytes))
      } catch (error) {
        await rm(source, { force: true })
        throw error
      }
    },
    async adopt(key, path, digested) {
      pathOf(root, key)
      const info = digested ?? (await digestsOfFile(path))
      await syncFile(path)
      return place(key, path, info)
    },
    async read(key, range) {
      const file = await open(pathOf(root, key), 'r').catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error
        known.drop(key)
        throw new ObjectMissing(key)
      })
      return file.createReadStream({ ...range, highWaterMark: 256 * 1024 })
    },
    async size(key) {
      return (await store.info(key))?.size
    },
    async info(key) {
      const found = known.get(key)
      if (found) return found
      const path = pathOf(root, key)
      try {
        const [text, { size }] = await Promise.all([readFile(`${path}.info`, 'utf8'), stat(path)])
        const info = JSON.parse(text) as ObjectInfo
        return known.put(key, { size, md5: info.md5, sha256: info.sha256 })
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
        throw error
      }
    },
    async delete(key) {
      known.drop(key)
      const path = pathOf(root, key)
      await rm(path, { force: true })
      await rm(`${path}.info`, { force: true })
    },
    isUp: () =>
      access(root, constants.W_OK).then(
        () => true,
        () => false,
      ),
    async *keys() {
      for (const outer of await foldersIn(root))
        for (const inner of await foldersIn(join(root, outer)))
          for (const name of await readdir(join(root, outer, inner))) if (isObjectKey(name)) yield name
    },
  }
  return store
}

function pathOf(root: string, key: string): string {
  if (!isObjectKey(key)) throw new Error(`not a key of an object: ${JSON.stringify(key.slice(0, 60))}`)
  return join(root, key.slice(-2), key.slice(-4, -2), key)
}

const foldersIn = async (path: string): Promise<string[]> =>
  (await readdir(path)).filter((name) => /^[0-9a-f]{2}$/.test(name)).toSorted()

async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, 'w', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
}
async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r+')
  await file.sync().finally(() => file.close())
}
/** A rename is durable once its folder is. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  await folder.sync().finally(() => folder.close())
}
