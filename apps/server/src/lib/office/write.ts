import type { ReadableStream } from 'node:stream/web'
import { writeXlsxStream } from 'hucre/xlsx'
import type { Cell, Rows } from '../../workers/sheet.ts'

/** Excel's own limits. */
const max_cell_chars = 32_767
const max_rows = 1_048_576
const max_name_chars = 31
/** The only name that Excel keeps for itself. */
const reserved_name = 'history'

export type Layout = {
  name: string
  titles: readonly string[]
  /** Makes every cell text, also what is typed into it later; of this width. Else widths follow the titles. */
  text_width?: number | undefined
}

/**
 * A workbook, written while its rows are read. Text is written as text (inline strings), which nothing calculates; what
 * goes beyond one sheet goes on in the next, under the same titles. It is work for the processor, done in a thread (workers/sheet-thread.ts).
 */
export function writeXlsx(layout: Layout, rows: Rows, rows_of_sheet = max_rows): ReadableStream<Uint8Array> {
  const { name, titles, text_width } = layout
  const columns: Column[] = titles.map((title) =>
    text_width === undefined ? { width: widthOf(title) } : { width: text_width, numFmt: '@' },
  )
  return writeXlsxStream(withTitles(titles, rows, columns, rows_of_sheet), {
    name: sheetName(name),
    columns,
    freezePane: { rows: 1 },
    maxRowsPerSheet: rows_of_sheet,
    repeatHeaders: false,
  }) as ReadableStream<Uint8Array>
}

type Column = { width: number; numFmt?: string; style?: typeof bold | undefined }
const bold = { font: { name: 'Calibri', size: 11, bold: true } }
const widthOf = (title: string): number => Math.min(Math.max(title.length + 4, 14), 40)

/**
 * The rows of every sheet under its titles. hucre has styles of columns but none of rows: the columns are bold while it
 * writes the titles, for it asks for a row only when the one before is written.
 */
async function* withTitles(titles: readonly string[], rows: Rows, columns: Column[], rows_of_sheet: number) {
  let n = 0
  for await (const batch of rows)
    for (const row of batch) {
      if (n % rows_of_sheet === 0) {
        yield* bolded(titles, columns)
        n += 1
      }
      yield row.map(written)
      n += 1
    }
  if (n === 0) yield* bolded(titles, columns)
}

function* bolded(titles: readonly string[], columns: Column[]) {
  for (const column of columns) column.style = bold
  yield titles.map(written)
  for (const column of columns) delete column.style
}

const written = (cell: Cell): Cell => (typeof cell !== 'string' ? cell : cell === '' ? null : cellText(cell))

/** Nothing that would have to go. */
const plain = /^[\t\n\r -\ud7ff]*$/

/** XML has no control characters, and a cell has its length. */
const cellText = (text: string): string =>
  text.length <= max_cell_chars && plain.test(text)
    ? text
    : text
        .toWellFormed()
        .replace(/[^\t\n\r\u0020-\uFFFD\u{10000}-\u{10FFFF}]/gu, '')
        .slice(0, max_cell_chars)
        .replace(/\p{Cs}+$/u, '')

/** Of a sheet: it may have so many letters, without a few that Excel refuses. */
function sheetName(name: string): string {
  const allowed = cellText(name)
    .replace(/[[\]:*?/\\\t\n\r]/g, ' ')
    .slice(0, max_name_chars)
    .replace(/\p{Cs}+$/u, '')
    .replace(/^[\s']+|[\s']+$/g, '')
  return allowed.toLowerCase() === reserved_name ? `${allowed} 1` : allowed || 'Sheet1'
}
