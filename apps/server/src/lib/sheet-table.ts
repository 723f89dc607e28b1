import { refuse } from '../refusal.ts'
import { readSheet, sheetNames } from './sheet-read.ts'
import type { CellFault, SheetCell, SheetRow } from './sheet-read.ts'

/** Titles and remarks may stand above the header. */
const header_within = 20

export type TableColumns<C extends string> = {
  columns: readonly C[]
  required: readonly C[]
  /** What a title stands for: undefined when it is not known, `ignored` when it is and means nothing here. */
  columnOf: (title: string) => C | 'ignored' | undefined
  /** What a column is called when it is missed. */
  titleOf: (column: C) => string
}
export type Table<C extends string> = {
  /** The place of each column in a row. */
  at: Map<C, number>
  unknown: string[]
  /** The header and what stands above it. */
  above: SheetRow[]
  /** What stands below it. */
  rows: AsyncGenerator<SheetRow>
}

/** Finds the header of a sheet. Refuses one without the columns that are required. */
export async function openTable<C extends string>(bytes: Buffer, of: TableColumns<C>): Promise<Table<C>> {
  const above: SheetRow[] = []
  const rows = readSheet(bytes)
  for (let next = await rows.next(); !next.done; next = await rows.next()) {
    above.push(next.value)
    const header = headerIn(next.value, of)
    if (missing(header, of).length === 0) return { ...header, above, rows }
    if (above.length >= header_within) break
  }
  return refuseWithout(above, of, await sheetNames(bytes))
}

/** How the title of a column is compared: without case, spaces and punctuation. */
export const titleKey = (title: string): string =>
  title
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s_\-.:*#()/]+/g, '')

/** The text of a cell in one line: a cell may have several, what it becomes has none. */
export const lineOf = ({ text }: SheetCell): string =>
  text
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim()
    .slice(0, 1000)

export const faultOfCell = {
  date: 'cell_is_date',
  rounded: 'cell_number_rounded',
  formula: 'cell_formula_unsaved',
  error: 'cell_has_error',
} as const satisfies Record<CellFault, string>

type Header<C> = { at: Map<C, number>; unknown: string[] }

function headerIn<C extends string>({ cells }: SheetRow, { columns, columnOf }: TableColumns<C>): Header<C> {
  const header: Header<C> = { at: new Map(), unknown: [] }
  for (const [at, cell] of cells.entries()) {
    if (!cell?.text) continue
    const column = columnOf(cell.text)
    if (column === 'ignored') continue
    if (column && columns.includes(column) && !header.at.has(column)) header.at.set(column, at)
    // Of two columns for the same the first counts, and the other is named.
    else header.unknown.push(cell.text.slice(0, 80))
  }
  return header
}

const missing = <C extends string>({ at }: Header<C>, { required }: TableColumns<C>): C[] =>
  required.filter((column) => !at.has(column))

/** Names what the row that looks most like a header lacks, and of several sheets the one that was looked at. */
function refuseWithout<C extends string>(
  above: readonly SheetRow[],
  of: TableColumns<C>,
  [first = '', ...others]: readonly string[],
): never {
  if (above.length === 0 && others.length === 0) refuse('sheet_empty')
  const found = above.map((row) => missing(headerIn(row, of), of)).sort((a, b) => a.length - b.length)
  const columns = (found[0] ?? of.required).map(of.titleOf).join(', ')
  if (others.length === 0) return refuse('sheet_columns_missing', { columns })
  return refuse('sheet_columns_elsewhere', { first: nameShown(first), columns, others: namesShown(others) })
}

const nameShown = (name: string): string => lineOf({ text: name }).slice(0, 60)
/** The sheet that is read, and the others of its file that people see; of a file without sheets none. */
export async function sheetsOf(bytes: Buffer, max: number): Promise<{ sheet: string | null; other_sheets: string[] }> {
  const [sheet = null, ...others] = (await sheetNames(bytes)).slice(0, max + 1).map(nameShown)
  return { sheet, other_sheets: others }
}
const named_sheets = 5
const namesShown = (names: readonly string[]): string =>
  [...names.slice(0, named_sheets).map(nameShown), ...(names.length > named_sheets ? ['\u2026'] : [])].join(', ')
