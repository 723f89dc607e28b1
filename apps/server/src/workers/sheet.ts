import { Readable } from 'node:stream'
import type { ExportFormat } from '@mdm/contract'
import { writtenInThread } from './sheet-thread.ts'

export type Cell = string | number | null
type Sheet = {
  format: ExportFormat
  /** Of the sheet, where the format has one. */
  name: string
  titles: readonly string[]
  rows: Rows
  /** In a workbook: every column is text, and so is what is typed into it; all have this width. */
  text_width?: number
}
/** In batches, as they are read. */
export type Rows = AsyncIterable<readonly (readonly Cell[])[]>

const chunk_chars = 65_536

/** A table as a file, written while it is read: rows are asked for only as fast as the reader takes the bytes. */
export const sheetStream = ({ format, rows, ...layout }: Sheet): Readable =>
  format === 'csv' ? csvStream(layout.titles, rows) : writtenInThread(format, layout, rows)

/** RFC 4180 in UTF-8; the mark in front tells Excel so. */
const csvStream = (titles: readonly string[], rows: Rows): Readable =>
  Readable.from(csvChunks(titles, rows), { objectMode: false, highWaterMark: chunk_chars })

async function* csvChunks(titles: readonly string[], rows: Rows): AsyncGenerator<Buffer> {
  let chunk = `\uFEFF${csvLine(titles)}`
  for await (const batch of rows)
    for (const row of batch) {
      chunk += csvLine(row)
      if (chunk.length < chunk_chars) continue
      yield Buffer.from(chunk)
      chunk = ''
    }
  yield Buffer.from(chunk)
}

function csvLine(cells: readonly Cell[]): string {
  let line = ''
  for (let i = 0; i < cells.length; i++) line += i === 0 ? csvCell(cells[i]!) : `,${csvCell(cells[i]!)}`
  return `${line}\r\n`
}

function csvCell(cell: Cell): string {
  if (cell === null) return ''
  const text = typeof cell === 'number' ? String(cell) : inert(cell)
  return quoted.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Spreadsheets calculate what begins like a formula, also when a stranger named a device so; Asian ones its wide signs too. */
const inert = (text: string): string => (calculated.has(text.charCodeAt(0)) ? `'${text}` : text)
const calculated: ReadonlySet<number> = new Set([...'=+-@＝＋－＠\t\r\n'].map((first) => first.charCodeAt(0)))
const quoted = /[",\r\n]/
