import { Readable } from 'node:stream'
import { batch_limits, contract, errors } from '@mdm/contract'
import type { BatchPreview } from '@mdm/contract'
import { writeXlsx } from 'hucre/xlsx'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testHttpServer } from '../../../testing/http-server.ts'
import type { TestHttpServer } from '../../../testing/http-server.ts'
import { code, sheetHelpers } from '../../../testing/sheets.ts'
import type { Asked, Person } from '../../../testing/sheets.ts'

const calls = contract.terminalBatch.calls

let w: TestHttpServer
beforeAll(async () => {
  w = await testHttpServer()
})
afterAll(() => w?.close())

const { next, customer, group, announce, serials, dto, send, json, refusalOf, outcomes, upload } = sheetHelpers(() => w)

const start = (who: Person, terminalDtos: object[], more: object = {}, asked?: Asked) =>
  send(who, calls.batch_registered, { terminalDtos, schedule_version: next(), ...more }, asked)

const preview = async (who: Person, bytes: Uint8Array, lang = 'en') =>
  json<BatchPreview>(send(who, calls.preview_batch, { upload_kid: await upload(who, bytes) }, { lang }))
const csv = (text: string) => Buffer.from(text)

describe('a preview', () => {
  const header = 'Mã xác minh;Ghi chú;SN;工单;Alias\n'

  it('says of every row what registering it would say, and registers nothing', async () => {
    const who = await customer(2)
    const sns = serials(3)
    await announce(sns)
    const sheet = `Danh sách tháng 3\n${header}${code};x;${sns[0]};WO;Quầy 1\n${code};;${sns[1]};WO;\n\nABC999;;${sns[2]};WO;\n;;;;\n${code};;NEVER;;\n`
    const { result, data } = await preview(who, csv(sheet), 'vi')
    expect(result).toBe(1)
    expect(data).toMatchObject({ good: 2, bad: 2, room: 2, unknown_columns: ['Ghi chú'] })
    expect(data.rows).toEqual([
      { row: 3, sn: sns[0], work_order: 'WO', verification_code: code, name: 'Quầy 1', group_path: '' },
      { row: 4, sn: sns[1], work_order: 'WO', verification_code: code, name: '', group_path: '' },
      {
        row: 6,
        sn: sns[2],
        work_order: 'WO',
        verification_code: 'ABC999',
        name: '',
        group_path: '',
        faults: [{ result: 40022, message: 'Mã đăng ký không khớp.' }],
      },
      {
        row: 8,
        sn: 'NEVER',
        work_order: '',
        verification_code: code,
        name: '',
        group_path: '',
        faults: [{ result: 42052, message: 'Thiếu Lệnh công việc.' }],
      },
    ])
    expect(
      await w.deps.db.selectFrom('terminal').select('kid').where('account_kid', '=', who.account_kid).execute(),
    ).toEqual([])
    // Looking is guessing.
    for (let n = 0; n < 10; n += 1) await preview(who, csv(`${header}ABC999;;${sns[1]};WO;\n`))
    const { data: full } = await preview(who, csv(`${header}${code};;${sns[1]};WO;\n`))
    expect(full.rows[0]!.faults?.[0]?.result).toBe(errors.too_many_wrong_codes.result)
  })

  it('finds a device however its serial number is written in the sheet', async () => {
    const who = await customer()
    const [sn] = serials(1) as [string]
    await announce([sn])
    const wide = sn.replaceAll(/[!-~]/g, (sign) => String.fromCodePoint(sign.codePointAt(0)! + 0xfee0))
    for (const written of [
      sn.toLowerCase(),
      `\u202a${sn}\u202c`,
      `${sn.slice(0, 2)}\u200b${sn.slice(2)}\u200f`,
      wide,
    ]) {
      const { data } = await preview(who, csv(`${header}${code};;${written};WO;\n`))
      expect([written, data.good, data.rows[0]!.sn]).toEqual([written, 1, sn])
    }
    const { data } = await preview(who, csv(`${header}${code};;${sn};WO;\n${code};;${sn.toLowerCase()};WO;\n`))
    expect(data.rows[1]!.faults?.[0]?.result).toBe(errors.row_sn_repeated.result)
  })

  it('ends with whoever asked for it, and keeps nobody else waiting', async () => {
    const [who, other] = [await customer(), await customer()]
    const upload_kid = await upload(who, csv(`${header}${code};;A;WO;\n`))
    const readers = () => process.getActiveResourcesInfo().filter((name) => name === 'ProcessWrap').length
    const before = readers()
    const { read } = w.deps.objects
    const gone = new AbortController()
    // A store that never gives a byte: by itself the reader would wait for a minute.
    w.deps.objects.read = async () => new Readable({ read() {} })
    try {
      const asked = send(who, calls.preview_batch, { upload_kid }, { signal: gone.signal }).catch(() => 'gone')
      await expect.poll(readers).toBe(before + 1)
      gone.abort()
      expect(await asked).toBe('gone')
      await expect.poll(readers).toBe(before)
    } finally {
      w.deps.objects.read = read
    }
    expect((await preview(other, csv(`${header}${code};;A;WO;\n`))).result).toBe(1)
    expect((await json(send(who, calls.preview_batch, { upload_kid }))).result).toBe(1)
    expect(w.internal_errors).toEqual([])
  })

  it('counts the room there is, and says what a spreadsheet made of a cell', async () => {
    const who = await customer(1)
    const sns = serials(2)
    await announce(sns)
    const bytes = await writeXlsx({
      sheets: [
        {
          name: 'S',
          columns: [{}, { numFmt: 'yyyy-mm-dd' }, {}],
          rows: [
            ['SN', 'Work order', 'Registration code'],
            [sns[0]!, 45_000, code],
            [sns[0]!, null, code],
            [sns[1]!, null, code],
            [1234567890123456, null, code],
          ],
          cells: new Map([
            ['2,1', { value: 'WO' }],
            ['3,1', { value: 'WO', formula: 'B3', formulaResult: 'WO' }],
            ['4,1', { value: 'WO' }],
          ]),
        },
      ],
    })
    const { data } = await preview(who, bytes)
    const said = data.rows.map(({ faults = [] }) => faults.map(({ result }) => result))
    expect(said).toEqual([[42055], [42054], [], [42056]])
    expect(data.rows[0]!.faults![0]!.message).toContain('Work order')
  })

  it.each([
    ['sheet_columns_missing', 'SN,Alias\nA,B\n'],
    ['sheet_empty', 'SN,Work order,Code\n'],
    ['sheet_empty', ''],
    ['sheet_not_supported', '<table></table>'],
    ['sheet_damaged', 'PK\x03\x04'],
    ['sheet_of_another_week', 'MDM-WEEK 2020-W01\nSN,Work order,Code\nA,B,C\n'],
    ['sheet_too_many_rows', `SN,Work order,Code\n${'A,B,C\n'.repeat(50_001)}`],
  ])('refuses %s', async (name, text) => {
    const who = await customer()
    expect(await refusalOf(send(who, calls.preview_batch, { upload_kid: await upload(who, csv(text)) }))).toBe(name)
  })

  it('says which sheet it looked at, and which others there are', async () => {
    const who = await customer()
    const cover = { name: 'Cover', rows: [['Delivery of March']] }
    const bytes = await writeXlsx({ sheets: [cover, { name: 'Devices', rows: [['SN', 'Work order', 'Code']] }] })
    const { message } = await preview(who, bytes)
    expect(message).toContain('“Cover”')
    expect(message).toContain('The file has others: Devices')
  })

  it('names the sheet that it read, and the others that people see', async () => {
    const who = await customer()
    const rows = [
      ['SN', 'Work order', 'Code'],
      ['A', 'WO', code],
    ]
    const others = ['Sheet2', 'Notes\n2026'].map((name) => ({ name, rows: [['x']] }))
    const bytes = await writeXlsx({
      sheets: [{ name: 'Devices', rows }, ...others, { name: 'Secret', rows, hidden: true }],
    })
    const { data } = await preview(who, bytes)
    expect(data).toMatchObject({ sheet: 'Devices', other_sheets: ['Sheet2', 'Notes 2026'] })
    expect((await preview(who, csv('SN,Work order,Code\nA,WO,B\n'))).data).toMatchObject({
      sheet: null,
      other_sheets: [],
    })
  })

  it('judges rows that were mended by themselves, without another upload', async () => {
    const who = await customer()
    const [first, second] = serials(2) as [string, string]
    await announce([first, second])
    const look = async (rows: object[], more: object = {}) =>
      json<BatchPreview>(send(who, calls.preview_batch, { rows, ...more }))
    const { data } = await look([
      { row: 7, sn: first.toLowerCase(), work_order: 'WO', verification_code: code },
      { row: 9, sn: first, work_order: 'WO', verification_code: code },
      { row: 11, sn: second, work_order: '', verification_code: code },
    ])
    expect(data).toMatchObject({ good: 1, bad: 2, sheet: null })
    expect(data.rows.map(({ row, sn, faults = [] }) => [row, sn, ...faults.map(({ result }) => result)])).toEqual([
      [7, first],
      [9, first, errors.row_sn_repeated.result],
      [11, second, errors.row_value_missing.result],
    ])
    const both = await look([{ sn: first }], { upload_kid: await upload(who, csv('x')) })
    expect(both.result).toBe(errors.bad_input.result)
    expect(await refusalOf(send(who, calls.preview_batch, {}))).toBe('bad_input')
  })

  it('reads the group of a row, and says which of those missing can be created and by whom', async () => {
    const who = await customer()
    const hanoi = await group(who, 'Hanoi')
    await group(who, 'Hanoi', hanoi)
    const sns = serials(6)
    await announce(sns)
    const paths = [' hanoi / HANOI ', 'Hanoi/Dock B', 'Nowhere', 'a/'.repeat(11), '', 'x'.repeat(65)]
    const rows = paths.map((path, n) => `${sns[n]},WO,${code},${path}`).join('\n')
    const sheet = csv(`SN,Work order,Code,Group\n${rows}\n`)
    const { data } = await preview(who, sheet, 'vi')
    expect(data.rows.map(({ group_path, faults }) => [group_path.slice(0, 12), faults?.[0]?.message])).toEqual([
      ['hanoi/HANOI', undefined],
      ['Hanoi/Dock B', 'Không có nhóm Hanoi/Dock B.'],
      ['Nowhere', 'Không có nhóm Nowhere.'],
      ['a/a/a/a/a/a/', 'Nhóm chỉ được lồng tối đa 10 cấp.'],
      ['', undefined],
      ['xxxxxxxxxxxx', `Không có nhóm ${'x'.repeat(65)}.`],
    ])
    expect(data.missing_groups).toEqual(['Hanoi/Dock B', 'Nowhere'])
    const reader = await w.person(['deviceList', 'deviceList:register'], { account_kid: who.account_kid })
    expect((await preview(reader, sheet)).data.missing_groups).toEqual([])
  })

  it('names the columns that are missing, and reads an upload of nobody else', async () => {
    const [who, other] = [await customer(), await customer()]
    expect((await preview(who, csv('工单\nx\n'), 'zh-cn')).message).toBe('表格缺少以下列：SN, 验证码。')
    const upload_kid = await upload(who, csv('x'))
    expect(await refusalOf(send(other, calls.preview_batch, { upload_kid }))).toBe('not_found')
    const large = await upload(who, Buffer.alloc(batch_limits.sheet_bytes + 1, 'a'))
    expect(await refusalOf(send(who, calls.preview_batch, { upload_kid: large }))).toBe('file_too_large')
  })

  it('reads the template that it gives, in every language, and a result that was corrected', async () => {
    const who = await customer()
    for (const lang of ['en', 'vi', 'zh-cn']) {
      const reply = await send(who, calls.batch_template, {}, { lang })
      const bytes = Buffer.from(await reply.arrayBuffer())
      expect(await refusalOf(send(who, calls.preview_batch, { upload_kid: await upload(who, bytes) }))).toBe(
        'sheet_empty',
      )
    }
    const schedule_version = next()
    await outcomes(start(who, [dto('LATE-1')], { schedule_version }))
    await announce(['LATE-1'])
    const reply = await send(who, calls.batch_result, { schedule_version, only_failed: true }, { lang: 'zh-cn' })
    const { data } = await preview(who, Buffer.from(await reply.arrayBuffer()))
    expect(data).toMatchObject({ good: 1, bad: 0, unknown_columns: [] })
  })
})
