import type { Cell, Rows } from '../sheet.ts'
import { zip } from './zip.ts'
import type { Entry } from './zip.ts'

const chunk_chars = 65_536
/** Excel's own limits. */
const max_cell_chars = 32_767
const max_rows = 1_048_576
/** Well below what an entry of an archive may hold. */
const max_sheet_chars = 1_000_000_000

type Sheet = {
  name: string
  titles: readonly string[]
  rows: Rows
  /** With its titles. */
  rows_of_sheet?: number
}

/**
 * A workbook, written while its rows are read. Text is written as text (inline strings), which nothing calculates; what
 * goes beyond one sheet goes on in the next, under the same titles.
 */
export const writeXlsx = (sheet: Sheet): AsyncGenerator<Buffer> => zip(entries(sheet))

async function* entries({ name, titles, rows, rows_of_sheet = max_rows }: Sheet): AsyncGenerator<Entry> {
  const source = rows[Symbol.asyncIterator]()
  const state: State = { source, batch: [], at: 0, is_over: false }
  try {
    let sheets = 0
    do {
      sheets += 1
      yield { name: `xl/worksheets/sheet${sheets}.xml`, body: sheetXml(titles, state, rows_of_sheet) }
    } while (!state.is_over)
    for (const [path, xml] of Object.entries(parts(name, sheets))) yield { name: path, body: one(declaration + xml) }
  } finally {
    await source.return?.()
  }
}
/** The batch that is being written, and which of its rows is the next. */
type State = { source: AsyncIterator<readonly (readonly Cell[])[]>; batch: readonly (readonly Cell[])[]; at: number; is_over: boolean } // prettier-ignore
async function* one(xml: string): AsyncGenerator<Buffer> {
  yield Buffer.from(xml)
}

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const base = 'http://schemas.openxmlformats.org'
const main = `${base}/spreadsheetml/2006/main`
const office = `${base}/officeDocument/2006/relationships`
const bold = 1

async function* sheetXml(titles: readonly string[], state: State, most_rows: number): AsyncGenerator<Buffer> {
  const letters = titles.map((_, i) => columnLetters(i))
  const widths = titles.map((title, i) => `<col min="${i + 1}" max="${i + 1}" width="${Math.min(Math.max(title.length + 4, 14), 40)}" customWidth="1"/>`) // prettier-ignore
  let chunk = `${declaration}<worksheet xmlns="${main}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols>${widths.join('')}</cols><sheetData>`
  chunk += rowXml(titles, 1, letters, ` s="${bold}"`)
  let [n, chars] = [1, 0]
  while (n < most_rows && chars < max_sheet_chars) {
    if (isRead(state) && !(await readNext(state))) break
    chunk += rowXml(state.batch[state.at++]!, (n += 1), letters)
    if (chunk.length < chunk_chars) continue
    chars += chunk.length
    yield Buffer.from(chunk)
    chunk = ''
  }
  // A full sheet is only followed by another one when there is something to put into it.
  if (isRead(state)) await readNext(state)
  yield Buffer.from(`${chunk}</sheetData></worksheet>`)
}

const isRead = ({ batch, at }: State): boolean => at >= batch.length

/** Whether there is another row. */
async function readNext(state: State): Promise<boolean> {
  while (!state.is_over && isRead(state)) {
    const { done, value } = await state.source.next()
    state.is_over = done === true
    state.batch = done ? [] : value
    state.at = 0
  }
  return !state.is_over
}

function rowXml(cells: readonly Cell[], n: number, letters: readonly string[], style = ''): string {
  const after = `${n}"${style}`
  let xml = `<row r="${n}">`
  for (let i = 0; i < cells.length; i++) {
    const cell = cells[i]
    if (cell === null || cell === undefined || cell === '') continue
    if (typeof cell === 'number') xml += `<c r="${letters[i]}${after}><v>${cell}</v></c>`
    else xml += `<c r="${letters[i]}${after} t="inlineStr"><is>${textXml(cell)}</is></c>`
  }
  return `${xml}</row>`
}

const textXml = (text: string): string =>
  plain.test(text) && text.length <= max_cell_chars ? `<t>${text}</t>` : markedXml(markup(cellText(text)))
const markedXml = (xml: string): string =>
  /^\s|\s$|\n/.test(xml) ? `<t xml:space="preserve">${xml}</t>` : `<t>${xml}</t>`

/** Nothing to be written in another way, and no space at an end, which readers would drop. */
const plain = /^(?! )[ !#-%'-;=?-~\u00a0-\ud7ff]*$(?<! )/

const markup = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;').replaceAll('\r', '&#13;') // prettier-ignore

/** XML has no control characters, and a cell has its length. */
export const cellText = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[^\t\n\r\u0020-\uFFFD\u{10000}-\u{10FFFF}]/gu, '')
    .slice(0, max_cell_chars)
    .replace(/\p{Cs}+$/u, '')

/** A, B, ... Z, AA, AB, ... */
function columnLetters(at: number): string {
  const letter = String.fromCharCode(65 + (at % 26))
  return at < 26 ? letter : columnLetters(Math.floor(at / 26) - 1) + letter
}

/** Everything but the sheets. */
function parts(name: string, sheets: number): Record<string, string> {
  const each = (of: (n: number) => string): string => Array.from({ length: sheets }, (_, i) => of(i + 1)).join('')
  const titled = (n: number): string => {
    const after = n === 1 ? '' : ` ${n}`
    return markup(name.slice(0, max_name_chars - after.length).replace(/\p{Cs}+$/u, '') + after)
  }
  const type = (of: string) => `application/vnd.openxmlformats-officedocument.spreadsheetml.${of}+xml`
  return {
    '[Content_Types].xml': `<Types xmlns="${base}/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${type('sheet.main')}"/><Override PartName="/xl/styles.xml" ContentType="${type('styles')}"/>${each((n) => `<Override PartName="/xl/worksheets/sheet${n}.xml" ContentType="${type('worksheet')}"/>`)}</Types>`,
    '_rels/.rels': `<Relationships xmlns="${base}/package/2006/relationships"><Relationship Id="r1" Type="${office}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${office}"><sheets>${each((n) => `<sheet name="${titled(n)}" sheetId="${n}" r:id="r${n}"/>`)}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${base}/package/2006/relationships">${each((n) => `<Relationship Id="r${n}" Type="${office}/worksheet" Target="worksheets/sheet${n}.xml"/>`)}<Relationship Id="styles" Type="${office}/styles" Target="styles.xml"/></Relationships>`,
    'xl/styles.xml': `<styleSheet xmlns="${main}"><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="2"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/></cellXfs></styleSheet>`,
  }
}

/** Of a sheet: the first of them may have so many letters, without a few that Excel refuses. */
const max_name_chars = 31
export const sheetName = (name: string): string =>
  cellText(name)
    .replace(/[[\]:*?/\\\t\n\r]/g, ' ')
    .slice(0, max_name_chars)
    .replace(/\p{Cs}+$/u, '')
    .replace(/^[\s']+|[\s']+$/g, '') || 'Sheet1'
