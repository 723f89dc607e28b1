import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { streamXlsxRows, writeXlsx } from 'hucre/xlsx'
import { describe, expect, it } from 'vitest'
import { Refusal } from '../refusal.ts'
import { readSheet, sheetNames } from './sheet-read.ts'
import type { SheetCell } from './sheet-read.ts'
import { hostileSheets } from '../testing/hostile-sheets.ts'
import { workbookParts, worksheet, zipOf } from '../testing/zip.ts'

async function rowsOf(bytes: Uint8Array) {
  const rows: { n: number; cells: (SheetCell | undefined)[] }[] = []
  for await (const row of readSheet(Buffer.from(bytes))) rows.push(row)
  return rows
}
const shown = async (bytes: Uint8Array) =>
  (await rowsOf(bytes)).map(({ n, cells }) => [
    n,
    ...Array.from(cells, (cell) => (cell?.fault ? `!${cell.fault}` : (cell?.text ?? null))),
  ])
const refusal = (bytes: Uint8Array): Promise<unknown> =>
  rowsOf(bytes).then(
    (rows) => ({ not_refused: rows.length }),
    (error: unknown) => (error instanceof Refusal ? error.refusal : Promise.reject(error)),
  )
const book = async (sheet: string, more?: Record<string, string>) => zipOf(workbookParts(sheet, more))

describe('a workbook', () => {
  it('reads as hucre, which wrote it, reads it', async () => {
    const rows = Array.from({ length: 3_000 }, (_, n) => [
      `SN-${n}`,
      n % 7 === 0 ? null : `Lệnh & <${n}> 工单 "x"`,
      n,
      n % 2 === 0,
    ])
    const bytes = await writeXlsx({ sheets: [{ name: 'Một', rows: [['SN', 'Lệnh công việc', 'n', 'b'], ...rows] }] })
    const theirs: unknown[] = []
    for await (const { index, values } of streamXlsxRows(bytes))
      theirs.push([
        index + 1,
        ...values.map((value) =>
          value === null ? null : typeof value === 'boolean' ? String(value).toUpperCase() : String(value),
        ),
      ])
    expect(await shown(bytes)).toEqual(theirs)
  })

  it('gives numbers as they are shown, and says what cannot be trusted', async () => {
    const cells = new Map<string, object>([
      ['0,1', { formula: '"SN-"&1', formulaResult: 'SN-1' }],
      ['0,2', { formula: 'A1&B1' }],
    ])
    const bytes = await writeXlsx({
      sheets: [
        {
          name: 'S',
          columns: [
            {},
            {},
            {},
            { numFmt: '00000000' },
            { numFmt: '@' },
            { numFmt: '#,##0' },
            { numFmt: 'yyyy-mm-dd' },
            {},
            {},
          ],
          rows: [[12, null, null, 12345, '0012', 1234567, 45_000, 123456789012345, 1234567890123456]],
          cells,
        },
      ],
    })
    expect(await shown(bytes)).toEqual([
      [1, '12', 'SN-1', '!formula', '00012345', '0012', '1234567', '!date', '123456789012345', '!rounded'],
    ])
  })

  it('shows errors, rich text without readings, escapes and CDATA as a person sees them', async () => {
    const sheet = worksheet(
      `<row r="3"><c r="A3" t="e"><f>1/0</f><v>#DIV/0!</v></c><c r="C3" t="s"><v>0</v></c>` +
        `<c t="inlineStr"><is><r><t>a&amp;</t></r><r><t xml:space="preserve"> b_x0041_</t></r></is></c></row>` +
        `<!-- > --><row><c t="inlineStr"><is><t><![CDATA[<SN&>]]></t></is></c><c><v>1e3</v></c></row><row r="9"/>`,
    )
    const strings = '<sst><si><t>工</t><r><t>单</t></r><rPh sb="0" eb="1"><t>gong</t></rPh></si></sst>'
    expect(await shown(await book(sheet, { 'xl/sharedStrings.xml': strings }))).toEqual([
      [3, '!error', null, '工单', 'a& bA'],
      [4, '<SN&>', '1000'],
    ])
  })

  it('says which day a cell shows, though it is no text, whatever year days are counted from', async () => {
    const styles = '<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>'
    const rows =
      '<row r="1"><c r="A1" s="1"><v>46082.75</v></c><c r="B1" t="d"><v>2026-03-01T08:00:00</v></c><c r="C1" s="1"><v>-3</v></c></row>'
    const daysOf = async (properties: string) => {
      const workbook = `<workbook xmlns:r="x">${properties}<sheets><sheet name="S" sheetId="1" r:id="s"/></sheets></workbook>`
      const made = await rowsOf(await book(worksheet(rows), { 'xl/styles.xml': styles, 'xl/workbook.xml': workbook }))
      return made[0]!.cells.map((cell) => [cell?.text, cell?.fault])
    }
    const iso = ['2026-03-01', 'date']
    expect(await daysOf('')).toEqual([['2026-03-01', 'date'], iso, ['', 'date']])
    expect(await daysOf('<workbookPr date1904="1"/>')).toEqual([['2030-03-02', 'date'], iso, ['1903-12-29', 'date']])
  })

  it('fills what was merged downwards, and only rows that have something', async () => {
    const rows = [
      ['SN', 'WO'],
      ['a', 'WO-1'],
      ['b', null],
      ['c', null],
      [null, null],
      ['d', null],
    ]
    const merges = [{ startRow: 1, startCol: 1, endRow: 4, endCol: 1 }]
    const bytes = await writeXlsx({ sheets: [{ name: 'S', rows, merges }] })
    expect(await shown(bytes)).toEqual([
      [1, 'SN', 'WO'],
      [2, 'a', 'WO-1'],
      [3, 'b', 'WO-1'],
      [4, 'c', 'WO-1'],
      [6, 'd'],
    ])
  })

  it('is the first sheet that people see', async () => {
    const bytes = await writeXlsx({
      sheets: [
        { name: 'Lists', hidden: true, rows: [['hidden']] },
        { name: 'Devices', rows: [['seen']] },
        { name: 'Later', rows: [['later']] },
      ],
    })
    expect(await shown(bytes)).toEqual([[1, 'seen']])
  })
})

