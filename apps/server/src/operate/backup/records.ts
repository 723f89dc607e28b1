import { createHash } from 'node:crypto'
import * as z from 'zod'
import { OperatorFault } from '../fault.ts'
import { uint32 } from './uint32.ts'

/** What a backup begins with. */
export const About = z.object({
  version: z.string(),
  made_at: z.iso.datetime(),
  database: z.enum(['embedded', 'postgres']),
  /** The last migration that its database has; null where it could not be asked. */
  migration: z.string().nullable(),
})
export type About = z.output<typeof About>
const Head = z.union([
  z.object({ name: z.string().min(1).max(400) }),
  z.object({ end: z.object({ files: z.number().int(), bytes: z.number().int() }) }),
])
const head_max = 2_048
const piece_max = 1024 * 1024

export type Totals = { files: number; bytes: number }

/**
 * Files one after the other: the name as JSON, pieces with their length, none, and the SHA-256 of all. Their size need not be known
 * before. The end says how many there were.
 */
export class RecordWriter {
  readonly #write: (bytes: Buffer) => Promise<void>
  readonly totals: Totals = { files: 0, bytes: 0 }
  constructor(write: (bytes: Buffer) => Promise<void>) {
    this.#write = write
  }
  async file(name: string, content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void> {
    await this.#head({ name })
    const hash = createHash('sha256')
    for await (const chunk of content)
      for (let at = 0; at < chunk.length; at += piece_max) {
        const piece = Buffer.from(chunk.buffer, chunk.byteOffset + at, Math.min(piece_max, chunk.length - at))
        hash.update(piece)
        this.totals.bytes += piece.length
        await this.#write(uint32(piece.length))
        await this.#write(piece)
      }
    this.totals.files += 1
    await this.#write(Buffer.concat([uint32(0), hash.digest()]))
  }
  end = (): Promise<void> => this.#head({ end: this.totals })

  async #head(head: z.input<typeof Head>): Promise<void> {
    const text = Buffer.from(JSON.stringify(head))
    await this.#write(Buffer.concat([uint32(text.length), text]))
  }
}

/** Gives each file to `take`, which has to read it to its end. Throws OperatorFault where a hash or a count is another. */
export async function readRecords(
  source: AsyncIterable<Buffer>,
  take: (name: string, content: AsyncIterable<Buffer>) => Promise<void>,
): Promise<Totals> {
  const bytes = new Bytes(source)
  const totals: Totals = { files: 0, bytes: 0 }
  async function* contentOf(name: string): AsyncGenerator<Buffer> {
    const hash = createHash('sha256')
    for (;;) {
      const length = (await bytes.take(4)).readUInt32BE()
      if (length === 0) break
      if (length > piece_max) throw damaged(`a piece of ${name} is too long`)
      const piece = await bytes.take(length)
      hash.update(piece)
      totals.bytes += length
      yield piece
    }
    if (!(await bytes.take(32)).equals(hash.digest())) throw damaged(`${name} is not what was written`)
  }
  for (;;) {
    const length = (await bytes.take(4)).readUInt32BE()
    if (length > head_max) throw damaged('a name is too long')
    const head = headOf(await bytes.take(length))
    if ('end' in head) {
      if (head.end.files !== totals.files || head.end.bytes !== totals.bytes)
        throw damaged(`it has ${totals.files} files of ${head.end.files}`)
      if (!(await bytes.isOver())) throw damaged('something follows its end')
      return totals
    }
    await take(head.name, contentOf(head.name))
    totals.files += 1
  }
}

const damaged = (what: string) => new OperatorFault(`The backup is damaged: ${what}.`)

function headOf(text: Buffer): z.output<typeof Head> {
  try {
    return Head.parse(JSON.parse(text.toString('utf8')))
  } catch {
    throw damaged('a name cannot be read')
  }
}

/** As many bytes of a stream as are asked for. */
class Bytes {
  readonly #source: AsyncIterator<Buffer>
  #held: Buffer = Buffer.alloc(0)
  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]()
  }
  async take(length: number): Promise<Buffer> {
    const parts = [this.#held]
    for (let size = this.#held.length; size < length;) {
      const { value, done } = await this.#source.next()
      if (done) throw damaged('it ends too early')
      parts.push(value)
      size += value.length
    }
    const all = parts.length === 1 ? parts[0]! : Buffer.concat(parts)
    this.#held = all.subarray(length)
    return all.subarray(0, length)
  }
  async isOver(): Promise<boolean> {
    return this.#held.length === 0 && (await this.#source.next()).done === true
  }
}
