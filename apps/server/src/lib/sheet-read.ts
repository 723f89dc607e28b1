import { detectDelimiter } from 'hucre/csv'
import { refuse } from '../refusal.ts'
import { csvRows } from './csv-read.ts'
import { odsNames, odsRows } from './office/ods.ts'
import { openPackage } from './office/package.ts'
import { xlsxNames, xlsxRows } from './office/workbook.ts'
import { isRounded, sheet_limits } from './office/cells.ts'
import { decodedAs, localText } from './sheet-encoding.ts'
import type { SheetCell, SheetRow } from './office/cells.ts'
export { sheet_limits } from './office/cells.ts'
export type { CellFault, SheetCell, SheetRow } from './office/cells.ts'

export const sheet_bytes = 10 * 1024 ** 2
/** Rows above the header are a title or a remark. */
const extra_rows = 50
/** In one line; more than a row may have, because empty ones at its end do not count. */
const delimiters_max = 1_000

/**
 * The rows of a sheet as people see them, in their order; empty ones are left out. XLSX, ODS and CSV are read. XLS, XLSB
 * and files with a password are refused as `sheet_not_supported`: their readers hold the whole file unpacked.
 */
export async function* readSheet(bytes: Buffer): AsyncGenerator<SheetRow> {
  let count = 0
  let chars = 0
  for await (const row of rowsOf(bytes)) {
    if (row.cells.length > sheet_limits.columns) refuse('sheet_too_many_columns', { max: sheet_limits.columns })
    for (const [at, cell] of row.cells.entries()) {
      if (!cell) continue
      if (cell.text.length > sheet_limits.cell_chars) refuse('sheet_damaged')
      // One text can stand in any number of cells: what is read of them all counts, not what the file is.
      if ((chars += cell.text.length) > sheet_limits.chars) refuse('sheet_beyond_limits')
      if (!cell.fault && isRounded(cell.text)) row.cells[at] = { text: '', fault: 'rounded' }
    }
    if ((count += 1) > sheet_limits.rows + extra_rows) refuse('sheet_too_many_rows', { max: sheet_limits.rows })
    yield row
  }
}

/** What people call the sheets that they see, in their order; none of a file without sheets. */
export async function sheetNames(bytes: Buffer): Promise<string[]> {
  if (!begins(bytes, '504b')) return []
  const parts = await openPackage(bytes)
  return parts.has('mimetype') ? odsNames(parts) : xlsxNames(parts)
}

const begins = (bytes: Buffer, hex: string): boolean => bytes.subarray(0, hex.length / 2).toString('hex') === hex

function rowsOf(bytes: Buffer): AsyncGenerator<SheetRow> {
  if (begins(bytes, '504b')) return officeRows(bytes)
  // XLS and encrypted files share a container; what begins with a tag is a web page that calls itself a sheet.
  const is_other = begins(bytes, 'd0cf11e0') || /^(\uFEFF)?\s*<|^%PDF|^\{\\rtf/.test(bytes.subarray(0, 64).toString())
  if (is_other) refuse('sheet_not_supported')
  return csvSheet(textOf(bytes))
}

/** OpenDocument says in front what it is, Office does not. */
async function* officeRows(bytes: Buffer): AsyncGenerator<SheetRow> {
  const parts = await openPackage(bytes)
  yield* parts.has('mimetype') ? odsRows(parts) : xlsxRows(parts)
}

/** UTF-8, UTF-16 with its mark ("Unicode text" of Excel), or what a local Excel saves, where that can be told. */
function textOf(bytes: Buffer): string {
  const label = begins(bytes, 'fffe') ? 'utf-16le' : begins(bytes, 'feff') ? 'utf-16be' : 'utf-8'
  const text = decodedAs(label, bytes) ?? (label === 'utf-8' ? localText(bytes) : undefined)
  return text === undefined || text.includes('\0') ? refuse('sheet_damaged') : text
}

async function* csvSheet(text: string): AsyncGenerator<SheetRow> {
  const delimiter = detectDelimiter(text.slice(0, 65_536))
  const limits = { cell_chars: sheet_limits.cell_chars, columns: delimiters_max }
  let n = 0
  for (const row of csvRows(text, delimiter, limits)) {
    n += 1
    const cells = row.map(csvCell)
    const width = cells.findLastIndex(Boolean) + 1
    if (width > 0) yield { n, cells: cells.slice(0, width) }
  }
}

function csvCell(raw: string): SheetCell | undefined {
  const text = raw.trim()
  if (text === '') return undefined
  if (text.length > sheet_limits.cell_chars) refuse('sheet_damaged')
  // ="0012" is how a CSV says that this is text, '=… how ours do (workers/sheet.ts).
  const quoted = /^="((?:[^"]|"")*)"$/.exec(text)?.[1]
  if (quoted !== undefined) return { text: quoted.replaceAll('""', '"').trim() }
  if (text.startsWith('=')) return { text: '', fault: 'formula' }
  if (/^'[=+\-@\t\r]/.test(text)) return { text: text.slice(1).trim() }
  return { text }
}
