import { Readable } from 'node:stream'
import { DataStore, ERRORS, Upload } from '@tus/server'
import { sql } from 'kysely'
import type { Selectable } from 'kysely'
import type { Tables } from '../db/schema/tables.ts'
import type { Deps } from '../deps.ts'
import { newKid } from '../lib/ids.ts'
import { refuse } from '../refusal.ts'
import { Digests, rememberer } from './object-bytes.ts'
import type { ObjectInfo, ObjectParts } from './object-store.ts'
import type { UploadBytes } from './upload-bytes.ts'

type Row = Selectable<Tables['upload']>
type State = Pick<Row, 'kid' | 'account_kid' | 'size' | 'etags' | 'multipart'>

/**
 * Uploads to a store that every server reaches: whole parts lie there, what came behind the last of them in the database, and so
 * each request may reach another server. Who writes is in the row: a request that others took for dead adds nothing any more.
 * Also short ones are joined of parts, whose digests the row names: a late request cannot put other bytes in the place of an object.
 */
export class PartUploads extends DataStore implements UploadBytes {
  readonly #deps: Deps
  readonly #parts: ObjectParts
  readonly #digests = rememberer<Digests>()

  constructor(deps: Deps, parts: ObjectParts) {
    super()
    this.#deps = deps
    this.#parts = parts
    this.extensions = ['creation', 'creation-with-upload', 'termination']
  }

  override async getUpload(kid: string): Promise<Upload> {
    const row = await this.#deps.db.selectFrom('upload').selectAll().where('kid', '=', kid).executeTakeFirst()
    if (!row) throw ERRORS.FILE_NOT_FOUND
    const offset = this.#wholeOf(row) + (await this.#lengthOfPieces(kid))
    return new Upload({ id: kid, size: row.size, offset, creation_date: row.created_at.toISOString(), metadata: {} })
  }

  override async write(body: Readable, kid: string, offset: number): Promise<number> {
    const before = this.#digests.get(kid)
    this.#digests.drop(kid)
    const digests = offset === 0 ? new Digests() : before?.size === offset ? before : undefined
    const part = await this.#begin(kid, offset)
    let at = offset
    try {
      for await (const chunk of body as AsyncIterable<Buffer>) {
        digests?.update(chunk)
        at += chunk.length
        await part.take(chunk)
      }
    } finally {
      // Also of a connection that broke off: what has come need not come again.
      await part.keep()
    }
    if (digests) this.#digests.put(kid, digests)
    return at
  }

  digested(kid: string, size: number): ObjectInfo | undefined {
    const digests = this.#digests.get(kid)
    this.#digests.drop(kid)
    return digests?.size === size ? digests.info() : undefined
  }

  async received({ kid }: Pick<Row, 'kid'>): Promise<number> {
    const row = await this.#deps.db.selectFrom('upload').selectAll().where('kid', '=', kid).executeTakeFirst()
    return row ? this.#wholeOf(row) + (await this.#lengthOfPieces(kid)) : 0
  }

