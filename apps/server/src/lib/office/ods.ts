import { refuse } from '../../refusal.ts'
import type { Package } from './package.ts'
import { sheet_limits } from './cells.ts'
import type { SheetCell, SheetRow } from './cells.ts'
import { attribute, Scanner, withoutEntities } from './xml.ts'

const content = 'content.xml'
const spreadsheet = /^application\/vnd\.oasis\.opendocument\.spreadsheet(-template)?\s*$/
/** As many cells as a worksheet of Excel may have. */
const part = { bytes: 128 * 1024 ** 2, tags: 2_500_000 }
const small_bytes = 4 * 1024 ** 2
const exact_below = 1e15
const hidden_styles_max = 1_000
const style_name_max = 1_000
/** What stands in a cell and is not what it says. */
const aside = new Set(['annotation', 'frame', 'custom-shape', 'sub-table'])

type Repeated = { row: SheetRow; times: number }

/** The rows of the first visible sheet of an ODS file that have something in them, in their order. */
export async function* odsRows(parts: Package): AsyncGenerator<SheetRow> {
  if (!spreadsheet.test(await textOf(parts, 'mimetype'))) refuse('sheet_not_supported')
  // With a password everything but the list of parts is unreadable.
  if (parts.has('META-INF/manifest.xml') && /:encryption-data\b/.test(await textOf(parts, 'META-INF/manifest.xml')))
    refuse('sheet_not_supported')
  const rows: Repeated[] = []
  const handler = rowHandler(rows)
  const scanner = new Scanner(handler, part.tags)
  for await (const chunk of parts.read(content, part.bytes)) {
    scanner.write(chunk)
    for (const { row, times } of rows.splice(0))
      for (let more = 0; more < times; more += 1) yield { n: row.n + more, cells: [...row.cells] }
    if (handler.isOver()) return
  }
  scanner.end()
}

/** The names of the sheets that people see. */
export async function odsNames(parts: Package): Promise<string[]> {
  const names: string[] = []
  const isHidden = hiddenStyles()
  let depth = 0
  const open = (tag: string, attributes: string) => {
    const is_hidden = isHidden(tag, attributes)
    // A table in a cell is no sheet.
    if (tag === 'table' && (depth += 1) === 1 && !is_hidden) names.push(attribute(attributes, 'name') ?? '')
    if (names.length > names_max) refuse('sheet_beyond_limits')
  }
  const close = (tag: string) => {
    if (tag === 'table') depth -= 1
  }
  const scanner = new Scanner({ open, close, text() {} }, part.tags)
  for await (const chunk of parts.read(content, part.bytes)) scanner.write(chunk)
  scanner.end()
  return names
}
const names_max = 1_000

/** Goes through the tags of a file in their order, and knows of a table whether its style hides it. */
function hiddenStyles(): (tag: string, attributes: string) => boolean {
  const hidden = new Set<string>()
  let style = ''
  return (tag, attributes) => {
    if (tag === 'table') return hidden.has(attribute(attributes, 'style-name') ?? '')
    if (tag === 'style') {
      style = attribute(attributes, 'name') ?? ''
      if (style.length > style_name_max) refuse('sheet_beyond_limits')
    } else if (tag === 'table-properties') {
      if (attribute(attributes, 'display') === 'false') hidden.add(copied(style))
      if (hidden.size > hidden_styles_max) refuse('sheet_beyond_limits')
    }
    return false
  }
}

async function textOf(parts: Package, name: string): Promise<string> {
  let text = ''
  for await (const chunk of parts.read(name, small_bytes)) text += chunk.toString('latin1')
  return text
}

type RawCell = { attributes: string; text: string; has_text: boolean; is_covered: boolean }

