import { invalid } from './source.ts'

/** One chunk of Android's binary resources: `start` is its header, `body` what follows that. */
export type Chunk = { type: number; start: number; body: number; end: number }

export const chunkTypes = {
  strings: 0x0001,
  table: 0x0002,
  xml: 0x0003,
  xml_start: 0x0102,
  xml_end: 0x0103,
  xml_ids: 0x0180,
  package: 0x0200,
  entries: 0x0201,
} as const

/** More than any program's table has; each costs a step. */
const chunks_max = 200_000

export function chunkAt(bytes: Buffer, start: number, limit = bytes.length): Chunk {
  if (start + 8 > limit) throw invalid('a chunk ends early')
  const header = bytes.readUInt16LE(start + 2)
  const size = bytes.readUInt32LE(start + 4)
  if (header < 8 || size < header || start + size > limit) throw invalid('a chunk says a wrong size')
  return { type: bytes.readUInt16LE(start), start, body: start + header, end: start + size }
}

/** The chunks from `start` on, which fill the bytes up to `end`. */
export function* chunksIn(bytes: Buffer, start: number, end: number): Generator<Chunk> {
  let count = 0
  for (let at = start; at < end;) {
    if ((count += 1) > chunks_max) throw invalid('too many chunks')
    const chunk = chunkAt(bytes, at, end)
    yield chunk
    at = chunk.end
  }
}

const utf8_flag = 0x100
const characters_max = 32_768

/** The strings of a pool by their number, each read when it is asked for. Undefined for a number that it does not have. */
export type Strings = (index: number) => string | undefined

export function stringsOf(bytes: Buffer, pool: Chunk): Strings {
  if (pool.type !== chunkTypes.strings || pool.body < pool.start + 28) throw invalid('no strings where they should be')
  const count = bytes.readUInt32LE(pool.start + 8)
  const is_utf8 = (bytes.readUInt32LE(pool.start + 16) & utf8_flag) !== 0
  const first = pool.start + bytes.readUInt32LE(pool.start + 20)
  if (pool.body + count * 4 > pool.end) throw invalid('strings end early')
  return (index) => {
    if (index >= count) return undefined
    const at = first + bytes.readUInt32LE(pool.body + index * 4)
    return is_utf8 ? utf8At(bytes, at, pool.end) : utf16At(bytes, at, pool.end)
  }
}

function utf8At(bytes: Buffer, at: number, end: number): string {
  // Characters of UTF-16, which nobody here needs, then bytes; each in one byte or two.
  const characters = at + (byteAt(bytes, at, end) & 0x80 ? 2 : 1)
  const head = byteAt(bytes, characters, end)
  const is_long = (head & 0x80) !== 0
  const length = is_long ? ((head & 0x7f) << 8) | byteAt(bytes, characters + 1, end) : head
  const start = characters + (is_long ? 2 : 1)
  if (start + length > end) throw invalid('a string ends early')
  return bytes.toString('utf8', start, start + length)
}

function utf16At(bytes: Buffer, at: number, end: number): string {
  if (at + 2 > end) throw invalid('a string ends early')
  const head = bytes.readUInt16LE(at)
  const is_long = (head & 0x8000) !== 0
  if (is_long && at + 4 > end) throw invalid('a string ends early')
  const length = is_long ? (head & 0x7fff) * 0x10000 + bytes.readUInt16LE(at + 2) : head
  const start = at + (is_long ? 4 : 2)
  if (length > characters_max || start + length * 2 > end) throw invalid('a string ends early')
  return bytes.toString('utf16le', start, start + length * 2)
}

function byteAt(bytes: Buffer, at: number, end: number): number {
  const byte = at < end ? bytes[at] : undefined
  if (byte === undefined) throw invalid('a string ends early')
  return byte
}

export const valueTypes = { reference: 0x01, string: 0x03 } as const
/** A value as resources have it: what `data` means depends on `type`. */
export type Value = { type: number; data: number }
export const valueAt = (bytes: Buffer, at: number): Value => ({
  type: bytes.readUInt8(at + 3),
  data: bytes.readUInt32LE(at + 4),
})