const office = ['soffice', 'libreoffice'].find((name) => spawnSync(name, ['--version']).status === 0)
const ns = ['office', 'table', 'text', 'style']
  .map((name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`)
  .join(' ')
/** Tables of OpenDocument as LibreOffice writes them; those of the style `hidden` are not shown. */
const tables = (...bodies: string[]): string =>
  `<office:automatic-styles><style:style style:name="hidden" style:family="table"><style:table-properties table:display="false"/></style:style></office:automatic-styles><office:body><office:spreadsheet>${bodies.join('')}</office:spreadsheet></office:body>`
const tableOf = (rows: string, style = 'seen') =>
  `<table:table table:name="${style}" table:style-name="${style}">${rows}</table:table>`
const rowOf = (cells: string, more = '') => `<table:table-row${more}>${cells}</table:table-row>`
const cellOf = (text: string, more = '') =>
  `<table:table-cell office:value-type="string"${more}><text:p>${text}</text:p></table:table-cell>`
const numberOf = (value: string, text: string) =>
  `<table:table-cell office:value-type="float" office:value="${value}"><text:p>${text}</text:p></table:table-cell>`
const odsMime = 'application/vnd.oasis.opendocument.spreadsheet'
const ods = (body: string, more: [string, string][] = []) =>
  zipOf([
    ['mimetype', odsMime],
    ['content.xml', `<?xml version="1.0"?><office:document-content ${ns}>${body}</office:document-content>`],
    ...more,
  ])

describe('OpenDocument', () => {
  it('shows what people see: numbers, merged cells, repeats, remarks beside, the first visible sheet', async () => {
    const rows = [
      rowOf(cellOf('SN') + cellOf('Work  order<text:s text:c="2"/>no.') + cellOf('A &amp; B<text:line-break/>C')),
      rowOf('<table:table-cell table:number-columns-repeated="16384"/>', ' table:number-rows-repeated="2"'),
      rowOf(
        numberOf('12', '00012') + cellOf('WO', ' table:number-rows-spanned="3"') + numberOf('1234567', '1,234,567'),
      ),
      rowOf(
        cellOf('Q', ' table:number-columns-repeated="1"') + '<table:covered-table-cell/>' + numberOf('1e15', '1E+15'),
      ),
      rowOf(`${cellOf('R<office:annotation><text:p>look</text:p></office:annotation>')}<table:covered-table-cell/>`),
      rowOf(cellOf('same', ' table:number-columns-repeated="2"'), ' table:number-rows-repeated="2"'),
      rowOf('<table:table-cell/>', ' table:number-rows-repeated="1048000"'),
    ]
    const bytes = await ods(
      tables(tableOf(rowOf(cellOf('unseen')), 'hidden'), tableOf(rows.join('')), tableOf(rowOf(cellOf('later')))),
    )
    expect(await shown(bytes)).toEqual([
      [1, 'SN', 'Work order  no.', 'A & B\nC'],
      [4, '00012', 'WO', '1234567'],
      [5, 'Q', 'WO', '!rounded'],
      [6, 'R', 'WO'],
      [7, 'same', 'same'],
      [8, 'same', 'same'],
    ])
  })

  it('says what cannot be trusted', async () => {
    const cells = [
      '<table:table-cell office:value-type="date" office:date-value="2026-01-31T10:00:00"><text:p>31/01/26</text:p></table:table-cell>',
      '<table:table-cell table:formula="of:=[.A1]"/>',
      '<table:table-cell office:value-type="string" calcext:value-type="error"><text:p>#REF!</text:p></table:table-cell>',
      '<table:table-cell table:formula="of:=1" office:value-type="boolean" office:boolean-value="true"><text:p>WAHR</text:p></table:table-cell>',
    ]
    expect(await shown(await ods(tables(tableOf(rowOf(cells.join(''))))))).toEqual([
      [1, '!date', '!formula', '!error', 'TRUE'],
    ])
  })

  it.each<[string, string, () => Promise<Buffer>]>([
    ['a text document', 'sheet_not_supported', () => zipOf([['mimetype', 'application/vnd.oasis.opendocument.text']])],
    [
      'one with a password',
      'sheet_not_supported',
      () => ods('', [['META-INF/manifest.xml', '<manifest:encryption-data/>']]),
    ],
    ['one without a sheet', 'sheet_damaged', () => zipOf([['mimetype', odsMime]])],
    [
      'a row a million times',
      'sheet_too_many_rows',
      () => ods(tables(tableOf(rowOf(cellOf('x'), ' table:number-rows-repeated="1000000"')))),
    ],
    [
      'a cell a thousand times',
      'sheet_too_many_columns',
      () => ods(tables(tableOf(rowOf(cellOf('x', ' table:number-columns-repeated="1000"'))))),
    ],
    [
      'a repeat that is no number',
      'sheet_damaged',
      () => ods(tables(tableOf(rowOf(cellOf('x'), ' table:number-rows-repeated="-1"')))),
    ],
    [
      'a gigabyte of spaces',
      'sheet_damaged',
      () => ods(tables(tableOf(rowOf(cellOf('<text:s text:c="32000"/>x'.repeat(30)))))),
    ],
    [
      'entities',
      'sheet_damaged',
      async () =>
        zipOf([
          ['mimetype', odsMime],
          ['content.xml', '<!DOCTYPE x [<!ENTITY a "ha">]><office:document-content/>'],
        ]),
    ],
  ])('refuses %s', async (_, refused, make) => {
    expect(await refusal(await make())).toBe(refused)
  })
})

describe('the names of sheets', () => {
  it('are those that people see, of either format', async () => {
    const sheets = ['Cover', 'Hidden', 'Devices'].map((name) => ({ name, hidden: name === 'Hidden', rows: [['x']] }))
    expect(await sheetNames(Buffer.from(await writeXlsx({ sheets })))).toEqual(['Cover', 'Devices'])
    const body = tables(tableOf('', 'hidden'), tableOf(rowOf(cellOf('x')), 'Cover'), tableOf('', 'Devices'))
    expect(await sheetNames(await ods(body))).toEqual(['Cover', 'Devices'])
    expect(await sheetNames(Buffer.from('SN,Alias'))).toEqual([])
  })
})

describe.skipIf(!office)(
  office ? 'LibreOffice' : 'LibreOffice, left out: apt-get install -y libreoffice-calc-nogui',
  () => {
    it('saves what is read as it shows it, in either format, and what is not read is told', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'mdm-sheet-'))
      try {
        const convert = (to: string, from: string) =>
          execFileSync(
            office!,
            [
              '--headless',
              `-env:UserInstallation=file://${folder}/profile`,
              '--convert-to',
              to,
              '--outdir',
              folder,
              from,
            ],
            { cwd: folder, stdio: 'ignore', timeout: 80_000 },
          )
        const data = 'xmlns:number="urn:oasis:names:tc:opendocument:xmlns:datastyle:1.0"'
        const style = (name: string, of: string) =>
          `<style:style style:name="${name}" style:family="table-cell" style:data-style-name="${of}"/>`
        const styles =
          `<number:number-style ${data} style:name="N8"><number:number number:decimal-places="0" number:min-integer-digits="8"/></number:number-style>` +
          `<number:date-style ${data} style:name="N9"><number:day/><number:text>/</number:text><number:month/></number:date-style>` +
          style('eight', 'N8') +
          style('day', 'N9')
        const rows = [
          rowOf(['SN', 'Lệnh', '工单', 'Day'].map((title) => cellOf(title)).join('')),
          rowOf(
            '<table:table-cell table:style-name="eight" office:value-type="float" office:value="123"/>' +
              cellOf('WO &amp; 1', ' table:number-rows-spanned="2" table:number-columns-spanned="1"') +
              '<table:table-cell table:formula="of:=CONCATENATE(&quot;K&quot;;[.A2])" office:value-type="string"/>' +
              '<table:table-cell table:style-name="day" office:value-type="date" office:date-value="2026-01-31"/>',
          ),
          rowOf(`${cellOf('00456')}<table:covered-table-cell/>${cellOf('工')}`),
        ]
        const flat = tables(tableOf(rows.join(''))).replace('</office:automatic-styles>', `${styles}$&`)
        writeFileSync(
          join(folder, 'a.fods'),
          `<?xml version="1.0"?><office:document ${ns} xmlns:of="urn:oasis:names:tc:opendocument:xmlns:of:1.2" office:version="1.3" office:mimetype="${odsMime}">${flat}</office:document>`,
        )
        for (const to of ['xlsx:Calc MS Excel 2007 XML', 'ods', 'xls']) convert(to, 'a.fods')
        const expected = [
          [1, 'SN', 'Lệnh', '工单', 'Day'],
          [2, '00000123', 'WO & 1', 'K123', '!date'],
          [3, '00456', 'WO & 1', '工'],
        ]
        expect(await shown(readFileSync(join(folder, 'a.xlsx')))).toEqual(expected)
        expect(await shown(readFileSync(join(folder, 'a.ods')))).toEqual(expected)
        expect(await refusal(readFileSync(join(folder, 'a.xls')))).toBe('sheet_not_supported')
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    })
  },
)