function rowHandler(rows: Repeated[]) {
  const isHidden = hiddenStyles()
  /** Of the sheet that is read: before, in, or after it. */
  let place: 'before' | 'hidden' | 'inside' | 'over' = 'before'
  let row: Repeated = { row: { n: 0, cells: [] }, times: 1 }
  let next_n = 1
  let column = 0
  let cell: RawCell | undefined
  let beside = 0
  let is_text = false
  /** What was merged downwards, by its column: people see it in all of its rows. */
  const merged = new Map<number, { bottom: number; cell: SheetCell }>()

  const put = (found: SheetCell | undefined, { attributes, is_covered }: RawCell): void => {
    const times = counted(attributes, 'number-columns-repeated')
    const above = is_covered ? merged.get(column) : undefined
    const shown = found ?? (above && above.bottom >= row.row.n ? above.cell : undefined)
    if (shown) {
      if (column + times > sheet_limits.columns) refuse('sheet_too_many_columns', { max: sheet_limits.columns })
      row.row.cells.length = Math.max(row.row.cells.length, column + times)
      row.row.cells.fill(shown, column, column + times)
      const span = counted(attributes, 'number-rows-spanned')
      if (!is_covered && span > 1) merged.set(column, { bottom: row.row.n + span - 1, cell: shown })
    }
    column += times
  }
  return {
    isOver: () => place === 'over',
    open(tag: string, attributes: string) {
      if (place === 'over') return
      const is_hidden = isHidden(tag, attributes)
      if (tag === 'table') {
        if (beside === 0) place = is_hidden ? 'hidden' : 'inside'
      } else if (place !== 'inside') return
      else if (aside.has(tag)) beside += 1
      else if (beside > 0) return
      else if (tag === 'table-row') {
        row = { row: { n: next_n, cells: [] }, times: counted(attributes, 'number-rows-repeated') }
        next_n += row.times
        column = 0
      } else if (tag === 'table-cell' || tag === 'covered-table-cell')
        cell = { attributes, text: '', has_text: false, is_covered: tag !== 'table-cell' }
      else if (!cell) return
      else if (tag === 'p') {
        if (cell.has_text) append(cell, '\n')
        cell.has_text = is_text = true
      } else if (tag === 's') append(cell, ' '.repeat(Math.min(counted(attributes, 'c'), sheet_limits.cell_chars)))
      else if (tag === 'tab') append(cell, '\t')
      else if (tag === 'line-break') append(cell, '\n')
    },
    close(tag: string) {
      if (tag === 'table' && beside === 0 && place !== 'over') place = place === 'inside' ? 'over' : 'before'
      if (place !== 'inside') return
      if (aside.has(tag)) beside -= 1
      else if (beside > 0) return
      else if (tag === 'p') is_text = false
      else if (tag === 'table-row') {
        if (row.row.cells.some(Boolean)) rows.push(row)
      } else if (cell && (tag === 'table-cell' || tag === 'covered-table-cell')) {
        put(meant(cell), cell)
        cell = undefined
      }
    },
    text(raw: string) {
      if (cell && is_text && beside === 0) append(cell, raw.replaceAll(/\s+/g, ' '))
    },
  }
}

/** Before entities are read, which are at most eight characters for one. */
function append(cell: RawCell, text: string): void {
  if (cell.text.length + text.length > 8 * sheet_limits.cell_chars) refuse('sheet_damaged')
  cell.text += text
}

/** How often something stands there, which is written once. */
function counted(attributes: string, name: string): number {
  const count = Number(attribute(attributes, name) ?? 1)
  return Number.isInteger(count) && count >= 1 && count <= 2_000_000 ? count : refuse('sheet_damaged')
}

/** What the cell shows; undefined for nothing. A formula shows what it was when the file was saved. */
function meant({ attributes, text }: RawCell): SheetCell | undefined {
  const type = attribute(attributes, 'value-type')
  const shown = withoutEntities(text).trim()
  if (/calcext:value-type\s*=\s*["']error["']/.test(attributes)) return { text: shown, fault: 'error' }
  if (type === undefined && attribute(attributes, 'formula') !== undefined) return { text: '', fault: 'formula' }
  if (type === 'date') return { text: (attribute(attributes, 'date-value') ?? shown).slice(0, 10), fault: 'date' }
  if (type === 'boolean') return { text: (attribute(attributes, 'boolean-value') ?? shown).toUpperCase() }
  if (type === 'float') return numberShown(attribute(attributes, 'value') ?? shown, shown)
  return shown === '' ? undefined : { text: shown }
}

/** With the zeros that its format puts in front; without what groups its digits. */
function numberShown(value: string, shown: string): SheetCell {
  if (/^\d+$/.test(shown) && Number(shown) === Number(value) && Number(value) < exact_below) return { text: shown }
  return Math.abs(Number(value)) < exact_below ? { text: value } : { text: '', fault: 'rounded' }
}

/** A part of a text keeps all of it in memory: here the piece of the file that the name was cut from. */
const copied = (text: string): string => Buffer.from(text).toString()