  /** Any server may do it, and two at once: each step can be repeated. */
  async finish(asked: Row, digested?: ObjectInfo): Promise<ObjectInfo | undefined> {
    const { kid } = asked
    const whole = this.#wholeOf(asked)
    if (whole !== asked.size) {
      if (whole + (await this.#lengthOfPieces(kid)) !== asked.size) return undefined
      // All have come, but the store did not take the last part.
      await (await this.#begin(kid, asked.size)).flush()
    }
    const row = await this.#deps.db.selectFrom('upload').selectAll().where('kid', '=', kid).executeTakeFirst()
    if (!row) return undefined
    if (row.multipart === null) return this.#deps.objects.put(row.kid, Readable.from([]), 0)
    await this.#parts.join(row.kid, row.multipart, row.etags, row.size)
    const info = digested ?? (await this.#digestsOf(row.kid))
    if (info.size !== row.size) throw new Error(`an upload has ${info.size} of ${row.size} bytes`)
    await this.#parts.seal(row.kid, info)
    return info
  }

  async drop({ kid, multipart }: Pick<Row, 'kid' | 'multipart'>): Promise<void> {
    if (multipart !== null) await this.#parts.drop(kid, multipart)
  }

  /** Nothing lies here that its row does not know. */
  async sweep(): Promise<void> {}

  #wholeOf({ etags, size }: Pick<Row, 'etags' | 'size'>): number {
    return Math.min(size, etags.length * this.#parts.sizeOf(size))
  }

  async #lengthOfPieces(kid: string): Promise<number> {
    const { length } = await this.#deps.db
      .selectFrom('upload_piece')
      .select(sql<number>`COALESCE(sum(octet_length(bytes)), 0)::bigint`.as('length'))
      .where('upload_kid', '=', kid)
      .executeTakeFirstOrThrow()
    return Number(length)
  }

  async #digestsOf(kid: string): Promise<ObjectInfo> {
    const digests = new Digests()
    for await (const chunk of await this.#deps.objects.read(kid)) digests.update(chunk as Buffer)
    return digests.info()
  }

  /** From now on this request alone adds to the upload. */
  async #begin(kid: string, offset: number) {
    const { db } = this.#deps
    const writer = newKid()
    const { state, held } = await db.transaction().execute(async (trx) => {
      const row = await trx
        .updateTable('upload')
        .set({ writer })
        .where('kid', '=', kid)
        .where('finished_at', 'is', null)
        .returning(['kid', 'account_kid', 'size', 'etags', 'multipart'])
        .executeTakeFirst()
      if (!row) throw ERRORS.FILE_NOT_FOUND
      const pieces = await trx
        .selectFrom('upload_piece')
        .select('bytes')
        .where('upload_kid', '=', kid)
        .orderBy('start')
        .execute()
      const bytes = pieces.map((piece) => piece.bytes)
      // Another request was faster: the client has to ask where it stands.
      if (this.#wholeOf(row) + lengthOf(bytes) !== offset) throw ERRORS.INVALID_OFFSET
      return { state: row as State, held: bytes }
    })
    return this.#writing(state, writer, held)
  }

  #writing(state: State, writer: string, held: Buffer[]) {
    const { kid, size } = state
    const part_bytes = this.#parts.sizeOf(size)
    let etags = state.etags.length
    let multipart = state.multipart
    /** Behind the last whole part; the first `kept` of them are in the database. */
    let bytes = lengthOf(held)
    let kept = bytes

    const add = async (): Promise<void> => {
      const whole = Buffer.concat(held)
      const begun = multipart === null ? await this.#parts.begin(kid) : undefined
      const id = (multipart ??= begun!)
      try {
        await this.#note(state, writer, id, await this.#parts.add(kid, id, etags + 1, whole))
      } catch (error) {
        if (begun !== undefined) await this.#parts.drop(kid, begun)
        throw error
      }
      etags += 1
      held = []
      bytes = kept = 0
    }

    const left_of_part = (): number => Math.min(part_bytes, size - etags * part_bytes) - bytes

    return {
      flush: async (): Promise<void> => {
        if (bytes > 0 && left_of_part() === 0) await add()
      },
      take: async (chunk: Buffer): Promise<void> => {
        for (let rest = chunk; rest.length > 0;) {
          const left = left_of_part()
          const taken = rest.subarray(0, left)
          held.push(taken)
          bytes += taken.length
          rest = rest.subarray(taken.length)
          if (taken.length === left) await add()
        }
      },
      keep: async (): Promise<void> => {
        if (bytes === kept) return
        const fresh = Buffer.concat(held).subarray(kept)
        await this.#keep(state, writer, etags * part_bytes + kept, fresh)
        kept = bytes
      },
    }
  }

  /** A part is there; what was kept of it before goes. @throws where another request writes now */
  async #note({ kid }: State, writer: string, multipart: string, etag: string): Promise<void> {
    await this.#deps.db.transaction().execute(async (trx) => {
      const { numUpdatedRows } = await trx
        .updateTable('upload')
        .set({ etags: sql<string[]>`array_append(etags, ${etag})`, multipart })
        .where('kid', '=', kid)
        .where('writer', '=', writer)
        .executeTakeFirstOrThrow()
      if (numUpdatedRows === 0n) refuse('conflict')
      await trx.deleteFrom('upload_piece').where('upload_kid', '=', kid).execute()
    })
  }

  async #keep({ kid, account_kid }: State, writer: string, start: number, bytes: Buffer): Promise<void> {
    await this.#deps.db.transaction().execute(async (trx) => {
      const ours = await trx
        .selectFrom('upload')
        .select('kid')
        .where('kid', '=', kid)
        .where('writer', '=', writer)
        .forUpdate()
        .executeTakeFirst()
      if (ours) await trx.insertInto('upload_piece').values({ account_kid, upload_kid: kid, start, bytes }).execute()
    })
  }
}

const lengthOf = (pieces: readonly Buffer[]): number => pieces.reduce((sum, { length }) => sum + length, 0)
