import { lyingZip, workbookParts, worksheet, zipOf } from './zip.ts'

const mega = 1024 ** 2
const book = async (sheet: string, more?: Record<string, string>) => zipOf(workbookParts(sheet, more))
const cell = (reference: string) => `<c r="${reference}" t="inlineStr"><is><t>x</t></is></c>`
const lied = (sheet: string, says: (size: number) => number, entries?: number) =>
  lyingZip(
    workbookParts(sheet).map(([name, content]) => ({
      name,
      content: Buffer.from(content),
      says_bytes: says(content.length),
    })),
    entries,
  )
const linked = (target: string) =>
  book(worksheet(''), {
    'xl/_rels/workbook.xml.rels': `<Relationships><Relationship Id="s" Type="x/worksheet" Target="${target}"/></Relationships>`,
  })
/** Cells whose numbers are shown by `code`. */
const formatted = (code: string, rows: number) =>
  book(worksheet(`<row>${'<c s="1"><v>1</v></c>'.repeat(12)}</row>`.repeat(rows)), {
    'xl/styles.xml': `<styleSheet><numFmts><numFmt numFmtId="170" formatCode="${code}"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="170"/></cellXfs></styleSheet>`,
  })
const ns = ['office', 'table', 'text', 'style']
  .map((name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`)
  .join(' ')
const ods = (table: string, styles = '') =>
  zipOf([
    ['mimetype', 'application/vnd.oasis.opendocument.spreadsheet'],
    [
      'content.xml',
      `<office:document-content ${ns}>${styles}<table:table>${table}</table:table></office:document-content>`,
    ],
  ])
const odsCell = (text: string, more = '') => `<table:table-cell${more}><text:p>${text}</text:p></table:table-cell>`
const spaces = '<text:s text:c="32000"/>'

/** Sheets that were made to harm: what it is, what it is refused as, and how the file is made. */
export const hostileSheets: [what: string, refused: string, make: () => Promise<Buffer> | Buffer][] = [
  ['an XLS file', 'sheet_not_supported', () => Buffer.from('d0cf11e0a1b11ae1', 'hex')],
  ['a page that calls itself a sheet', 'sheet_not_supported', () => Buffer.from('<html><table></table></html>')],
  ['an XLSB file', 'sheet_not_supported', () => zipOf([['xl/workbook.bin', 'x']])],
  [
    'an encrypted entry',
    'sheet_not_supported',
    () => lyingZip([{ name: 'a', content: Buffer.from('a'), is_encrypted: true }]),
  ],
  ['any other archive', 'sheet_damaged', () => zipOf([['a.txt', 'x']])],
  ['half a file', 'sheet_damaged', async () => (await book(worksheet(''))).subarray(0, 300)],
  ['bytes that only begin like one', 'sheet_damaged', () => Buffer.from('PK\x03\x04 nothing of it')],
  [
    'two entries of one name',
    'sheet_damaged',
    () =>
      lyingZip([
        { name: 'a', content: Buffer.from('1') },
        { name: 'a', content: Buffer.from('2') },
      ]),
  ],
  ['entities', 'sheet_damaged', () => book(`<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>${worksheet('')}`)],
  [
    'a file of the machine',
    'sheet_damaged',
    () => book(worksheet(''), { 'xl/workbook.xml': '<!DOCTYPE x SYSTEM "file:///etc/passwd"><workbook/>' }),
  ],
  ['a tag without an end', 'sheet_damaged', () => book(`<worksheet ${'a'.repeat(mega)}`)],
  [
    'a text without an end',
    'sheet_damaged',
    () => book(worksheet(`<row><c t="str"><v>${'x'.repeat(mega)}</v></c></row>`)),
  ],
  ['a text that is not there', 'sheet_damaged', () => book(worksheet('<row><c t="s"><v>7</v></c></row>'))],
  ['more columns than fit', 'sheet_too_many_columns', () => book(worksheet(`<row r="1">${cell('AY1')}</row>`))],
  ['more columns than fit, in CSV', 'sheet_too_many_columns', () => Buffer.from(',a'.repeat(60))],
  ['a million columns', 'sheet_too_many_columns', () => Buffer.from(','.repeat(10 * mega))],
  ['too many rows', 'sheet_too_many_rows', () => book(worksheet(`<row>${cell('A')}</row>`.repeat(50_051)))],
  ['too many rows of CSV', 'sheet_too_many_rows', () => Buffer.from('a\n'.repeat(5 * mega))],
  ['a bomb that says so', 'sheet_beyond_limits', () => lied(worksheet(' '.repeat(mega)), () => 4_000_000_000)],
  [
    'a bomb among the texts',
    'sheet_beyond_limits',
    () => book(worksheet(''), { 'xl/sharedStrings.xml': `<sst>${' '.repeat(40 * mega)}</sst>` }),
  ],
  [
    'a million texts',
    'sheet_beyond_limits',
    () => book(worksheet(''), { 'xl/sharedStrings.xml': `<sst>${'<si/>'.repeat(mega)}</sst>` }),
  ],
  ['ten million empty cells', 'sheet_beyond_limits', () => book(worksheet(`<row>${'<c/>'.repeat(10 * mega)}</row>`))],
  ['a million merged cells', 'sheet_beyond_limits', () => book(worksheet('', '<mergeCell ref="A1:A9"/>'.repeat(mega)))],
  [
    'a bomb that says it is small',
    'sheet_damaged',
    () => lied(worksheet(' '.repeat(100 * mega)), (size) => Math.min(size, 2_000)),
  ],
  [
    'tens of thousands of entries',
    'sheet_beyond_limits',
    () => lyingZip(Array.from({ length: 60_000 }, (_, n) => ({ name: String(n), content: Buffer.alloc(0) }))),
  ],
  ['fewer entries said than there are', 'sheet_damaged', () => lied(worksheet(''), (size) => size, 1)],
  ['a relationship to nowhere', 'sheet_damaged', () => linked('http://')],
  ['a relationship that is no text', 'sheet_damaged', () => linked('%ff%')],
  ['a relationship out of the archive', 'sheet_damaged', () => linked('../../../../etc/passwd')],
  ['a format of 64 kB', 'sheet_damaged', () => formatted(`&quot;${'x'.repeat(60_000)}&quot;0000`, 40_000)],
  [
    'a format that is just not too long, in every cell',
    'sheet_beyond_limits',
    () => formatted(`&quot;${'x'.repeat(240)}&quot;0000`, 40_000),
  ],
  ['a format of patterns alone, in every cell', 'sheet_beyond_limits', () => formatted('\\x0'.repeat(80), 40_000)],
  [
    'merged cells in one another',
    'sheet_damaged',
    () => book(worksheet(`<row>${cell('A1')}</row>`.repeat(50_000), '<mergeCell ref="A1:A50000"/>'.repeat(60_000))),
  ],
  [
    'one long text in every cell',
    'sheet_beyond_limits',
    () =>
      book(worksheet(`<row>${'<c t="s"><v>0</v></c>'.repeat(12)}</row>`.repeat(40_000)), {
        'xl/sharedStrings.xml': `<sst><si><t>${'x'.repeat(30_000)}</t></si></sst>`,
      }),
  ],
  [
    'as many texts as fit, two bytes a character',
    'sheet_damaged',
    () =>
      book(worksheet('<row><c t="s"><v>-1</v></c></row>'), {
        'xl/sharedStrings.xml': `<sst>${`<si><t>工${'x'.repeat(60)}</t></si>`.repeat(390_000)}</sst>`,
      }),
  ],
  [
    'long texts of their own in every cell',
    'sheet_beyond_limits',
    () => book(worksheet(`<row>${`<c t="str"><v>${'x'.repeat(30_000)}</v></c>`.repeat(4)}</row>`.repeat(1_000))),
  ],
  ['a worksheet of line ends', 'sheet_damaged', () => book(`${worksheet('\n'.repeat(127 * mega))}<`)],
  [
    'spaces and no text, in OpenDocument',
    'sheet_damaged',
    () => ods(`<table:table-row>${odsCell(spaces.repeat(100_000))}</table:table-row>`),
  ],
  [
    'line breaks and no text, in OpenDocument',
    'sheet_damaged',
    () => ods(`<table:table-row>${odsCell('<text:line-break/>'.repeat(mega))}</table:table-row>`),
  ],
  [
    'one row of long texts, repeated',
    'sheet_beyond_limits',
    () =>
      ods(
        `<table:table-row table:number-rows-repeated="50000">${odsCell('x'.repeat(30_000)).repeat(40)}</table:table-row>`,
      ),
  ],
  [
    'one long text, merged over all rows',
    'sheet_beyond_limits',
    () =>
      ods(
        `<table:table-row>${odsCell('x'.repeat(30_000), ' table:number-rows-spanned="60000"')}</table:table-row>${'<table:table-row><table:covered-table-cell/></table:table-row>'.repeat(50_000)}`,
      ),
  ],
  [
    'a hundred megabytes of hidden styles',
    'sheet_beyond_limits',
    () =>
      ods(
        '',
        Array.from(
          { length: 1_600 },
          (_, n) =>
            `<style:style style:name="${n}${'x'.repeat(60_000)}"/><style:table-properties table:display="false"/>`,
        ).join(''),
      ),
  ],
  [
    'hidden styles of short names, far apart',
    'sheet_beyond_limits',
    () =>
      ods(
        '',
        Array.from(
          { length: 1_600 },
          (_, n) =>
            `<style:style style:name="a style that is hidden ${n}" x="${'x'.repeat(60_000)}"/><style:table-properties table:display="false"/>`,
        ).join(''),
      ),
  ],
  ['a quote that is never closed', 'sheet_damaged', () => Buffer.from(`SN,"${'x'.repeat(9 * mega)}`)],
  ['quotes alone', 'sheet_damaged', () => Buffer.from('"'.repeat(9 * mega + 1))],
  ['an open quote behind every comma', 'sheet_too_many_rows', () => Buffer.from(',"\n'.repeat(3 * mega))],
  ['a text of CSV without an end', 'sheet_damaged', () => Buffer.from('x'.repeat(9 * mega))],
  ['a text of CSV that says it is text', 'sheet_damaged', () => Buffer.from(`="${'""'.repeat(4 * mega)}"`)],
]
