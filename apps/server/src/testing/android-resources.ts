import { attributes } from '../lib/apk/xml.ts'

/** A value as Android's tools write it: a text, a reference to a resource, a number, a truth. */
export type TestValue = string | { ref: number } | number | boolean
export type TestElement = {
  name: string
  attributes: Partial<Record<keyof typeof attributes | 'package', TestValue>>
  children?: TestElement[]
}

const nothing = 0xffffffff
const u16 = (...values: number[]) => numbered(2, values)
const u32 = (...values: number[]) => numbered(4, values)
function numbered(bytes: number, values: readonly number[]): Buffer {
  const buffer = Buffer.alloc(bytes * values.length)
  for (const [at, value] of values.entries()) buffer.writeUIntLE(value, at * bytes, bytes)
  return buffer
}

const chunk = (type: number, header: Buffer, ...body: Buffer[]): Buffer => {
  const content = Buffer.concat(body)
  return Buffer.concat([u16(type, header.length + 8), u32(header.length + 8 + content.length), header, content])
}

function pool(strings: readonly string[]): Buffer {
  const length = (value: number) => (value < 128 ? [value] : [(value >> 8) | 0x80, value & 0xff])
  const parts = strings.map((text) => {
    const bytes = Buffer.from(text)
    return Buffer.concat([Buffer.from([...length(text.length), ...length(bytes.length)]), bytes, Buffer.from([0])])
  })
  let at = 0
  const offsets = parts.map((part) => (at += part.length) - part.length)
  const padding = Buffer.alloc((4 - (at % 4)) % 4)
  const start = 28 + offsets.length * 4
  const header = u32(strings.length, 0, 0x100, start, 0)
  return chunk(0x0001, header, u32(...offsets), ...parts, padding)
}

/** Texts by their number, each once. */
function numbering(first: readonly string[] = []) {
  const known = [...first]
  const of = (text: string): number => {
    const at = known.indexOf(text)
    return at >= 0 ? at : known.push(text) - 1
  }
  return { known, of }
}

const valueOf = (value: TestValue, text: (value: string) => number): Buffer => {
  const [type, data] =
    typeof value === 'string'
      ? [0x03, text(value)]
      : typeof value === 'boolean'
        ? [0x12, value ? nothing : 0]
        : typeof value === 'number'
          ? [0x10, value >>> 0]
          : [0x01, value.ref]
  return Buffer.concat([u16(8), Buffer.from([0, type]), u32(data)])
}

/** A file in Android's binary XML. */
export function binaryXml(root: TestElement): Buffer {
  const named = Object.keys(attributes) as (keyof typeof attributes)[]
  const strings = numbering(named)
  const body: Buffer[] = []
  const write = ({ name, attributes: given, children = [] }: TestElement) => {
    const all = Object.entries(given).map(([key, value]) =>
      Buffer.concat([
        u32(nothing, strings.of(key), typeof value === 'string' ? strings.of(value) : nothing),
        valueOf(value, strings.of),
      ]),
    )
    const about = Buffer.concat([u32(nothing, strings.of(name)), u16(20, 20, all.length, 0, 0, 0)])
    body.push(chunk(0x0102, u32(1, nothing), about, ...all))
    for (const child of children) write(child)
    body.push(chunk(0x0103, u32(1, nothing), u32(nothing, strings.of(name))))
  }
  write(root)
  const ids = chunk(0x0180, Buffer.alloc(0), u32(...named.map((key) => attributes[key])))
  return chunk(0x0003, Buffer.alloc(0), pool(strings.known), ids, ...body)
}

type Part = { locale?: [language: string, country?: string]; entries: (TestValue | TestValue[])[] }
/** `resources.arsc` of one package: each kind of resource, numbered from 1, in its configurations. */
export function resourceTable(kinds: Part[][]): Buffer {
  const strings = numbering()
  const parts = kinds.flatMap((of, kind) => of.map((part) => partOf(kind + 1, part, strings.of)))
  const about = Buffer.concat([u32(0x7f), Buffer.alloc(256), u32(0, 0, 0, 0, 0)])
  const content = chunk(0x0200, about, ...parts)
  return chunk(0x0002, u32(1), pool(strings.known), content)
}
export const resource = (kind: number, entry: number) => ({ ref: 0x7f000000 | (kind << 16) | entry })

