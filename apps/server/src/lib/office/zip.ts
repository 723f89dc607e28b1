import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { crc32, createDeflateRaw } from 'node:zlib'

export type Entry = { name: string; body: AsyncIterable<Buffer> }
type Written = { name: Buffer; crc: number; packed: number; size: number; at: number }

/** Beyond it ZIP needs other records, which no sheet program expects. */
const most = 0xffff_ffff
/** Sizes follow the data; names are UTF-8. */
const flags = 0x0808
const version = 20
/** 1980-01-01, for what has no date: the same rows are the same bytes. */
const date = 0x0021
/** Level 6 takes four times as long for a sixth less. */
const level = 1
const chunk_bytes = 65_536

/** An archive, written while its entries are made: nothing of it is kept but a line for each entry. */
export async function* zip(entries: AsyncIterable<Entry>): AsyncGenerator<Buffer> {
  const written: Written[] = []
  let at = 0
  const past = (bytes: Buffer): Buffer => {
    at += bytes.length
    if (at > most) throw new Error('an archive beyond 4 GiB')
    return bytes
  }
  for await (const { name, body } of entries) {
    const entry: Written = { name: Buffer.from(name), crc: 0, packed: 0, size: 0, at }
    yield past(localHeader(entry))
    for await (const chunk of deflated(body, entry)) yield past(chunk)
    yield past(descriptor(entry))
    written.push(entry)
  }
  const begins = at
  for (const entry of written) yield past(centralHeader(entry))
  yield end(written.length, begins, at - begins)
}

async function* deflated(body: Entry['body'], entry: Written): AsyncGenerator<Buffer> {
  async function* measured() {
    for await (const chunk of body) {
      entry.crc = crc32(chunk, entry.crc)
      entry.size += chunk.length
      if (entry.size > most) throw new Error('an entry beyond 4 GiB')
      yield chunk
    }
  }
  const deflate = createDeflateRaw({ level, chunkSize: chunk_bytes })
  const piped = pipeline(Readable.from(measured(), { objectMode: false }), deflate)
  // What goes wrong there ends the reading below, which says it.
  piped.catch(() => {})
  for await (const chunk of deflate as AsyncIterable<Buffer>) {
    entry.packed += chunk.length
    yield chunk
  }
}

const bytes = (parts: [size: 2 | 4, value: number][], ...more: Buffer[]): Buffer => {
  const head = Buffer.alloc(parts.reduce((sum, [size]) => sum + size, 0))
  let at = 0
  for (const [size, value] of parts) at = head.writeUIntLE(value, at, size)
  return Buffer.concat([head, ...more])
}
const localHeader = ({ name }: Written): Buffer =>
  bytes([[4, 0x0403_4b50], [2, version], [2, flags], [2, 8], [2, 0], [2, date], [4, 0], [4, 0], [4, 0], [2, name.length], [2, 0]], name) // prettier-ignore
const descriptor = ({ crc, packed, size }: Written): Buffer =>
  bytes([[4, 0x0807_4b50], [4, crc], [4, packed], [4, size]]) // prettier-ignore
const centralHeader = ({ name, crc, packed, size, at }: Written): Buffer =>
  bytes([[4, 0x0201_4b50], [2, version], [2, version], [2, flags], [2, 8], [2, 0], [2, date], [4, crc], [4, packed], [4, size], [2, name.length], [2, 0], [2, 0], [2, 0], [2, 0], [4, 0], [4, at]], name) // prettier-ignore
const end = (count: number, at: number, size: number): Buffer =>
  bytes([[4, 0x0605_4b50], [2, 0], [2, 0], [2, count], [2, count], [4, size], [4, at], [2, 0]]) // prettier-ignore
