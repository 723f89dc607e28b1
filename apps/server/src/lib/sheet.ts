import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { writeXlsxStream } from 'hucre/xlsx'

export type Cell = string | number | null
type Sheet = {
  format: 'csv' | 'xlsx'
  /** Of the sheet, where the format has one. */
  name: string
  titles: readonly string[]
  rows: AsyncIterable<readonly Cell[]>
}

const chunk_chars = 16_384
/** Excel's own limits. */
const max_cell_chars = 32_767
const max_name_chars = 31

/** A table as a file, written while it is read: rows are asked for only as fast as the reader takes the bytes. */
export const sheetStream = (sheet: Sheet): Readable => (sheet.format === 'csv' ? csvStream(sheet) : xlsxStream(sheet))

/** RFC 4180 in UTF-8; the mark in front tells Excel so. */
const csvStream = ({ titles, rows }: Sheet): Readable =>
  Readable.from(csvChunks(titles, rows), { objectMode: false, highWaterMark: chunk_chars })

async function* csvChunks(titles: readonly string[], rows: Sheet['rows']): AsyncGenerator<Buffer> {
  let chunk = `\uFEFF${csvLine(titles)}`
  for await (const row of rows) {
    chunk += csvLine(row)
    if (chunk.length < chunk_chars) continue
    yield Buffer.from(chunk)
    chunk = ''
  }
  yield Buffer.from(chunk)
}

const csvLine = (cells: readonly Cell[]): string => `${cells.map(csvCell).join(',')}\r\n`

function csvCell(cell: Cell): string {
  if (cell === null) return ''
  const text = typeof cell === 'number' ? String(cell) : inert(cell)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Spreadsheets calculate what begins like a formula, also when a stranger named a device so. */
const inert = (text: string): string => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text)

/** Text is written as text (inline strings), which nothing calculates; what goes beyond one sheet goes on in the next. */
function xlsxStream({ name, titles, rows }: Sheet): Readable {
  const columns = titles.map((title) => ({ header: xlsxText(title) }))
  const options = { name: sheetName(name), columns, freezePane: { rows: 1 } }
  return Readable.fromWeb(writeXlsxStream(xlsxRows(rows), options) as ReadableStream)
}

async function* xlsxRows(rows: Sheet['rows']): AsyncGenerator<Cell[]> {
  for await (const row of rows) yield row.map((cell) => (typeof cell === 'string' ? xlsxText(cell) : cell))
}

/** XML has no control characters, and a cell has its length. */
const xlsxText = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[^\t\n\r\u0020-\uFFFD\u{10000}-\u{10FFFF}]/gu, '')
    .slice(0, max_cell_chars)
    .replace(/\p{Cs}+$/u, '')

const sheetName = (name: string): string =>
  xlsxText(name)
    .replace(/[[\]:*?/\\\t\n\r]/g, ' ')
    .slice(0, max_name_chars)
    .replace(/\p{Cs}+$/u, '')
    .replace(/^[\s']+|[\s']+$/g, '') || 'Sheet1'
