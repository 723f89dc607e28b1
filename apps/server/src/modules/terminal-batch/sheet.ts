import { batchColumns, batch_limits } from '@mdm/contract'
import type { BatchColumn, Language } from '@mdm/contract'
import { refuse } from '../../refusal.ts'
import { readSheet } from '../../lib/sheet-read.ts'
import type { CellFault, SheetRow } from '../../lib/sheet-read.ts'
import { faultsOf, repetitions } from './faults.ts'
import type { Fault } from './faults.ts'
import { fieldsOf, layouts } from './layouts.ts'
import type { Fields, Layout, SheetKind } from './layouts.ts'
import { columnOfTitle } from './titles.ts'
import { stampedWeek } from './week.ts'

export type ReadRow = Fields & { row: number; faults: Fault[] }
export type ReadTable = { rows: ReadRow[]; unknown_columns: string[]; week: string | undefined }

/** Of all fields: what the rows of a batch may have when they come back to be registered. */
const table_chars = 12 * 1024 ** 2
/** Titles and remarks may stand above the header. */
const header_within = 20
const fault_of_cell: Record<CellFault, Fault['name']> = {
  date: 'cell_is_date',
  rounded: 'cell_number_rounded',
  formula: 'cell_formula_unsaved',
  error: 'cell_has_error',
}

/** The devices of a sheet, each with what is wrong with its row. Refuses a sheet without its columns. */
export async function readTable(bytes: Buffer, kind: SheetKind, language: Language): Promise<ReadTable> {
  const layout = layouts[kind]
  const above: SheetRow[] = []
  const rows: ReadRow[] = []
  const repeated = repetitions()
  let header: Header | undefined
  let chars = 0
  for await (const row of readSheet(bytes)) {
    if (!header) {
      above.push(row)
      const found = headerIn(row, layout)
      if (missing(found, layout).length === 0) header = found
      else if (above.length >= header_within) break
      continue
    }
    const made = rowOf(row, header, layout, repeated)
    if (!made) continue
    chars += layout.columns.reduce((sum, column) => sum + made[column].length, 0)
    if (chars > table_chars) refuse('sheet_beyond_limits')
    if (rows.push(made) > batch_limits.rows) refuse('sheet_too_many_rows', { max: batch_limits.rows })
  }
  if (!header) return refuseWithout(above, layout, language)
  if (rows.length === 0) refuse('sheet_empty')
  const week = above.flatMap(({ cells }) => cells.map((cell) => stampedWeek(cell?.text ?? ''))).find(Boolean)
  return { rows, unknown_columns: header.unknown, week }
}

type Header = { at: Map<BatchColumn, number>; unknown: string[] }

function headerIn({ cells }: SheetRow, { columns }: Layout): Header {
  const header: Header = { at: new Map(), unknown: [] }
  for (const [at, cell] of cells.entries()) {
    if (!cell?.text) continue
    const column = columnOfTitle(cell.text)
    if (column === 'ignored') continue
    if (column && columns.includes(column) && !header.at.has(column)) header.at.set(column, at)
    // Of two columns for the same the first counts, and the other is named.
    else header.unknown.push(cell.text.slice(0, 80))
  }
  return header
}

const missing = ({ at }: Header, { required }: Layout): BatchColumn[] => required.filter((column) => !at.has(column))

/** Names what the row that looks most like a header lacks. */
function refuseWithout(above: readonly SheetRow[], layout: Layout, language: Language): never {
  if (above.length === 0) refuse('sheet_empty')
  const lacking = above.map((row) => missing(headerIn(row, layout), layout)).sort((a, b) => a.length - b.length)[0]!
  const columns = lacking.map((column) => batchColumns[column][language]).join(', ')
  return refuse('sheet_columns_missing', { columns })
}

/** Undefined when the row has nothing in any column that counts. */
function rowOf(
  { n, cells }: SheetRow,
  { at }: Header,
  layout: Layout,
  repeated: ReturnType<typeof repetitions>,
): ReadRow | undefined {
  const given: Partial<Fields> = {}
  const faults: Fault[] = []
  const untrusted = new Set<unknown>()
  let is_empty = true
  for (const [column, index] of at) {
    const cell = cells[index]
    if (!cell) continue
    is_empty = false
    // A cell may have lines; a device's fields have none.
    const is_sound = !cell.fault || (cell.fault === 'date' && column === 'production_date' && cell.text !== '')
    given[column] = !is_sound
      ? ''
      : cell.text
          .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
          .trim()
          .slice(0, 1000)
    if (is_sound || !cell.fault) continue
    untrusted.add(column)
    faults.push({ name: fault_of_cell[cell.fault], details: { column, value: cell.text.slice(0, 40) } })
  }
  if (is_empty) return undefined
  const row = fieldsOf(given)
  const own = faultsOf(row, layout).filter(
    ({ name, details }) => name !== 'row_value_missing' || !untrusted.has(details?.['column']),
  )
  const again = repeated(row.sn, n)
  return { ...row, row: n, faults: [...faults, ...own, ...(again ? [again] : [])] }
}
