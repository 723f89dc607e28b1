import { contract } from '@mdm/contract'
import type { InformationPreview } from '@mdm/contract'
import { readXlsx, writeXlsx } from 'hucre/xlsx'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { createAccount } from '../../people/account/index.ts'
import { testHttpServer } from '../../../testing/http-server.ts'
import type { TestHttpServer } from '../../../testing/http-server.ts'
import { sheetHelpers } from '../../../testing/sheets.ts'
import type { Person } from '../../../testing/sheets.ts'

const calls = contract.opsRamMemory.calls

let w: TestHttpServer
let operator: Person
const { send, json, refusalOf, upload } = sheetHelpers(() => w)
beforeAll(async () => {
  w = await testHttpServer()
  const { kid } = await createAccount(w.deps.db, { type: 101, name: 'Provider' })
  operator = await w.person(['informationList*', 'ramMemory*'], { account_kid: kid })
  await w.deps.db.updateTable('user_account').set({ type: 101 }).where('kid', '=', operator.user_kid).execute()
})
afterAll(() => w?.close())
beforeEach(() => w.deps.db.deleteFrom('os_information').execute())

const titles = ['Code', 'Name', 'Total capacity', 'Chip model', 'Remark']
const preview = async (rows: (string | number | null)[][], lang = 'en') => {
  const bytes = await writeXlsx({ sheets: [{ name: 'RAM', rows }] })
  const asked = { upload_kid: await upload(operator, bytes) }
  return json<InformationPreview>(send(operator, calls.preview_import, asked, { lang }))
}

it('a sheet is judged row by row, and the good ones are imported', async () => {
  await json(send(operator, calls.insert, { code: '0A', name: 'Old', total_capacity: '1 GB', chip_model: 'X' }))
  const { data } = await preview([
    ['Our memory'],
    [...titles, 'Price'],
    ['02', '2 GB LPDDR4', '2 GB', 'K4F', null, 7],
    ['0a', 'Another', '1 GB', 'X', null, null],
    ['04', 'old', '4 GB', 'X', null, null],
    ['4', 'Short', '4 GB', null, null, null],
    ['02', 'Twice', '2 GB', 'X', null, null],
    [null, null, null, null, null, null],
    ['06', '  Six\nGB ', '6 GB', 'X', 'note', null],
  ])
  expect(data).toMatchObject({ good: 2, bad: 4, unknown_columns: ['Price'] })
  expect(data.rows.map(({ row, code, faults }) => [row, code, faults.map(({ message }) => message)])).toEqual([
    [3, '02', []],
    [4, '0a', ['This code already exists.']],
    [5, '04', ['This name already exists.']],
    [6, '4', ['Code: Exactly 2 letters or digits.', 'Chip model: Required.']],
    [7, '02', ['This code already exists.']],
    [9, '06', []],
  ])
  const good = data.rows.filter(({ faults }) => faults.length === 0).map(({ row: _, faults: __, ...draft }) => draft)
  expect((await json(send(operator, calls.import, { rows: good }))).data).toEqual({ imported: 2, left_out: [] })
  const { items } = (await json<{ items: object[] }>(send(operator, calls.paging, {}))).data
  expect(items).toMatchObject([
    { code: '02', name: '2 GB LPDDR4', total_capacity: '2 GB', chip_model: 'K4F', remark: '', uid_count: 0 },
    { code: '06', name: 'Six GB', remark: 'note' },
    { code: '0A' },
  ])
  expect(items[0]).not.toHaveProperty('supplier')
})

it('who was faster wins: a row whose code is taken by then is left out and named', async () => {
  const row = { code: '02', name: 'Two', total_capacity: '2 GB', chip_model: 'X' }
  const both = await Promise.all([
    json<{ imported: number; left_out: string[] }>(send(operator, calls.import, { rows: [row] })),
    json<{ imported: number; left_out: string[] }>(send(operator, calls.import, { rows: [{ ...row, name: 'Zwei' }] })),
  ])
  expect(both.map(({ data }) => data.imported).toSorted()).toEqual([0, 1])
  expect(both.flatMap(({ data }) => data.left_out)).toEqual(['02'])
})

it('titles may be of another language; a code that a spreadsheet made a date of is not guessed', async () => {
  const { data } = await preview(
    [
      ['Mã', 'Tên', 'Tổng dung lượng', 'Mẫu chip', 'Số UID'],
      ['08', 'Tám', '8 GB', 'X', 3],
    ],
    'vi',
  )
  expect(data).toMatchObject({ good: 1, bad: 0, unknown_columns: [] })
  const bytes = Buffer.from('Code,Name,Total capacity,Chip model\n=1+1,Sum,1,X\n')
  const csv = await json<InformationPreview>(
    send(operator, calls.preview_import, { upload_kid: await upload(operator, bytes) }),
  )
  expect(csv.data.rows[0]!.faults.map(({ field }) => field)).toEqual(['code'])
})

it.each(['csv', 'xlsx'] as const)('a list that was exported as %s comes back as it was', async (format) => {
  const rows = [
    { code: '02', name: 'Two, "fast"', total_capacity: '2 GB', chip_model: 'K4F', remark: '' },
    { code: '1E', name: '=1+1', total_capacity: '-', chip_model: '@x', remark: 'Bộ nhớ 内存' },
  ]
  await json(send(operator, calls.import, { rows }))
  const columns = ['code', 'name', 'total_capacity', 'chip_model', 'uid_count', 'remark', 'updated_at']
  const wanted = {
    path: calls.paging.path,
    input: { sort: 'code', order: 'asc' },
    format,
    name: 'RAM',
    zone_id: 'UTC',
    columns: columns.map((key, at) => ({ key, title: [...titles.slice(0, 4), 'UIDs', 'Remark', 'Updated'][at]! })),
  }
  const { data } = await json<{ url: string }>(send(operator, contract.listExport.calls.insert, wanted))
  const bytes = Buffer.from(await (await fetch(w.url + data.url)).arrayBuffer())
  await w.deps.db.deleteFrom('os_information').execute()
  const asked = { upload_kid: await upload(operator, bytes) }
  const seen = (await json<InformationPreview>(send(operator, calls.preview_import, asked))).data
  expect(seen).toMatchObject({ good: 2, bad: 0, unknown_columns: [] })
  expect(seen.rows).toMatchObject(rows)
})

it('the template has the columns of its list, and a sheet of another list is refused by what it lacks', async () => {
  const reply = await send(operator, calls.template, {})
  const [sheet] = (await readXlsx(Buffer.from(await reply.arrayBuffer()))).sheets
  expect(sheet!.rows[0]).toEqual(titles)
  const bytes = await writeXlsx({
    sheets: [
      {
        name: 'x',
        rows: [
          ['Code', 'Name'],
          ['02', 'Two'],
        ],
      },
    ],
  })
  const asked = send(operator, calls.preview_import, { upload_kid: await upload(operator, bytes) })
  expect(await refusalOf(asked)).toBe('sheet_columns_missing')
})
