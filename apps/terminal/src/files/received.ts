import { md5 } from '@noble/hashes/legacy.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { limits } from '@mdm/device-link'
import { TaskFailure } from '@mdm/agent/body/body.ts'
import type { FileToLand, Files, Landing } from '@mdm/agent/body/body.ts'
import { noSpace } from '@mdm/agent/body/failures.ts'
import { placeOf } from '@mdm/agent/place.ts'
import type { Database } from '../store/database.ts'

/** A file that came, as the database keeps it under its place. */
export type Received = { place: string; name: string; size: number; sha256: string; at: string; blob: Blob }

/** Bytes that are held until the browser takes them into a blob, which it may put on its disk. */
const flush_bytes = 4 * 1_048_576
/** Larger ones are for programs: a page may be closed at any moment. */
const file_max = 1_073_741_824
const files_max = 500

const isReceived = (value: unknown): value is Received => Object(value).blob instanceof Blob
const digestsOf = (hashes: ReturnType<typeof newHashes>) => ({
  md5: bytesToHex(hashes.md5.clone().digest()),
  sha256: bytesToHex(hashes.sha256.clone().digest()),
})
const newHashes = () => ({ md5: md5.create(), sha256: sha256.create() })
type Hashes = ReturnType<typeof newHashes>

async function hashesOf(blob: Blob): Promise<Hashes> {
  const hashes = newHashes()
  for (let at = 0; at < blob.size; at += flush_bytes) {
    const bytes = new Uint8Array(await blob.slice(at, at + flush_bytes).arrayBuffer())
    hashes.md5.update(bytes)
    hashes.sha256.update(bytes)
  }
  return hashes
}

export type Storage = {
  database: Database
  /** Bytes that may be written. */
  room(): Promise<number>
  now(): Date
  on_change(): void
}

/** Files that were sent to this page: it lists them, and whoever holds the device saves them where they want. */
export function receivedFiles({ database, room, now, on_change }: Storage) {
  const read = async (place: string): Promise<Received | undefined> => {
    const found = await database.get('files', place)
    return isReceived(found) ? found : undefined
  }
  const need = async (place: string): Promise<Received> => {
    const found = await read(place)
    if (!found) throw new TaskFailure('not_found', `There is no ${place}`)
    return found
  }
  const remove = async (place: string): Promise<void> => {
    await database.remove('files', place)
    on_change()
  }
  const all = async (): Promise<Received[]> => {
    const found: Received[] = []
    for (const place of await database.names('files')) {
      const file = await read(place)
      if (file) found.push(file)
    }
    return found.toSorted((a, b) => b.at.localeCompare(a.at))
  }

  async function land(file: FileToLand): Promise<Landing> {
    const place = placeOf(file)
    if (place === '/' || file.name.includes('/')) throw new TaskFailure('bad_path', `${file.name} is no name of a file`)
    const there = await read(place)
    const is_there = there?.sha256 === file.sha256
    if (!there && (await database.names('files')).length >= files_max)
      throw new TaskFailure('no_space', `${files_max} files are here already`)
    const part = is_there ? there.blob : await database.get('parts', file.sha256)
    let blob = part instanceof Blob ? part : new Blob()
    const left = Math.min(await room(), file_max)
    if (file.size - blob.size > left) throw noSpace(file.name, file.size - blob.size, left)
    let hashes = await hashesOf(blob)
    let held: Uint8Array<ArrayBuffer>[] = []
    let held_bytes = 0
    const flush = () => {
      if (held_bytes > 0) blob = new Blob([blob, ...held])
      held = []
      held_bytes = 0
    }
    return {
      get position() {
        return blob.size + held_bytes
      },
      async write(chunk) {
        hashes.md5.update(chunk)
        hashes.sha256.update(chunk)
        held.push(new Uint8Array(chunk))
        held_bytes += chunk.byteLength
        if (held_bytes >= flush_bytes) flush()
      },
      digests: () => digestsOf(hashes),
      async place() {
        flush()
        const received: Received = { place, name: file.name, size: blob.size, sha256: file.sha256, at: '', blob }
        if (!is_there) await database.put('files', place, { ...received, at: now().toISOString() })
        await database.remove('parts', file.sha256)
        on_change()
        return place
      },
      async close() {
        flush()
        const is_worth_keeping = blob.size > 0 && !(await read(place).then((kept) => kept?.sha256 === file.sha256))
        if (is_worth_keeping) await database.put('parts', file.sha256, blob)
      },
      async reset() {
        await database.remove('parts', file.sha256)
        blob = new Blob()
        held = []
        held_bytes = 0
        hashes = newHashes()
      },
    }
  }

  const files: Files = {
    async list(path, after) {
      const folder = placeOf({ path, name: '' })
      const inside = folder === '/' ? '/' : `${folder}/`
      const below = (await all()).filter(({ place }) => place.startsWith(inside))
      if (below.length === 0 && folder !== '/') throw new TaskFailure('not_found', `There is no ${folder}`)
      const entries = new Map<string, Awaited<ReturnType<Files['list']>>['items'][number]>()
      for (const { place, size, at } of below) {
        const [name = '', ...rest] = place.slice(inside.length).split('/')
        entries.set(name, rest.length > 0 ? { name, type: 'folder' } : { name, type: 'file', size, modified_at: at })
      }
      const wanted = [...entries.values()]
        .filter(({ name }) => after === undefined || name > after)
        .toSorted((a, b) => (a.name < b.name ? -1 : 1))
      const items = wanted.slice(0, limits.folder_entries)
      return { items, has_more: items.length < wanted.length }
    },
    make_folder: unable,
    rename: unable,
    async remove(path) {
      const place = placeOf({ path, name: '' })
      const inside = (await database.names('files')).filter((one) => one === place || one.startsWith(`${place}/`))
      if (inside.length === 0) throw new TaskFailure('not_found', `There is no ${place}`)
      for (const one of inside) await remove(one)
    },
    async read(path) {
      const { blob, at } = await need(placeOf({ path, name: '' }))
      return {
        size: blob.size,
        modified_at: new Date(at),
        open: (part?: { from: number; length: number }) =>
          pieces(part ? blob.slice(part.from, part.from + part.length) : blob),
      }
    },
  }
  return {
    all,
    remove,
    land,
    files,
    async remove_pushed(path: string, digest: string): Promise<boolean> {
      const there = await read(path)
      if (there?.sha256 !== digest) return false
      await remove(path)
      return true
    },
  }
}
export type ReceivedFiles = ReturnType<typeof receivedFiles>

async function unable(): Promise<never> {
  throw new TaskFailure('not_supported', 'A page in a browser has no folders of its own')
}

async function* pieces(blob: Blob): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < blob.size; at += flush_bytes)
    yield new Uint8Array(await blob.slice(at, at + flush_bytes).arrayBuffer())
}
