import { createWriteStream } from 'node:fs'
import { copyFile, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { FileStore } from '@tus/file-store'
import type { Selectable } from 'kysely'
import type { Tables } from '../db/schema/tables.ts'
import type { Deps } from '../deps.ts'
import { newKid } from '../lib/ids.ts'
import { Digests, isObjectKey, rememberer } from './object-bytes.ts'
import type { ObjectInfo } from './object-store.ts'
import type { UploadBytes } from './upload-bytes.ts'

type Row = Selectable<Tables['upload']>

/** So much waits in memory while a disk is slow, and is written at once. */
const write_bytes = 1024 ** 2

export const uploadFolder = (deps: Pick<Deps, 'config'>): string => join(deps.config.data, 'uploads')
const copied_suffix = '.copied-'

/**
 * The bytes of uploads until they are whole, each a file below `directory`. They are digested as they come, one request after
 * another: what came without a gap needs no second reading.
 */
export class UploadStore extends FileStore implements UploadBytes {
  readonly #digests = rememberer<Digests>()
  readonly #deps: Deps

  constructor({ directory, deps }: { directory: string; deps: Deps }) {
    super({ directory, configstore: rowsAsConfig(deps) as never })
    this.#deps = deps
  }

  override async write(body: Readable, kid: string, offset: number): Promise<number> {
    const before = this.#digests.get(kid)
    this.#digests.drop(kid)
    const digests = offset === 0 ? new Digests() : before?.size === offset ? before : undefined
    const file = createWriteStream(join(this.directory, kid), {
      flags: 'r+',
      start: offset,
      highWaterMark: write_bytes,
    })
    if (digests) {
      await pipeline(body, digests.ofStream(Number.MAX_SAFE_INTEGER), file)
      this.#digests.put(kid, digests)
    } else await pipeline(body, file)
    return offset + file.bytesWritten
  }

  /** Of the `size` bytes that have come; undefined when some of them were not seen. Once. */
  digested(kid: string, size: number): ObjectInfo | undefined {
    const digests = this.#digests.get(kid)
    this.#digests.drop(kid)
    return digests?.size === size ? digests.info() : undefined
  }

  async received({ kid }: Pick<Row, 'kid'>): Promise<number> {
    const { size } = await stat(join(this.directory, kid)).catch(() => ({ size: 0 }))
    return size
  }

  async finish({ kid, size }: Row, digested?: ObjectInfo): Promise<ObjectInfo | undefined> {
    const path = join(this.directory, kid)
    if ((await this.received({ kid })) !== size) return undefined
    if (!this.#deps.config.data_is_shared) return this.#deps.objects.adopt(kid, path, digested)
    // A request that reached another server may have the file open still: what it writes must not become part of the object.
    const copy = `${path}${copied_suffix}${newKid()}`
    try {
      await copyFile(path, copy)
      const info = await this.#deps.objects.adopt(kid, copy)
      await rm(path, { force: true })
      return info
    } finally {
      await rm(copy, { force: true })
    }
  }

  drop({ kid }: Pick<Row, 'kid'>): Promise<void> {
    return rm(join(this.directory, kid), { force: true })
  }

  async sweep(): Promise<void> {
    const names = (await readdir(this.directory).catch(() => [])).slice(0, 1_000)
    if (names.length === 0) return
    const kidOf = (name: string): string => name.split(copied_suffix)[0]!
    const kids = names.map(kidOf).filter((name) => isObjectKey(name))
    const known = kids.length
      ? await this.#deps.db.selectFrom('upload').select('kid').where('kid', 'in', kids).execute()
      : []
    const kept = new Set(known.map((row) => row.kid))
    for (const name of names) if (!kept.has(kidOf(name))) await rm(join(this.directory, name), { force: true })
  }
}

/** tus keeps size and date of an upload in a store of its own; ours is the row, so the two can never disagree. */
const rowsAsConfig = (deps: Deps) => ({
  async get(kid: string) {
    const row = await deps.db.selectFrom('upload').selectAll().where('kid', '=', kid).executeTakeFirst()
    return row && { id: kid, size: row.size, offset: 0, creation_date: row.created_at.toISOString(), metadata: {} }
  },
  async set() {},
  async delete() {},
})
