import { buffer } from 'node:stream/consumers'
import { readXlsx } from 'hucre/xlsx'
import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs'
import { describe, expect, it } from 'vitest'
import { sheetStream } from './sheet.ts'
import type { ExportFormat } from '@mdm/contract'
import type { Cell } from './sheet.ts'
import { writeXlsx } from '../lib/office/write.ts'

/** In batches of one, none and two. */
async function* rowsOf(rows: readonly Cell[][]): AsyncGenerator<Cell[][]> {
  for (let at = 0; at < rows.length; at += 3) {
    yield rows.slice(at, at + 1)
    yield []
    yield rows.slice(at + 1, at + 3)
  }
}
const bytes = (format: ExportFormat, titles: string[], rows: Cell[][], name = 'Sheet') =>
  buffer(sheetStream({ format, name, titles, rows: rowsOf(rows) }))

describe('CSV', () => {
  it('is RFC 4180 in UTF-8 with its mark, numbers as numbers, nothing for null', async () => {
    const made = await bytes(
      'csv',
      ['Tên', '数 量'],
      [
        ['a "b", c', 1.5],
        ['two\r\nlines', -3],
        [null, 0],
        ['', null],
      ],
    )
    expect(made.subarray(0, 3)).toEqual(Buffer.from([0xef, 0xbb, 0xbf]))
    expect(made.subarray(3).toString()).toBe('Tên,数 量\r\n"a ""b"", c",1.5\r\n"two\r\nlines",-3\r\n,0\r\n,\r\n')
  })

  it('holds nothing that a spreadsheet would calculate', async () => {
    const evil = [
      '=1+1',
      '+1',
      '-1',
      '@SUM(A1)',
      '\tx',
      '\r=1',
      '=HYPERLINK("http://x","y")',
      '＝1',
      '＋1',
      '－1',
      '＠a',
      '\n=1',
    ]
    const made = (
      await bytes(
        'csv',
        ['=title'],
        evil.map((cell) => [cell]),
      )
    )
      .subarray(3)
      .toString()
    expect(made).toBe(
      `'=title\r\n'=1+1\r\n'+1\r\n'-1\r\n'@SUM(A1)\r\n'\tx\r\n"'\r=1"\r\n"'=HYPERLINK(""http://x"",""y"")"\r\n'＝1\r\n'＋1\r\n'－1\r\n'＠a\r\n"'\n=1"\r\n`,
    )
  })
})

describe('XLSX', () => {
  it('reads back as it was written, formulas as text', async () => {
    const rows: Cell[][] = [
      ['Bưu điện 邮局', 12, null],
      ['=1+1', -0.5, 'a\nb'],
      ['control \u0001\u0000 \ud800 gone', 0, '<&>"'],
    ]
    const book = await readXlsx(await bytes('xlsx', ['Name', 'Count', '=x'], rows, "a/b:c*[d]?'"))
    expect(book.sheets.map(({ name }) => name)).toEqual(['a b c  d'])
    const [header, first, second, third] = book.sheets[0]!.rows
    expect(header).toEqual(['Name', 'Count', '=x'])
    expect(first!.slice(0, 2)).toEqual(['Bưu điện 邮局', 12])
    expect(first![2] ?? null).toBeNull()
    expect(second).toEqual(['=1+1', -0.5, 'a\nb'])
    expect(third).toEqual(['control  \uFFFD gone', 0, '<&>"'])
  })

  it('goes on in another sheet under the same titles, and begins none that would be empty', async () => {
    const sheetsOf = async (count: number) => {
      const rows = rowsOf(Array.from({ length: count }, (_, n) => [n, 'x']))
      const made = await buffer(writeXlsx({ name: 'Devices', titles: ['n', 'text'] }, rows, 3))
      return (await readXlsx(made)).sheets.map(({ name, rows: read }) => [name, ...read.map(([n]) => n)])
    }
    expect(await sheetsOf(2)).toEqual([['Devices', 'n', 0, 1]])
    expect(await sheetsOf(3)).toEqual([
      ['Devices', 'n', 0, 1],
      ['Devices_2', 'n', 2],
    ])
  })

  it('ends with a fault when its thread does, and the next one is written by another thread', async () => {
    await expect(bytes('xlsx', null as never, [['x']])).rejects.toThrow('thread')
    const [sheet] = (await readXlsx(await bytes('xlsx', ['t'], [['x']]))).sheets
    expect(sheet!.rows).toEqual([['t'], ['x']])
  })

  it('keeps within what a cell and a name may hold', async () => {
    const book = await readXlsx(await bytes('xlsx', ['x'], [['y'.repeat(40_000)]], '😀'.repeat(20)))
    expect((book.sheets[0]!.rows[1]![0] as string).length).toBe(32_767)
    expect(book.sheets[0]!.name).toBe('😀'.repeat(15))
    expect((await readXlsx(await bytes('xlsx', ['x'], [], '///'))).sheets[0]!.name).toBe('Sheet1')
    expect((await readXlsx(await bytes('xlsx', ['x'], [], 'History'))).sheets[0]!.name).toBe('History 1')
  })

  it('has its titles bold in a row that stays, and columns as wide as their titles', async () => {
    const made = await bytes(
      'xlsx',
      ['SN', 'a title of some length'],
      [
        ['0012', 7],
        ['x', null],
      ],
    )
    const [sheet] = (await readXlsx(made, { readStyles: true })).sheets
    const bold = [0, 1, 2].map((row) =>
      [0, 1].map((at) => sheet!.cells?.get(`${row},${at}`)?.style?.font?.bold ?? false),
    )
    expect(bold).toEqual([
      [true, true],
      [false, false],
      [false, false],
    ])
    expect(sheet!.freezePane).toMatchObject({ rows: 1 })
    expect(sheet!.columns?.map(({ width }) => width)).toEqual([14, 26])
    expect(sheet!.rows[1]).toEqual(['0012', 7])
  })

  it('is text in every cell where that is asked for, so that what is typed stays as it is', async () => {
    const rows = rowsOf([[null, null]])
    const made = await buffer(sheetStream({ format: 'xlsx', name: 'x', titles: ['SN', 'Date'], rows, text_width: 26 }))
    const [sheet] = (await readXlsx(made, { readStyles: true })).sheets
    const formats = ['0,0', '0,1', '1,0', '1,1'].map((at) => sheet!.cells?.get(at)?.style?.numFmt)
    expect(formats).toEqual(['@', '@', '@', '@'])
    expect(sheet!.columns?.map(({ width }) => width)).toEqual([26, 26])
  })
})

