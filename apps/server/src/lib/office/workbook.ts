import { refuse } from '../../refusal.ts'
import { readFormats } from './formats.ts'
import type { Package } from './package.ts'
import { Texts } from './texts.ts'
import { readCells } from './worksheet.ts'
import type { SheetRow } from './cells.ts'
import { attribute, decoded, scanXml } from './xml.ts'

const small_part = { bytes: 4 * 1024 ** 2, tags: 100_000 }
/** Three texts in every row that nobody else has, and as many again. */
const strings_part = { bytes: 32 * 1024 ** 2, tags: 2_500_000, count: 400_000 }

/** The rows of the first visible sheet of an XLSX file, in their order. */
export async function* xlsxRows(parts: Package): AsyncGenerator<SheetRow> {
  if (parts.has('xl/workbook.bin')) refuse('sheet_not_supported')
  const { sheet, styles, strings, is_1904 } = await resolve(parts)
  const formats = await readFormats(parts, styles, is_1904)
  yield* readCells(parts, sheet, { strings: await readStrings(parts, strings), formats })
}

type Link = { type: string; target: string }

/** Which parts hold the sheet and what it refers to. */
async function resolve(
  parts: Package,
): Promise<{ sheet: string; styles?: string; strings?: string; is_1904: boolean }> {
  const workbook = await workbookOf(parts)
  const own = await links(parts, workbook)
  const { ids, is_1904 } = await sheetIds(parts, workbook)
  const sheet = ids.map((id) => own.get(id)).find((link) => link?.type === 'worksheet')?.target
  const of = (wanted: string) => [...own.values()].find(({ type }) => type === wanted)?.target
  const [styles, strings] = [of('styles'), of('sharedStrings')]
  if (sheet === undefined || !parts.has(sheet)) return refuse('sheet_damaged')
  return { sheet, is_1904, ...(styles !== undefined && { styles }), ...(strings !== undefined && { strings }) }
}

async function workbookOf(parts: Package): Promise<string> {
  const root = await links(parts, '')
  const workbook = [...root.values()].find(({ type }) => type === 'officeDocument')?.target ?? 'xl/workbook.xml'
  return parts.has(workbook) ? workbook : refuse('sheet_damaged')
}

/** The names of the sheets that people see. */
export const xlsxNames = async (parts: Package): Promise<string[]> =>
  (await sheetIds(parts, await workbookOf(parts))).names

async function links(parts: Package, part: string): Promise<Map<string, Link>> {
  const folder = part.slice(0, part.lastIndexOf('/') + 1)
  const name = `${folder}_rels/${part.slice(folder.length)}.rels`
  const found = new Map<string, Link>()
  if (!parts.has(name)) return found
  const open = (tag: string, attributes: string) => {
    if (tag !== 'Relationship') return
    const type = attribute(attributes, 'Type')?.split('/').at(-1) ?? ''
    found.set(attribute(attributes, 'Id') ?? '', { type, target: place(folder, attribute(attributes, 'Target') ?? '') })
  }
  await scanXml(parts.read(name, small_part.bytes), { open, close() {}, text() {} }, small_part.tags)
  return found
}

function place(folder: string, target: string): string {
  try {
    return decodeURI(new URL(target, `file:///${folder}`).pathname).slice(1)
  } catch {
    return refuse('sheet_damaged')
  }
}

/** Relationship ids and names of the sheets that people see, in their order, and whether its days are counted from 1904. */
async function sheetIds(
  parts: Package,
  workbook: string,
): Promise<{ ids: string[]; names: string[]; is_1904: boolean }> {
  const ids: string[] = []
  const names: string[] = []
  let is_1904 = false
  const open = (tag: string, attributes: string) => {
    if (tag === 'sheet' && !/idden/.test(attribute(attributes, 'state') ?? '')) {
      ids.push(/\s\w+:id\s*=\s*["']([^"']*)["']/i.exec(attributes)?.[1] ?? '')
      names.push(attribute(attributes, 'name') ?? '')
    } else if (tag === 'workbookPr') is_1904 = /^(1|true)$/.test(attribute(attributes, 'date1904') ?? '')
  }
  await scanXml(parts.read(workbook, small_part.bytes), { open, close() {}, text() {} }, small_part.tags)
  return { ids, names, is_1904 }
}

/** Texts that cells refer to by number. Readings in another script (`rPh`) are no part of a text. */
async function readStrings(parts: Package, name: string | undefined): Promise<Texts> {
  const strings = new Texts()
  if (name === undefined || !parts.has(name)) return strings
  let text = ''
  let is_text = false
  let is_reading = false
  await scanXml(
    parts.read(name, strings_part.bytes),
    {
      open(tag) {
        if (tag === 'si') text = ''
        else if (tag === 'rPh') is_reading = true
        else if (tag === 't') is_text = !is_reading
      },
      close(tag) {
        if (tag === 'si') {
          strings.push(decoded(text))
          if (strings.count > strings_part.count) refuse('sheet_beyond_limits')
        }
        if (tag === 'rPh') is_reading = false
        else if (tag === 't') is_text = false
      },
      text(raw) {
        if (is_text) text += raw
      },
    },
    strings_part.tags,
  )
  return strings
}
