import { fileURLToPath } from 'node:url'
import PDFDocument from 'pdfkit'
import type { Cell, Rows } from '../../workers/sheet.ts'
import type { Layout } from './write.ts'

/** In points, 72 to the inch. */
const margin = 36
const font_size = 8
const title_size = 14
/** Between a column and the next, and between a line of the table and its text. */
const gap = 8
const padding = 3
const narrowest = 36
const widest = 220
/** Landscape. A table with more columns than fit on the larger has a page as wide as it needs. */
const papers = [
  [842, 595],
  [1191, 842],
] as const
/** Of one cell; more ends with dots. */
const max_cell_chars = 5000
/** So many pages share the layouts of their words. */
const cached_pages = 10
const faint = '#d8d4cc'

/** Has the signs of all languages of the console: names of devices and people may be in any of them, whoever reads the file. */
const fontPath = (): string =>
  fileURLToPath(new URL('../fonts/NotoSansHans-Regular.otf', import.meta.resolve('@embedpdf/fonts-sc')))

/**
 * A table to print or to read, written while its rows are read: its titles on every page, long text on several lines. Widths
 * follow the first batch of rows.
 */
export async function* writePdf({ name, titles }: Layout, rows: Rows): AsyncGenerator<Uint8Array> {
  const source = rows[Symbol.asyncIterator]()
  try {
    const first = await nextFilled(source)
    const title = printable(name)
    const doc = new PDFDocument({ autoFirstPage: false, font: fontPath(), info: { Title: title }, displayTitle: true })
    doc.fontSize(font_size)
    const table = new Table(doc, title, titles.map(printable), first ?? [])
    for (let batch = first; batch; batch = await nextFilled(source)) {
      for (const row of batch) table.add(row)
      for (let chunk: Buffer | null; (chunk = doc.read() as Buffer | null);) yield chunk
    }
    doc.end()
    for await (const chunk of doc) yield chunk as Buffer
  } finally {
    await source.return?.()
  }
}

async function nextFilled(source: AsyncIterator<readonly (readonly Cell[])[]>) {
  for (;;) {
    const { done, value } = await source.next()
    if (done) return undefined
    if (value.length > 0) return value
  }
}

/** One line, without what no font has a sign for. */
const printable = (text: string): string => text.toWellFormed().replaceAll(/[\p{Cc}\p{Cn}\uFFFD]+/gu, ' ')
const textOf = (cell: Cell | undefined): string =>
  typeof cell === 'string' ? shortened(printable(cell)) : String(cell ?? '')
const shortened = (text: string): string =>
  text.length <= max_cell_chars ? text : `${text.slice(0, max_cell_chars).toWellFormed()}…`

/**
 * The library remembers how each word was laid out until the file ends, which has no bound, or never, which takes six times as long;
 * it has no way between. @throws where it keeps them elsewhere, which a new version of it may do
 */
function forgetLayouts(doc: PDFKit.PDFDocument): void {
  const { _font: font } = doc as unknown as { _font: { layoutCache: object } }
  if (typeof font.layoutCache !== 'object') throw new Error('pdfkit keeps its layouts elsewhere')
  font.layoutCache = Object.create(null) as object
}

/** A cell as its lines. */
type Lines = readonly string[]

class Table {
  #page = 0
  /** Where the next row begins. */
  #y = 0
  readonly #doc: PDFKit.PDFDocument
  readonly #name: string
  /** The titles, which stand on every page. */
  readonly #head: readonly Lines[]
  readonly #widths: readonly number[]
  /** Columns of numbers stand at the right. */
  readonly #is_number: readonly boolean[]
  readonly #size: readonly [number, number]
  readonly #line_height: number
  readonly #sign_widths = new Map<string, number>()

