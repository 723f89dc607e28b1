import { chunkAt, chunksIn, chunkTypes, stringsOf, valueAt, valueTypes } from './chunks.ts'
import type { Chunk, Strings, Value } from './chunks.ts'
import { invalid } from './source.ts'

/** What a manifest says of its program. A text may stand in the resources: then it is a value to be looked up. */
export type Manifest = {
  package: string | undefined
  /** The part that this is of a program in several; undefined of a whole one and of the base. */
  split: string | undefined
  version_code: number | undefined
  version_name: string | Value | undefined
  min_sdk: number | undefined
  target_sdk: number | undefined
  permissions: string[]
  label: string | Value | undefined
  icon: Value | undefined
}

/** Attributes by their number in Android: names are often left out of the file, or wrong on purpose. */
const ids = {
  label: 0x01010001,
  icon: 0x01010002,
  name: 0x01010003,
  min_sdk: 0x0101020c,
  version_code: 0x0101021b,
  version_name: 0x0101021c,
  target_sdk: 0x01010270,
  version_code_major: 0x01010576,
} as const

const permissions_max = 1_000
const attribute_bytes = 20
const nothing = 0xffffffff

/** Reads AndroidManifest.xml as it stands in a package, in Android's binary XML. Throws ApkError. */
export function readManifest(bytes: Buffer): Manifest {
  const file = chunkAt(bytes, 0)
  if (file.type !== chunkTypes.xml) throw invalid('the manifest is no binary XML')
  let strings: Strings | undefined
  let numbers: (index: number) => number | undefined = () => undefined
  const found: Manifest = {
    package: undefined,
    split: undefined,
    version_code: undefined,
    version_name: undefined,
    min_sdk: undefined,
    target_sdk: undefined,
    permissions: [],
    label: undefined,
    icon: undefined,
  }
  const permissions = new Set<string>()
  let depth = 0
  for (const chunk of chunksIn(bytes, file.body, file.end)) {
    if (chunk.type === chunkTypes.strings) strings ??= stringsOf(bytes, chunk)
    if (chunk.type === chunkTypes.xml_ids) numbers = idsOf(bytes, chunk)
    if (chunk.type === chunkTypes.xml_end) depth -= 1
    if (chunk.type !== chunkTypes.xml_start) continue
    depth += 1
    // Only the manifest itself and what stands directly in it: what is deeper describes parts of the program.
    if (depth > 2) continue
    if (!strings) throw invalid('the manifest has no strings')
    const element = elementOf(bytes, chunk, strings, numbers)
    if (depth === 1) readRoot(element, found)
    else readChild(element, found, permissions)
    if (permissions.size > permissions_max) throw invalid('too many permissions')
  }
  return { ...found, permissions: [...permissions] }
}

function readRoot({ name, attribute, named }: Element, found: Manifest): void {
  if (name !== 'manifest') throw invalid('not a manifest')
  found.package = named('package')
  found.split = named('split')
  found.version_name = attribute(ids.version_name)
  const code = numberOf(attribute(ids.version_code))
  const major = numberOf(attribute(ids.version_code_major)) ?? 0
  const whole = code === undefined ? undefined : major * 2 ** 32 + code
  if (Number.isSafeInteger(whole)) found.version_code = whole
}

function readChild({ name, attribute }: Element, found: Manifest, permissions: Set<string>): void {
  if (name === 'uses-sdk') {
    found.min_sdk = numberOf(attribute(ids.min_sdk))
    found.target_sdk = numberOf(attribute(ids.target_sdk))
  }
  if (name === 'uses-permission' || name === 'uses-permission-sdk-23') {
    const permission = attribute(ids.name)
    if (typeof permission === 'string' && permission !== '') permissions.add(permission.slice(0, 200))
  }
  if (name === 'application') {
    const icon = attribute(ids.icon)
    found.label = attribute(ids.label)
    found.icon = typeof icon === 'object' ? icon : undefined
  }
}

/** Integers, in decimal or hexadecimal notation. */
const numberOf = (value: string | Value | undefined): number | undefined =>
  typeof value === 'object' && (value.type === 0x10 || value.type === 0x11) ? value.data : undefined

type Element = {
  name: string | undefined
  attribute(id: number): string | Value | undefined
  /** The two that Android gives no number. */
  named(name: string): string | undefined
}

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
