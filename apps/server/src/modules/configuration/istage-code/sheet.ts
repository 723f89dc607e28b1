import type { ErrorName } from '@mdm/contract'
import { stagingCodeLimits } from '@mdm/contract'
import { faultOfCell, lineOf, openTable, titleKey } from '../../../lib/sheet-table.ts'
import { refuse } from '../../../refusal.ts'

export type ValueRow = {
  /** The number that the spreadsheet program shows beside it. */
  row: number
  /** What stands in its first cell that has something. */
  label: string
  values: Record<string, string>
  fault?: { column: string; name: ErrorName }
}

/** The rows of a sheet that has a column for each variable. Refuses one that lacks any. */
export async function readValues(bytes: Buffer, columns: readonly string[]): Promise<ValueRow[]> {
  const named = new Map(columns.map((column) => [titleKey(column), column]))
  const table = await openTable(bytes, {
    columns,
    required: columns,
    columnOf: (title) => named.get(titleKey(title)) ?? 'ignored',
    titleOf: (column) => column,
  })
  const rows: ValueRow[] = []
  for await (const { n, cells } of table.rows) {
    const label = cells.flatMap((cell) => (cell && lineOf(cell)) || []).at(0)
    if (label === undefined) continue
    const read: ValueRow = { row: n, label, values: {} }
    for (const [column, at] of table.at) {
      const cell = cells[at]
      if (cell?.fault) read.fault ??= { column, name: faultOfCell[cell.fault] }
      read.values[column] = cell ? lineOf(cell) : ''
    }
    if (rows.push(read) > stagingCodeLimits.rows) refuse('sheet_too_many_rows', { max: stagingCodeLimits.rows })
  }
  if (rows.length === 0) refuse('sheet_empty')
  return rows
}