  constructor(doc: PDFKit.PDFDocument, name: string, titles: readonly string[], first: readonly (readonly Cell[])[]) {
    this.#doc = doc
    this.#name = name
    this.#line_height = doc.currentLineHeight(true)
    this.#is_number = titles.map((_, at) => first.length > 0 && first.every((row) => typeof row[at] !== 'string'))
    const wanted = titles.map((title, at) => {
      const lengths = [title, ...first.map((row) => textOf(row[at]))].map((text) => this.#widthOf(text))
      return Math.min(Math.max(...lengths, narrowest), widest) + gap
    })
    const room = (width: number): number => width - 2 * margin
    const least = titles.length * (narrowest + gap)
    const all = sum(wanted)
    this.#size = papers.find(([width]) => all <= room(width)) ??
      papers.find(([width]) => least <= room(width)) ?? [least + 2 * margin, papers.at(-1)![1]]
    this.#widths = fitted(wanted, room(this.#size[0]))
    this.#head = this.#cellsOf(titles)
    this.#nextPage()
  }

  add(row: readonly Cell[]): void {
    const cells = this.#cellsOf(row)
    if (this.#y + this.#heightOf(cells) > this.#bottom) this.#nextPage()
    this.#put(cells, faint)
  }

  get #bottom(): number {
    return this.#size[1] - margin
  }

  #nextPage(): void {
    const [width, height] = this.#size
    // Without a margin of its own: a text at the foot would begin a page.
    this.#doc.addPage({ size: [width, height], margin: 0 })
    this.#page += 1
    if (this.#page % cached_pages === 0) forgetLayouts(this.#doc)
    this.#y = margin
    if (this.#page === 1) {
      this.#doc.fontSize(title_size).text(this.#name, margin, this.#y, { width: width - 2 * margin })
      this.#doc.fontSize(font_size)
      this.#y = this.#doc.y + 8
    }
    const number = String(this.#page)
    this.#write(number, width - margin - this.#widthOf(number), height - margin + gap)
    this.#put(this.#head, 'black')
  }

  #cellsOf(row: readonly Cell[]): readonly Lines[] {
    return this.#widths.map((width, at) => this.#linesOf(textOf(row[at]), width - gap))
  }

  #heightOf(cells: readonly Lines[]): number {
    return Math.max(1, ...cells.map((lines) => lines.length)) * this.#line_height + 2 * padding
  }

  #put(cells: readonly Lines[], line: string): void {
    let x = margin
    for (const [at, lines] of cells.entries()) {
      const width = this.#widths[at]!
      for (const [n, text] of lines.entries()) {
        const indent = this.#is_number[at] ? width - gap - this.#widthOf(text) : 0
        this.#write(text, x + indent, this.#y + padding + n * this.#line_height)
      }
      x += width
    }
    this.#y += this.#heightOf(cells)
    this.#doc.moveTo(margin, this.#y).lineTo(x, this.#y).lineWidth(0.5).stroke(line)
  }

  #write(text: string, x: number, y: number): void {
    this.#doc.text(text, x, y, { lineBreak: false })
  }

  /** Each sign is measured once: the library lays out whole words, and remembers them. */
  #widthOf(text: string): number {
    let width = 0
    for (const sign of text) {
      const known = this.#sign_widths.get(sign)
      const own = known ?? this.#doc.widthOfString(sign)
      if (known === undefined) this.#sign_widths.set(sign, own)
      width += own
    }
    return width
  }

  /** Broken after a space, a dash or an ideograph, else where the line is full; what no page holds ends with dots. */
  #linesOf(text: string, width: number): Lines {
    if (text === '') return []
    if (this.#widthOf(text) <= width) return [text]
    const most = Math.floor((this.#bottom - 3 * margin - 2 * padding) / this.#line_height)
    const lines: string[] = []
    let [line, used, breakable] = ['', 0, 0]
    for (const sign of text) {
      const own = this.#widthOf(sign)
      if (used + own > width && line !== '' && !/\p{M}/u.test(sign)) {
        const at = breakable || line.length
        lines.push(line.slice(0, at).trimEnd())
        line = line.slice(at)
        ;[used, breakable] = [this.#widthOf(line), 0]
        if (lines.length === most) return [...lines.slice(0, -1), `${lines.at(-1)!.slice(0, -2)}…`]
      }
      line += sign
      used += own
      if (/[\s\-/\p{scx=Han}]/u.test(sign)) breakable = line.length
    }
    return [...lines, line]
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, each) => all + each, 0)

/** Widths that fill the room: the widest columns give way first, and what is left goes to all in proportion. */
function fitted(wanted: readonly number[], room: number): readonly number[] {
  let cap = Math.max(...wanted)
  const capped = () => wanted.map((width) => Math.min(width, cap))
  while (sum(capped()) > room && cap > narrowest + gap) cap -= 1
  const widths = capped()
  const factor = room / sum(widths)
  return widths.map((width) => width * factor)
}
