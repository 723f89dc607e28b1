import { chunkAt, chunksIn, chunkTypes, stringsOf, valueAt, valueTypes } from './chunks.ts'
import type { Chunk, Strings, Value } from './chunks.ts'
import { invalid } from './source.ts'

/** A text of an element may stand in the resources: then it is a value to be looked up. */
export type Element = {
  name: string | undefined
  attribute(id: number): string | Value | undefined
  /** The few that Android gives no number. */
  named(name: string): string | undefined
}

/** Attributes by their number in Android: names are often left out of the file, or wrong on purpose. */
export const attributes = {
  label: 0x01010001,
  icon: 0x01010002,
  name: 0x01010003,
  description: 0x01010020,
  resource: 0x01010025,
  entries: 0x010100b2,
  title: 0x010101e1,
  key: 0x010101e8,
  default_value: 0x010101ed,
  entry_values: 0x010101f8,
  min_sdk: 0x0101020c,
  version_code: 0x0101021b,
  version_name: 0x0101021c,
  target_sdk: 0x01010270,
  restriction_type: 0x01010493,
  version_code_major: 0x01010576,
} as const

const attribute_bytes = 20
const nothing = 0xffffffff

/** The elements of a file in Android's binary XML, the root at depth 1. Each is read when it is asked for. Throws ApkError. */
export function* elementsIn(bytes: Buffer): Generator<{ depth: number; read: () => Element }> {
  const file = chunkAt(bytes, 0)
  if (file.type !== chunkTypes.xml) throw invalid('no binary XML')
  let strings: Strings | undefined
  let numbers: (index: number) => number | undefined = () => undefined
  let depth = 0
  for (const chunk of chunksIn(bytes, file.body, file.end)) {
    if (chunk.type === chunkTypes.strings) strings ??= stringsOf(bytes, chunk)
    if (chunk.type === chunkTypes.xml_ids) numbers = idsOf(bytes, chunk)
    if (chunk.type === chunkTypes.xml_end) depth -= 1
    if (chunk.type !== chunkTypes.xml_start) continue
    depth += 1
    const read = (): Element => {
      if (!strings) throw invalid('the XML has no strings')
      return elementOf(bytes, chunk, strings, numbers)
    }
    yield { depth, read }
  }
}

/** Integers, in decimal or hexadecimal notation. */
export const numberOf = (value: string | Value | undefined): number | undefined =>
  typeof value === 'object' && (value.type === 0x10 || value.type === 0x11) ? value.data : undefined

function elementOf(bytes: Buffer, chunk: Chunk, strings: Strings, idOf: (index: number) => number | undefined) {
  const { body, end } = chunk
  if (body + 20 > end) throw invalid('an element ends early')
  const start = body + bytes.readUInt16LE(body + 8)
  const size = bytes.readUInt16LE(body + 10)
  const count = bytes.readUInt16LE(body + 12)
  if (count > 0 && (size < attribute_bytes || start + size * count > end)) throw invalid('an attribute ends early')
  const byId = new Map<number, number>()
  const plain: number[] = []
  for (let at = start; at < start + size * count; at += size) {
    const id = idOf(bytes.readUInt32LE(at + 4))
    if (id === undefined || id === 0) plain.push(at)
    else if (!byId.has(id)) byId.set(id, at)
  }
  const valueOf = (at: number): string | Value | undefined => {
    const value = valueAt(bytes, at + 12)
    if (value.type === valueTypes.string) return strings(value.data)
    const raw = bytes.readUInt32LE(at + 8)
    return raw === nothing || value.type !== 0 ? value : strings(raw)
  }
  const element: Element = {
    name: strings(bytes.readUInt32LE(body + 4)),
    attribute: (id) => {
      const at = byId.get(id)
      return at === undefined ? undefined : valueOf(at)
    },
    named: (name) => {
      const at = plain.find((each) => strings(bytes.readUInt32LE(each + 4)) === name)
      const value = at === undefined ? undefined : valueOf(at)
      return typeof value === 'string' ? value : undefined
    },
  }
  return element
}

const idsOf =
  (bytes: Buffer, { body, end }: Chunk) =>
  (index: number): number | undefined =>
    body + index * 4 + 4 <= end ? bytes.readUInt32LE(body + index * 4) : undefined