function partOf(
  kind: number,
  { locale: [language = '', country = ''] = [''], entries }: Part,
  text: (value: string) => number,
) {
  const written = entries.map((entry) =>
    Array.isArray(entry)
      ? Buffer.concat([
          u16(16, 1),
          u32(0, 0, entry.length),
          ...entry.flatMap((value, at) => [u32(0x02000000 + at), valueOf(value, text)]),
        ])
      : Buffer.concat([u16(8, 0), u32(0), valueOf(entry, text)]),
  )
  let at = 0
  const offsets = written.map((part) => (at += part.length) - part.length)
  const config = Buffer.alloc(28)
  config.writeUInt32LE(28)
  config.write(`${language.padEnd(2, '\0')}${country.padEnd(2, '\0')}`, 8, 'latin1')
  const start = 48 + offsets.length * 4
  const header = Buffer.concat([Buffer.from([kind, 0, 0, 0]), u32(entries.length, start), config])
  return chunk(0x0201, header, u32(...offsets), ...written)
}

/** A program that says what can be set of it, as `settings` has it when it is read. */
export function configurableProgram(name: string): { name: string; content: Buffer }[] {
  const [file, words, lists] = [1, 2, 3]
  const manifest = binaryXml({
    name: 'manifest',
    attributes: { package: name, version_code: 7, version_name: '7.0' },
    children: [
      {
        name: 'application',
        attributes: { label: 'Depot scanner' },
        children: [
          { name: 'activity', attributes: { name: '.Main' }, children: [] },
          {
            name: 'meta-data',
            attributes: { name: 'android.content.APP_RESTRICTIONS', resource: resource(file, 0) },
          },
        ],
      },
    ],
  })
  const setting = (given: TestElement['attributes'], children: TestElement[] = []) => ({
    name: 'restriction',
    attributes: given,
    children,
  })
  const restrictions = binaryXml({
    name: 'restrictions',
    attributes: {},
    children: [
      setting({
        key: 'server',
        restriction_type: 6,
        title: resource(words, 0),
        description: resource(words, 1),
        default_value: 'https://scan.example.com',
      }),
      setting({ key: 'torch', restriction_type: 1, title: 'Torch', default_value: true }),
      setting({ key: 'timeout', restriction_type: 5, title: 'Time-out', default_value: 30 }),
      setting({
        key: 'mode',
        restriction_type: 2,
        title: 'Mode',
        entries: resource(lists, 0),
        entry_values: resource(lists, 1),
        default_value: 'fast',
      }),
      setting({
        key: 'symbologies',
        restriction_type: 4,
        title: 'Symbologies',
        entries: resource(lists, 2),
        entry_values: resource(lists, 2),
        default_value: resource(lists, 3),
      }),
      setting({ key: 'hosts', restriction_type: 8, title: 'Hosts' }, [
        setting({ key: 'host', restriction_type: 6, title: 'Host' }),
      ]),
      setting({ key: 'không dấu', restriction_type: 6, title: 'A key that cannot be sent' }),
    ],
  })
  const resources = resourceTable([
    [{ entries: ['res/xR.xml'] }],
    [
      { entries: ['Server', 'Where scans go'] },
      { locale: ['vi'], entries: ['Máy chủ', 'Nơi nhận dữ liệu quét'] },
      { locale: ['zh', 'TW'], entries: ['伺服器', '掃描資料的去處'] },
      { locale: ['zh', 'CN'], entries: ['服务器', '扫描数据的去向'] },
    ],
    [
      {
        entries: [['Fast', resource(words, 0)], ['fast', 'careful'], ['EAN', 'QR'], ['EAN']],
      },
    ],
  ])
  return [
    { name: 'AndroidManifest.xml', content: manifest },
    { name: 'resources.arsc', content: resources },
    { name: 'res/xR.xml', content: restrictions },
  ]
}
