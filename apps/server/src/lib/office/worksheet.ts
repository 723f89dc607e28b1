import { refuse } from '../../refusal.ts'
import type { Formats } from './formats.ts'
import { columnOf, sheet_limits } from './cells.ts'
import type { SheetCell, SheetRow } from './cells.ts'
import { mergedBelow } from './merges.ts'
import type { Package } from './package.ts'
import type { Texts } from './texts.ts'
import { attribute, decoded, Scanner } from './xml.ts'
/** Twelve columns in every row, each cell being four tags. What is larger takes seconds to read. */
const part = { bytes: 128 * 1024 ** 2, tags: 2_500_000 }
const rows_of_excel = 1_048_576

type Meaning = { strings: Texts; formats: Formats }

/** The rows of a worksheet that have something in them. */
export async function* readCells(parts: Package, name: string, meaning: Meaning): AsyncGenerator<SheetRow> {
  const fill = await mergedBelow(parts.read(name, part.bytes))
  const rows: SheetRow[] = []
  const scanner = new Scanner(rowHandler(meaning, rows), part.tags)
  for await (const chunk of parts.read(name, part.bytes)) {
    scanner.write(chunk)
    for (const row of rows.splice(0)) {
      fill(row)
      yield row
    }
  }
  scanner.end()
}

function rowHandler(meaning: Meaning, rows: SheetRow[]) {
  let row: SheetRow = { n: 0, cells: [] }
  let column = -1
  let cell: RawCell | undefined
  let into: 'value' | 'inline' | undefined
  let is_reading = false
  return {
    open(tag: string, attributes: string) {
      if (tag === 'c') {
        column = columnOf(attribute(attributes, 'r')) ?? column + 1
        const style = Number(attribute(attributes, 's') ?? 0)
        cell = {
          type: attribute(attributes, 't') ?? 'n',
          style,
          value: '',
          inline: '',
          has_value: false,
          has_formula: false,
        }
      } else if (tag === 'row') {
        row = { n: Number(attribute(attributes, 'r') ?? row.n + 1), cells: [] }
        if (!Number.isInteger(row.n) || row.n < 1 || row.n > rows_of_excel) refuse('sheet_damaged')
        column = -1
      } else if (!cell) return
      else if (tag === 'v') {
        into = 'value'
        cell.has_value = true
      } else if (tag === 'f') cell.has_formula = true
      else if (tag === 'rPh') is_reading = true
      else if (tag === 't' && !is_reading) into = 'inline'
    },
    close(tag: string) {
      if (tag === 'v' || tag === 't') into = undefined
      else if (tag === 'rPh') is_reading = false
      else if (tag === 'row') {
        if (row.cells.some(Boolean)) rows.push(row)
      } else if (tag === 'c' && cell) {
        const found = meant(cell, meaning)
        cell = undefined
        if (!found) return
        if (column >= sheet_limits.columns) refuse('sheet_too_many_columns', { max: sheet_limits.columns })
        row.cells[column] = found
      }
    },
    text(raw: string) {
      if (!cell || !into) return
      cell[into] += raw
      if (cell[into].length > 8 * sheet_limits.cell_chars) refuse('sheet_damaged')
    },
  }
}

type RawCell = {
  type: string
  style: number
  value: string
  inline: string
  has_value: boolean
  has_formula: boolean
}

/** What the cell shows; undefined for nothing. A formula shows what it was when the file was saved. */
function meant(cell: RawCell, { strings, formats }: Meaning): SheetCell | undefined {
  const { type, value } = cell
  if (cell.has_formula && !cell.has_value) return { text: '', fault: 'formula' }
  if (type === 'e') return { text: decoded(value), fault: 'error' }
  if (type === 'd') return { text: decoded(value).trim().slice(0, 10), fault: 'date' }
  const found = textOf(cell, strings) ?? (value.trim() === '' ? { text: '' } : formats(value.trim(), cell.style))
  const text = found.text.trim()
  return text === '' && found.fault === undefined ? undefined : { ...found, text }
}

function textOf({ type, value, inline }: RawCell, strings: Texts): SheetCell | undefined {
  if (type === 's') return { text: strings.at(Number(value)) ?? refuse('sheet_damaged') }
  if (type === 'inlineStr') return { text: decoded(inline) }
  if (type === 'str') return { text: decoded(value) }
  if (type === 'b') return { text: value.trim() === '1' ? 'TRUE' : 'FALSE' }
  return undefined
}