describe.each(['csv', 'xlsx'] as const)('a %s file', (format) => {
  it('ends with the fault of its rows', async () => {
    const fault = new Error('no more rows')
    async function* failing(): AsyncGenerator<Cell[][]> {
      yield [['a', 1]]
      throw fault
    }
    const stream = sheetStream({ format, name: 'x', titles: ['a', 'b'], rows: failing() })
    await expect(buffer(stream)).rejects.toBe(fault)
  })

  it('of many that are read at once is its own', async () => {
    const made = await Promise.all(
      [1, 2, 3].map((n) =>
        bytes(
          format,
          [`t${n}`],
          Array.from({ length: 2_000 }, () => [`row of ${n}`]),
        ),
      ),
    )
    for (const [at, one] of made.entries()) {
      const text = format === 'csv' ? one.toString() : JSON.stringify((await readXlsx(one)).sheets[0]!.rows)
      expect(text.match(/row of \d/g)).toEqual(Array.from({ length: 2_000 }, () => `row of ${at + 1}`))
    }
  })

  it('asks for rows only as fast as it is read, and ends them when nobody reads on', async () => {
    let [given, is_ended] = [0, false]
    async function* endless(): AsyncGenerator<Cell[][]> {
      try {
        for (;;) yield [[(given += 1), Math.random().toString(36)]]
      } finally {
        is_ended = true
      }
    }
    const stream = sheetStream({ format, name: 'x', titles: ['a', 'b'], rows: endless() })
    await new Promise((resolve) => stream.once('readable', resolve))
    const settled = async (): Promise<number> => {
      const before = given
      await new Promise((resolve) => setTimeout(resolve, 200))
      return given === before ? given : settled()
    }
    expect(await settled()).toBeLessThan(100_000)
    stream.destroy()
    await expect.poll(() => is_ended).toBe(true)
  })
})

describe('PDF', () => {
  const pages = async (titles: string[], rows: Cell[][], name?: string) => {
    const data = new Uint8Array(await bytes('pdf', titles, rows, name))
    const read = await getDocument({ data, verbosity: 0 }).promise
    return Promise.all(
      Array.from({ length: read.numPages }, async (_, at) => {
        const page = await read.getPage(at + 1)
        const items = (await page.getTextContent()).items.filter((item) => 'str' in item)
        const { width } = page.getViewport({ scale: 1 })
        const ends = items.map((item) => Number(item.transform[4]) + item.width)
        return {
          texts: items.map(({ str }) => str).filter((text) => text.trim() !== ''),
          width,
          end: Math.max(...ends),
        }
      }),
    )
  }

  it('holds every row under its titles on each page, in every language of the console', async () => {
    const rows = Array.from({ length: 120 }, (_, at): Cell[] => [`SIM-${at}`, '仓库手持机', 'Thiết bị đã nhận', at])
    const read = await pages(['SN', '名称', 'Trạng thái', 'Battery'], rows, '设备 Devices')
    expect(read.length).toBeGreaterThan(2)
    expect(read[0]!.texts[0]).toBe('设备 Devices')
    for (const [at, { texts }] of read.entries()) {
      expect(texts).toEqual(expect.arrayContaining(['SN', '名称', 'Trạng thái', 'Battery', String(at + 1)]))
      expect(texts).toEqual(expect.arrayContaining(['仓库手持机', 'Thiết bị đã nhận']))
    }
    const all = read.flatMap(({ texts }) => texts)
    expect(all.filter((text) => text.startsWith('SIM-'))).toEqual(rows.map(([sn]) => sn))
  })

  it('keeps long text on several lines and many columns on the page', async () => {
    const long = Array.from({ length: 60 }, (_, at) => `word${at}`).join(' ')
    const [wrapped] = await pages(['SN', 'Note'], [['1', long]])
    expect(wrapped!.texts.join(' ')).toContain('word59')
    expect(wrapped!.end).toBeLessThanOrEqual(wrapped!.width)
    const titles = Array.from({ length: 60 }, (_, at) => `Column ${at}`)
    const [wide] = await pages(titles, [titles.map((_, at) => `value ${at}`)])
    expect(wide!.texts.join(' ')).toContain('value 59')
    expect(wide!.end).toBeLessThanOrEqual(wide!.width)
  })

  it('ends what no page holds with dots, and writes an empty list and rubbish', async () => {
    const read = await pages(['A'], [['x'.repeat(40_000)], ['\u0000 \ud800 \u202e last'], [null], ['']])
    expect(read.flatMap(({ texts }) => texts).join('')).toMatch(/x…/)
    expect(read.flatMap(({ texts }) => texts).join('')).toContain('last')
    expect((await pages(['A', 'B'], [])).map(({ texts }) => texts)).toEqual([['Sheet', '1', 'A', 'B']])
  })
})
