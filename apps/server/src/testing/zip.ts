import { buffer } from 'node:stream/consumers'
import { crc32, deflateRawSync } from 'node:zlib'
import { ZipFile } from 'yazl'

export type Part = [name: string, content: string | Buffer]

/** An archive as any program would write it. */
export async function zipOf(parts: readonly Part[]): Promise<Buffer> {
  const zip = new ZipFile()
  for (const [name, content] of parts) zip.addBuffer(Buffer.from(content), name)
  zip.end()
  return buffer(zip.outputStream)
}

export type Lie = {
  name: string
  content: Buffer
  says_bytes?: number
  /** Instead of the CRC-32 of its content. */
  says_sum?: number
  /** Its name in front of its content, where that is another one; as long as `name`. */
  local_name?: string
  /** Its name in Info-ZIP's Unicode Path extra field, where it has one. */
  unicode_name?: string
  is_encrypted?: boolean
  /** What kind of file a Unix would make of it. */
  mode?: number
}

/** An archive whose directory says what it likes. `says_entries` goes into its end record. */
export function lyingZip(lies: readonly Lie[], says_entries = lies.length): Buffer {
  const bodies: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const {
    name,
    content,
    local_name = name,
    unicode_name,
    says_bytes = content.length,
    says_sum = crc32(content),
    is_encrypted = false,
    mode = 0,
  } of lies) {
    const packed = deflateRawSync(content)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(is_encrypted ? 1 : 0, 2)
    common.writeUInt16LE(8, 4)
    common.writeUInt32LE(says_sum, 10)
    common.writeUInt32LE(packed.length, 14)
    common.writeUInt32LE(says_bytes, 18)
    common.writeUInt16LE(Buffer.byteLength(name), 22)
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, Buffer.from(local_name), packed])
    const place = Buffer.alloc(14)
    place.writeUInt32LE((mode << 16) >>> 0, 6)
    place.writeUInt32LE(offset, 10)
    const extra = unicode_name === undefined ? Buffer.alloc(0) : unicodePath(name, unicode_name)
    const said = Buffer.from(common)
    said.writeUInt16LE(extra.length, 24)
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00'), said, place, Buffer.from(name), extra]))
    bodies.push(local)
    offset += local.length
  }
  const entries = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(says_entries, 8)
  end.writeUInt16LE(says_entries, 10)
  end.writeUInt32LE(entries.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...bodies, entries, end])
}

/** Info-ZIP's Unicode Path extra field: which name it replaces, and by which. */
function unicodePath(name: string, unicode_name: string): Buffer {
  const field = Buffer.alloc(9)
  field.writeUInt16LE(0x7075, 0)
  field.writeUInt16LE(5 + Buffer.byteLength(unicode_name), 2)
  field.writeUInt8(1, 4)
  field.writeUInt32LE(crc32(name), 5)
  return Buffer.concat([field, Buffer.from(unicode_name)])
}

const head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const link = (id: string, type: string, target: string) =>
  `<Relationship Id="${id}" Type="${office}/${type}" Target="${target}"/>`
const links = (...all: string[]) => `${head}<Relationships>${all.join('')}</Relationships>`

/** The parts of a workbook with one sheet; `more` are added, or replace those of their name. */
export function workbookParts(sheet: string, more: Record<string, string> = {}): Part[] {
  const parts: Record<string, string> = {
    '_rels/.rels': links(link('a', 'officeDocument', 'xl/workbook.xml')),
    'xl/workbook.xml': `${head}<workbook xmlns:r="x"><sheets><sheet name="S" sheetId="1" r:id="s"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': links(
      link('s', 'worksheet', 'worksheets/sheet1.xml'),
      link('t', 'sharedStrings', 'sharedStrings.xml'),
      link('u', 'styles', '/xl/styles.xml'),
    ),
    'xl/worksheets/sheet1.xml': sheet,
    ...more,
  }
  return Object.entries(parts)
}

export const worksheet = (rows: string, after = '') =>
  `${head}<worksheet><sheetData>${rows}</sheetData>${after}</worksheet>`
