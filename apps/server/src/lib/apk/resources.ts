import { chunkAt, chunksIn, chunkTypes, stringsOf, valueAt, valueTypes } from './chunks.ts'
import type { Chunk, Strings, Value } from './chunks.ts'
import { invalid } from './source.ts'

/** What a value of the resources is meant for: a language, a country, a density of the screen in dpi. */
type Meant = { language: string; country: string; density: number }
/** A text of the resources with what it is meant for. */
export type Found = Meant & { text: string }
export type FoundList = Meant & { values: Value[] }
/** What a reference leads to, in every configuration; nothing for a value that is no reference. */
export type Resources = {
  texts(reference: Value): Found[]
  /** The first value that is itself no reference; of a value that is none itself. */
  value(of: Value): Value | undefined
  /** Of an array, what stands in it; a text in it is found by `text`. */
  lists(reference: Value): FoundList[]
  text(value: Value): string | undefined
}
export const no_resources: Resources = {
  texts: () => [],
  value: () => undefined,
  lists: () => [],
  text: () => undefined,
}

const is_sparse = 0x01
const has_short_offsets = 0x02
const is_complex = 0x01
const is_compact = 0x08
/** References to references: real ones are a step or two, and a circle has no end. */
const steps_max = 8
const found_max = 500
const list_max = 500

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

  type Step = { id: number; meant: Meant; step: number }
  /** Each configuration of a resource with where it stands in the table, references followed. */
  function* resolved({ id, meant, step }: Step): Generator<Meant & { entry: Entry }> {
    if (step > steps_max) return
    for (const part of byType.get(id >>> 16) ?? []) {
      const entry = entryOf(bytes, part, id & 0xffff)
      if (!entry) continue
      const own = configOf(bytes, part)
      const here = {
        language: own.language || meant.language,
        country: own.language ? own.country : meant.country,
        density: own.density || meant.density,
      }
      if (entry.value?.type === valueTypes.reference)
        yield* resolved({ id: entry.value.data, meant: here, step: step + 1 })
      else yield { entry, ...here }
    }
  }
  function found<T>({ type, data }: Value, read: (entry: Entry) => T | undefined): (Meant & { read: T })[] {
    if (type !== valueTypes.reference) return []
    const all: (Meant & { read: T })[] = []
    const meant = { language: '', country: '', density: 0 }
    for (const { entry, ...here } of resolved({ id: data, meant, step: 0 })) {
      const one = read(entry)
      if (one !== undefined && all.push({ ...here, read: one }) >= found_max) break
    }
    return all
  }
  const text = ({ type, data }: Value) => (type === valueTypes.string ? strings?.(data) : undefined)
  return {
    text,
    texts: (reference) =>
      found(reference, ({ value }) => (value && text(value)) || undefined).map(({ read, ...meant }) => ({
        ...meant,
        text: read,
      })),
    value: (of) => (of.type === valueTypes.reference ? found(of, ({ value }) => value)[0]?.read : of),
    lists: (reference) =>
      found(reference, ({ list }) => list).map(({ read, ...meant }) => ({ ...meant, values: read })),
  }
}

/** What a resource is in one configuration: one value, or several. */
type Entry = { value?: Value; list?: Value[] }
/** Undefined where it has nothing of its own. */
function entryOf(bytes: Buffer, part: Chunk, index: number): Entry | undefined {
  const flags = bytes.readUInt8(part.start + 9)
  const count = bytes.readUInt32LE(part.start + 12)
  const first = part.start + bytes.readUInt32LE(part.start + 16)
  const offset = offsetOf(bytes, part, { flags, count, index })
  if (offset === undefined) return undefined
  const at = first + offset
  if (at + 16 > part.end && at + 8 > part.end) throw invalid('a resource ends early')
  const entry_flags = bytes.readUInt16LE(at + 2)
  if (entry_flags & is_compact) return { value: { type: entry_flags >>> 8, data: bytes.readUInt32LE(at + 4) } }
  if (at + 16 > part.end) throw invalid('a resource ends early')
  if (entry_flags & is_complex) return { list: listAt(bytes, at, part.end) }
  return { value: valueAt(bytes, at + bytes.readUInt16LE(at)) }
}

/** The values of an array, in their order; their names are numbers that nobody needs. */
function listAt(bytes: Buffer, at: number, end: number): Value[] {
  const start = at + bytes.readUInt16LE(at)
  const count = Math.min(list_max, bytes.readUInt32LE(at + 12))
  if (start + count * 12 > end) throw invalid('an array ends early')
  return Array.from({ length: count }, (_, n) => valueAt(bytes, start + n * 12 + 4))
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

function configOf(bytes: Buffer, { start }: Chunk): Meant {
  const at = start + 20
  const [first, second] = [bytes.readUInt8(at + 8), bytes.readUInt8(at + 9)]
  // Languages of three letters are packed into the same two bytes; none of them is one that is looked for.
  const language = first === 0 ? '' : first & 0x80 ? '?' : String.fromCharCode(first, second)
  const country = bytes.toString('latin1', at + 10, at + 12).replaceAll('\0', '')
  return { language, country, density: bytes.readUInt16LE(at + 14) }
}
