import { columnsOf, information_limits, informationColumns, informationList } from '@mdm/contract'
import type { ErrorName, InformationColumn, InformationName, Language } from '@mdm/contract'
import { faultOfCell, lineOf, openTable, titleKey } from '../../../lib/sheet-table.ts'
import { refuse } from '../../../refusal.ts'

/** What a row of the sheet says; a cell that cannot be trusted is empty, and the fault says why. */
export type ReadRow = {
  row: number
  values: Partial<Record<InformationColumn, string>>
  faults: { column: InformationColumn; name: ErrorName }[]
}
export type ReadInformation = { rows: ReadRow[]; unknown_columns: string[] }

/** Titles of exported lists that mean nothing when they come back. */
const ignored = [
  'uid_count',
  'UIDs',
  'Số UID',
  'UID 数',
  'Created',
  'Updated',
  'Ngày tạo',
  'Cập nhật',
  '创建时间',
  '更新时间',
]

/** The rows of a sheet of this list. Refuses a sheet without its required columns. */
export async function readInformation(
  bytes: Buffer,
  name: InformationName,
  language: Language,
): Promise<ReadInformation> {
  const columns = columnsOf(informationList(name))
  const meanings = new Map<string, InformationColumn | 'ignored'>([
    ...ignored.map((title) => [titleKey(title), 'ignored'] as const),
    ...columns.flatMap((column) =>
      [column, ...Object.values(informationColumns[column])].map((title) => [titleKey(title), column] as const),
    ),
  ])
  const table = await openTable(bytes, {
    columns,
    required: columns.filter((column) => column !== 'remark'),
    columnOf: (title) => meanings.get(titleKey(title)),
    titleOf: (column) => informationColumns[column][language],
  })
  const rows: ReadRow[] = []
  for await (const { n, cells } of table.rows) {
    const read: ReadRow = { row: n, values: {}, faults: [] }
    for (const [column, at] of table.at) {
      const cell = cells[at]
      if (cell?.fault) read.faults.push({ column, name: faultOfCell[cell.fault] })
      else if (cell) read.values[column] = lineOf(cell)
    }
    if (Object.keys(read.values).length + read.faults.length === 0) continue
    if (rows.push(read) > information_limits.import_rows)
      refuse('sheet_too_many_rows', { max: information_limits.import_rows })
  }
  if (rows.length === 0) refuse('sheet_empty')
  return { rows, unknown_columns: table.unknown }
}