describe('CSV', () => {
  const csv = (text: string) => shown(Buffer.from(text))
  it.each([
    ['commas', '\uFEFFSN,WO\r\n"a, ""b""",0012\r\n'],
    ['semicolons', 'SN;WO\n"a, ""b""";0012\n'],
    ['tabs', 'SN\tWO\r"a, ""b"""\t0012'],
  ])('with %s', async (_, text) => {
    expect(await csv(text)).toEqual([
      [1, 'SN', 'WO'],
      [2, 'a, "b"', '0012'],
    ])
  })

  it('in UTF-16 as Excel saves it', async () => {
    const rows = [
      [1, 'SN', 'Lệnh'],
      [2, '序', '1'],
    ]
    expect(await shown(Buffer.from('\uFEFFSN\tLệnh\r\n序\t1', 'utf16le'))).toEqual(rows)
  })

  it.each([
    ['GBK', 'd0f2c1d0bac52cb1f0c3fb0a47424b2d312cb2d6bfe20a', ['序列号', '别名'], ['GBK-1', '仓库']],
    ['GBK, in one cell', '534e2cd0f20a412c620a', ['SN', '序'], ['A', 'b']],
    ['windows-1258', '534e3b416c6961730a43502d323b4b686f20d0f46e670a', ['SN', 'Alias'], ['CP-2', 'Kho Đông']],
    ['windows-1258, with tones', '534e3b4c65d26e680a43502d323bd0f4ec6e670a', ['SN', 'Lẻnh'], ['CP-2', 'Đống']],
    ['windows-1252', '534e3b416c6961730a43502d313b4dfc6e6368656e', ['SN', 'Alias'], ['CP-1', 'München']],
    ['windows-1252, of Portugal', '534e3b416c6961730a433b53e36f2043e974650a', ['SN', 'Alias'], ['C', 'São Céte']],
  ])('as Excel saves it in %s', async (_, hex, ...rows) => {
    expect(await shown(Buffer.from(hex, 'hex'))).toEqual(rows.map((row, at) => [at + 1, ...row]))
  })

  it('in another encoding is told to be one, and what is no text to be damaged', async () => {
    const windows_1251 = Buffer.concat([Buffer.from('SN,'), Buffer.from('d1eae0e4', 'hex')])
    const shift_jis = Buffer.concat([Buffer.from('SN,'), Buffer.from('93fa967b8cea', 'hex')])
    const big5 = Buffer.concat([Buffer.from('SN,'), Buffer.from('a4a4a4e5adb6adb1', 'hex')])
    for (const bytes of [windows_1251, shift_jis, big5]) expect(await refusal(bytes)).toBe('sheet_encoding_unknown')
    expect(await refusal(Buffer.from([0x53, 0x4e, 0, 0xd0, 0xf2, 0x0a]))).toBe('sheet_damaged')
  })

  it.each([
    ['commas', '"SN", "Alias"\r\n"Q",\t"a, b" \r\n'],
    ['semicolons', '"SN" ; "Alias"\n "Q"; "a, b"\n'],
    ['tabs', '"SN"\t "Alias"\n"Q"\t "a, b"\n'],
  ])('with blanks between %s and quotes', async (_, text) => {
    expect(await csv(text)).toEqual([
      [1, 'SN', 'Alias'],
      [2, 'Q', 'a, b'],
    ])
  })

  it.each([
    ...['3.50123E+14', '1E+15', '4.2e+10', '2E+07', '1.23e14', '１.２３Ｅ＋１４', '-1.5E-07'],
    ...['1 234 567 890 123 460', '1.234.567.890.123.460', '"1,234,567,890,123,460"', '"3,50E+14"'],
  ])('%s is a number that was rounded', async (number) => {
    expect(await csv(`SN,Alias\n${number},a\n`)).toEqual([
      [1, 'SN', 'Alias'],
      [2, '!rounded', 'a'],
    ])
  })

  it.each(['2E07', 'E+07', '12E45', '10.100.200.100', '350123456789012345', '1.5', '123 456', 'A1.2E+3'])(
    '%s may be what a device is called',
    async (text) => {
      expect(await csv(`SN,Alias\n${text},a\n`)).toEqual([
        [1, 'SN', 'Alias'],
        [2, text, 'a'],
      ])
    },
  )

  it('knows text that was kept from being calculated', async () => {
    expect(await csv(`"=""0012""",'=1+1,=A1,1.23E+17`)).toEqual([[1, '0012', '=1+1', '!formula', '!rounded']])
  })
})

const mega = 1024 ** 2
describe('what is refused', () => {
  it.each(hostileSheets)('%s', async (_, name, make) => {
    const bytes = await make()
    const before = process.memoryUsage().rss
    let most = before
    const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 5)
    const started = process.cpuUsage()
    try {
      expect(await refusal(bytes)).toBe(name)
    } finally {
      clearInterval(watch)
    }
    most = Math.max(most, process.memoryUsage().rss)
    // Of the processor, not of the clock: others may be at work on the same machine, which may be slow. A second is usual, and
    // minutes where nothing is refused.
    const { user, system } = process.cpuUsage(started)
    expect((user + system) / 1_000).toBeLessThan(10_000)
    // What is not collected yet counts too, also of other files of this process: 150 were seen. Unbounded they took gigabytes.
    expect((most - before) / mega).toBeLessThan(256)
  })
})
