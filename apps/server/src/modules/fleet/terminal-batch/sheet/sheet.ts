import { batchColumns, batch_limits } from '@mdm/contract'
import type { BatchColumn, Language } from '@mdm/contract'
import { refuse } from '../../../../refusal.ts'
import type { SheetRow } from '../../../../lib/sheet-read.ts'
import { faultOfCell, lineOf, openTable, sheetsOf } from '../../../../lib/sheet-table.ts'
import type { Table } from '../../../../lib/sheet-table.ts'
import { faultsOf, repetitions } from './faults.ts'
import type { Fault } from './faults.ts'
import { fieldsOf, layouts } from './layouts.ts'
import type { Fields, Layout, SheetKind } from './layouts.ts'
import { columnOfTitle } from './titles.ts'
import { stampedWeek } from '../week.ts'

export type ReadRow = Fields & { row: number; faults: Fault[] }
export type ReadTable = {
  rows: ReadRow[]
  unknown_columns: string[]
  sheet: string | null
  other_sheets: string[]
  week: string | undefined
}

/** Of all fields: what the rows of a batch may have when they come back to be registered. */
const table_chars = 12 * 1024 ** 2

/** The devices of a sheet, each with what is wrong with its row. Refuses a sheet without its columns. */
export async function readTable(bytes: Buffer, kind: SheetKind, language: Language): Promise<ReadTable> {
  const layout = layouts[kind]
  const titleOf = (column: BatchColumn) => batchColumns[column][language]
  const table = await openTable(bytes, { ...layout, columnOf: columnOfTitle, titleOf })
  const rows: ReadRow[] = []
  const repeated = repetitions()
  let chars = 0
  for await (const row of table.rows) {
    const made = rowOf(row, table, layout, repeated)
    if (!made) continue
    chars += layout.columns.reduce((sum, column) => sum + made[column].length, 0)
    if (chars > table_chars) refuse('sheet_beyond_limits')
    if (rows.push(made) > batch_limits.rows) refuse('sheet_too_many_rows', { max: batch_limits.rows })
  }
  if (rows.length === 0) refuse('sheet_empty')
  const week = table.above.flatMap(({ cells }) => cells.map((cell) => stampedWeek(cell?.text ?? ''))).find(Boolean)
  return { rows, unknown_columns: table.unknown, ...(await sheetsOf(bytes, batch_limits.other_sheets)), week }
}

/** Undefined when the row has nothing in any column that counts. */
function rowOf(
  { n, cells }: SheetRow,
  { at }: Table<BatchColumn>,
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
    const is_sound = !cell.fault || (cell.fault === 'date' && column === 'production_date' && cell.text !== '')
    given[column] = is_sound ? lineOf(cell) : ''
    if (is_sound || !cell.fault) continue
    untrusted.add(column)
    faults.push({ name: faultOfCell[cell.fault], details: { column, value: cell.text.slice(0, 40) } })
  }
  if (is_empty) return undefined
  const row = fieldsOf(given)
  const own = faultsOf(row, layout).filter(
    ({ name, details }) => name !== 'row_value_missing' || !untrusted.has(details?.['column']),
  )
  const again = repeated(row.sn, n)
  return { ...row, row: n, faults: [...faults, ...own, ...(again ? [again] : [])] }
}
