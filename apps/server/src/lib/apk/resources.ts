import { chunkAt, chunksIn, chunkTypes, stringsOf, valueAt, valueTypes } from './chunks.ts'
import type { Chunk, Strings, Value } from './chunks.ts'
import { invalid } from './source.ts'

/** A text of the resources with what it is meant for: a language, a density of the screen in dpi. */
export type Found = { text: string; language: string; density: number }
/** Every text that a reference leads to. */
export type Resources = (reference: Value) => Found[]

const is_sparse = 0x01
const has_short_offsets = 0x02
const is_complex = 0x01
const is_compact = 0x08
/** References to references: real ones are a step or two, and a circle has no end. */
const steps_max = 8
const found_max = 500

/** Reads resources.arsc as far as it is asked. Throws ApkError. */
export function readResources(bytes: Buffer): Resources {
  const table = chunkAt(bytes, 0)
  if (table.type !== chunkTypes.table) throw invalid('not a table of resources')
  let strings: Strings | undefined
  const byType = new Map<number, Chunk[]>()
  for (const chunk of chunksIn(bytes, table.body, table.end)) {
    if (chunk.type === chunkTypes.strings) strings ??= stringsOf(bytes, chunk)
    if (chunk.type !== chunkTypes.package || chunk.body < chunk.start + 12) continue
    const package_id = bytes.readUInt32LE(chunk.start + 8) & 0xff
    for (const part of chunksIn(bytes, chunk.body, chunk.end)) {
      if (part.type !== chunkTypes.entries || part.body < part.start + 36) continue
      const key = (package_id << 8) | bytes.readUInt8(part.start + 8)
      const parts = byType.get(key) ?? []
      parts.push(part)
      byType.set(key, parts)
    }
  }

  function* resolved(id: number, language: string, density: number, step: number): Generator<Found> {
    if (step > steps_max) return
    for (const part of byType.get(id >>> 16) ?? []) {
      const value = entryOf(bytes, part, id & 0xffff)
      if (!value) continue
      const own = configOf(bytes, part)
      const meant = { language: own.language || language, density: own.density || density }
      if (value.type === valueTypes.reference) yield* resolved(value.data, meant.language, meant.density, step + 1)
      const text = value.type === valueTypes.string ? strings?.(value.data) : undefined
      if (text) yield { text, ...meant }
    }
  }
  return ({ type, data }) => {
    if (type !== valueTypes.reference) return []
    const found: Found[] = []
    for (const each of resolved(data, '', 0, 0)) if (found.push(each) >= found_max) break
    return found
  }
}

/** The value of one resource in one configuration; undefined where it has none of its own, or several in one. */
function entryOf(bytes: Buffer, part: Chunk, index: number): Value | undefined {
  const flags = bytes.readUInt8(part.start + 9)
  const count = bytes.readUInt32LE(part.start + 12)
  const first = part.start + bytes.readUInt32LE(part.start + 16)
  const offset = offsetOf(bytes, part, { flags, count, index })
  if (offset === undefined) return undefined
  const at = first + offset
  if (at + 16 > part.end && at + 8 > part.end) throw invalid('a resource ends early')
  const entry_flags = bytes.readUInt16LE(at + 2)
  if (entry_flags & is_compact) return { type: entry_flags >>> 8, data: bytes.readUInt32LE(at + 4) }
  if (entry_flags & is_complex) return undefined
  if (at + 16 > part.end) throw invalid('a resource ends early')
  return valueAt(bytes, at + bytes.readUInt16LE(at))
}

type Place = { flags: number; count: number; index: number }
function offsetOf(bytes: Buffer, part: Chunk, { flags, count, index }: Place): number | undefined {
  const bytes_each = flags & has_short_offsets ? 2 : 4
  if (part.body + count * bytes_each > part.end) throw invalid('resources end early')
  if (flags & is_sparse) {
    // Pairs of number and offset, in the order of their numbers.
    for (let low = 0, high = count - 1; low <= high;) {
      const middle = (low + high) >>> 1
      const at = part.body + middle * 4
      const here = bytes.readUInt16LE(at)
      if (here === index) return bytes.readUInt16LE(at + 2) * 4
      if (here < index) low = middle + 1
      else high = middle - 1
    }
    return undefined
  }
  if (index >= count) return undefined
  if (bytes_each === 2) {
    const short = bytes.readUInt16LE(part.body + index * 2)
    return short === 0xffff ? undefined : short * 4
  }
  const offset = bytes.readUInt32LE(part.body + index * 4)
  return offset === 0xffffffff ? undefined : offset
}

function configOf(bytes: Buffer, { start }: Chunk): { language: string; density: number } {
  const at = start + 20
  const [first, second] = [bytes.readUInt8(at + 8), bytes.readUInt8(at + 9)]
  // Languages of three letters are packed into the same two bytes; none of them is one that is looked for.
  const language = first === 0 ? '' : first & 0x80 ? '?' : String.fromCharCode(first, second)
  return { language, density: bytes.readUInt16LE(at + 14) }
}
