import { contract, errors } from '@mdm/contract'
import type { BatchJob, Call, Envelope, Policy, PolicyPreview, TerminalPolicyRow } from '@mdm/contract'
import { writeXlsx } from 'hucre/xlsx'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testHttpServer } from '../../../testing/http-server.ts'
import type { TestHttpServer } from '../../../testing/http-server.ts'
import { newKid } from '../../../lib/ids.ts'
import { readSheet } from '../../../lib/sheet-read.ts'
import { createAccount } from '../../people/account/index.ts'
import { addTerminal } from '../../../testing/devices.ts'

type Person = Awaited<ReturnType<TestHttpServer['person']>>
const calls = contract.opsPolicy.calls

let w: TestHttpServer
let operator: Person
beforeAll(async () => {
  w = await testHttpServer()
  const { kid } = await createAccount(w.deps.db, { type: 101, name: 'Provider' })
  operator = await w.person(['policyList*'], { account_kid: kid })
  const zone = { type: 101, zone_id: 'America/New_York' } as const
  await w.deps.db.updateTable('user_account').set(zone).where('kid', '=', operator.user_kid).execute()
})
afterAll(async () => {
  expect(w.internal_errors).toEqual([])
  await w?.close()
})

function send(call: Call, input: object, lang = 'en'): Promise<Response> {
  const query = new URLSearchParams({ lang })
  if (call.method === 'GET') for (const [name, value] of Object.entries(input)) query.set(name, String(value))
  return fetch(`${w.url}/api/${call.path}?${query}`, {
    method: call.method,
    headers: { ...operator.bearer, 'content-type': 'application/json' },
    ...(call.method === 'POST' && { body: JSON.stringify(input) }),
  })
}
const json = async <T>(call: Call, input: object, lang?: string) =>
  (await (await send(call, input, lang)).json()) as Envelope & { data: T }
const refusal = async (reply: Promise<Envelope>) => {
  const { result } = await reply
  return Object.entries(errors).find(([, entry]) => entry.result === result)?.[0] ?? result
}
const make = async (days = 365, name = newKid()) => (await json<Policy>(calls.insert, { name, days })).data
const of = async (policy_kid: string, more: object = {}) =>
  (
    await json<{ items: TerminalPolicyRow[]; total: number; next: string | null }>(calls.paging_terminal, {
      policy_kid,
      page_size: 200,
      ...more,
    })
  ).data
let version = 0
const next = () => `p${(version += 1)}`
/** The rows of the result: what the row said, then what came of it. */
async function imported(call: Call, policyKid: string, rows: object[], schedule_version = next(), lang = 'en') {
  const reply = await send(call, { importTerminalDtos: rows, policyKid, schedule_version }, lang)
  expect(reply.headers.get('content-type')).toContain('spreadsheetml')
  const cells: (string | undefined)[][] = []
  for await (const row of readSheet(Buffer.from(await reply.arrayBuffer())))
    cells.push(Array.from(row.cells, (cell) => cell?.text))
  return cells
}
const row = (sn: string, more: object = {}) => ({ sn, work_order: 'WO-1', ...more })

describe('a policy', () => {
  it('is made, found, changed and deleted; its name is unique whatever the case', async () => {
    const made = await make(30, 'Gold')
    expect(made).toMatchObject({ name: 'Gold', days: 30, remark: '', terminal_count: 0 })
    expect(await refusal(json(calls.insert, { name: 'GOLD', days: 1 }))).toBe('duplicate_name')
    const exists = async (input: object) => (await json<{ exists: boolean }>(calls.exists, input)).data.exists
    expect([await exists({ name: 'gold' }), await exists({ name: 'gold', src_kid: made.kid })]).toEqual([true, false])
    for (const days of [0, 3_651, 1.5]) expect(await refusal(json(calls.insert, { name: 'x', days }))).toBe('bad_input')
    const { data } = await json<Policy>(calls.update, { kid: made.kid, name: 'Gold plus', days: 60, remark: 'r' })
    expect(data).toMatchObject({ name: 'Gold plus', days: 60, remark: 'r' })
    const found = await json<{ items: Policy[] }>(calls.paging, { text: 'D PLU' })
    expect(found.data.items.map(({ kid }) => kid)).toEqual([made.kid])
    expect((await json(calls.delete, { kid: made.kid })).result).toBe(1)
    expect(await refusal(json(calls.update, { kid: made.kid, name: 'x', days: 1 }))).toBe('not_found')
    expect(await refusal(json(calls.delete, { kid: made.kid }))).toBe('not_found')
  })
})

describe('an import', () => {
  it('puts SNs on a policy, registered or not, and says what came of every row', async () => {
    const policy = await make(10)
    const { kid: customer } = await createAccount(w.deps.db, { type: 1, name: 'Owner of it' })
    await addTerminal(w.deps, customer, { sn: 'POLICY-1' })
    const rows = [row('POLICY-1'), row('POLICY-2'), row('POLICY-1'), row('x'.repeat(37)), row('P', { work_order: '' })]
    const [header, ...cells] = await imported(calls.import_sheet, policy.kid, rows, 'first', 'zh-cn')
    expect(header).toEqual(['SN', '工单', '行号', '结果', '结果代码', '消息'])
    expect(cells.map((line) => Number(line[4]))).toEqual([1, 1, 42054, 40017, 42052])
    expect(cells[0]![3]).toBe('已导入')
    const { items } = await of(policy.kid, { sort: 'sn', order: 'asc' })
    expect(items).toMatchObject([
      { sn: 'POLICY-1', work_order: 'WO-1', source: 'sheet', state: 'active', account_name: 'Owner of it' },
      { sn: 'POLICY-2', account_name: null, created_by: expect.any(String) },
    ])
    // From midnight of today, where the operator is, for ten days.
    const now = w.deps.clock.now().getTime()
    const starts = Date.parse(items[0]!.starts_at)
    expect(now - starts).toBeLessThan(25 * 3_600_000)
    expect(new Intl.DateTimeFormat('en-GB', { timeZone: 'America/New_York', timeStyle: 'short' }).format(starts)).toBe(
      '00:00',
    )

    const again = await imported(calls.import_sheet, policy.kid, [row('POLICY-1'), row('POLICY-3')])
    expect(again.slice(1).map((line) => Number(line[4]))).toEqual([errors.policy_has_device.result, 1])
    expect((await of(policy.kid)).total).toBe(3)
    const counted = await json<{ items: Policy[] }>(calls.paging, { text: policy.name })
    expect(counted.data.items[0]!.terminal_count).toBe(3)

    const job = await json<BatchJob>(calls.get_import_schedule, { policy_kid: policy.kid, schedule_version: 'first' })
    expect(job.data).toMatchObject({ state: 'done', total: 5, done: 5, ok: 2, failed: 3 })
    const failed = { policy_kid: policy.kid, schedule_version: 'first', only_failed: true }
    const lines = []
    for await (const { cells: line } of readSheet(
      Buffer.from(await (await send(calls.import_result, failed)).arrayBuffer()),
    ))
      lines.push(line)
    expect(lines).toHaveLength(1 + 3)
    const other = await make()
    expect(await refusal(json(calls.get_import_schedule, { policy_kid: other.kid, schedule_version: 'first' }))).toBe(
      'not_found',
    )
    const listed = await json<BatchJob[]>(calls.list_import, { policy_kid: policy.kid })
    expect(listed.data).toHaveLength(2)
    expect((await json<BatchJob[]>(calls.list_import, { policy_kid: other.kid })).data).toEqual([])
  })

  it('of produced devices begins on the day of production and ends at a midnight, across daylight saving', async () => {
    const policy = await make(30)
    const dates = ['2025-03-01', '2025/3/1', '20250301', '2025-02-30', '', 'soon', '1999-01-01', '2050-01-01']
    const rows = dates.map((production_date, n) => row(`MES-${n}`, { production_date }))
    const cells = (await imported(calls.import_mes, policy.kid, rows)).slice(1)
    expect(cells.map((line) => Number(line[5]))).toEqual([1, 1, 1, 42059, 42052, 42059, 42059, 1])
    expect(cells[3]![6]).toBe('Production date is no date. Write it as 2026-01-31.')
    const { items } = await of(policy.kid, { source: 'mes', sort: 'sn', order: 'asc' })
    for (const one of items.slice(0, 3))
      expect(one).toMatchObject({
        source: 'mes',
        state: 'ended',
        starts_at: '2025-03-01T05:00:00.000Z',
        ends_at: '2025-03-31T04:00:00.000Z',
      })
    expect(items[3]).toMatchObject({ sn: 'MES-7', state: 'pending' })
    expect((await of(policy.kid, { state: 'pending' })).total).toBe(1)
    expect((await of(policy.kid, { source: 'sheet' })).total).toBe(0)
    expect((await of(policy.kid, { text: 'mes-7' })).total).toBe(1)
  })

  it('keeps the days that were agreed on, and a policy with devices stays until they are off', async () => {
    const policy = await make(10)
    await imported(calls.import_sheet, policy.kid, [row('KEPT-1'), row('KEPT-2')])
    const before = (await of(policy.kid)).items
    await json(calls.update, { kid: policy.kid, name: newKid(), days: 99 })
    expect((await of(policy.kid)).items.map((one) => one.ends_at)).toEqual(before.map((one) => one.ends_at))
    expect(await refusal(json(calls.delete, { kid: policy.kid }))).toBe('policy_in_use')
    const kids = before.map(({ kid }) => kid)
    expect(await refusal(json(calls.delete_terminal, { kids: [kids[0], newKid()] }))).toBe('not_found')
    expect((await of(policy.kid)).total).toBe(2)
    expect((await json(calls.delete_terminal, { kids })).data).toEqual({ deleted: 2 })
    expect((await json(calls.delete, { kid: policy.kid })).result).toBe(1)
  })

  it('is one at a time, cancelled between two chunks, and refused for what is not there', async () => {
    const policy = await make()
    const many = Array.from({ length: 4_000 }, (_, n) => row(`MANY-${n}`))
    const running = imported(calls.import_sheet, policy.kid, many, 'many')
    const at = { policy_kid: policy.kid, schedule_version: 'many' }
    await expect
      .poll(async () => (await json<BatchJob>(calls.get_import_schedule, at)).data?.done ?? 0)
      .toBeGreaterThan(0)
    const ask = (policyKid: string, schedule_version: string) =>
      refusal(json(calls.import_sheet, { policyKid, schedule_version, importTerminalDtos: [row('A')] }))
    expect(await ask(policy.kid, next())).toBe('batch_running')
    expect(await refusal(json(calls.delete, { kid: policy.kid }))).toBe('policy_in_use')
    expect((await json(calls.cancel_import, at)).result).toBe(1)
    expect(await refusal(json(calls.cancel_import, at))).toBe('batch_not_running')
    await running
    const { data } = await json<BatchJob>(calls.get_import_schedule, at)
    expect(data.state).toBe('canceled')
    const { items } = (await json<{ items: Policy[] }>(calls.paging, { text: policy.name })).data
    expect(items[0]!.terminal_count).toBe(data.ok)
    expect(await ask(policy.kid, 'many')).toBe('batch_version_used')
    expect(await ask(newKid(), next())).toBe('not_found')
  })

  it('is looked at before, from a sheet whose days are days', async () => {
    const policy = await make()
    await imported(calls.import_sheet, policy.kid, [row('SEEN-1')])
    const sheet = await writeXlsx({
      sheets: [
        {
          name: 'S',
          columns: [{}, {}, { numFmt: 'yyyy-mm-dd' }, {}],
          rows: [
            ['SN', 'Work order', 'Production date', 'Alias'],
            ['SEEN-1', 'WO', 46_082, 'x'],
            ['SEEN-2', 'WO', 46_082, null],
            ['SEEN-3', 'WO', 'tomorrow', null],
            ['SEEN-2', 'WO', 46_082, null],
          ],
        },
      ],
    })
    const look = async (bytes: Uint8Array, source: 'sheet' | 'mes') =>
      (
        await json<PolicyPreview>(calls.preview_import, {
          upload_kid: await upload(bytes),
          policy_kid: policy.kid,
          source,
        })
      ).data
    const mes = await look(sheet, 'mes')
    expect(mes).toMatchObject({ good: 1, bad: 3, unknown_columns: ['Alias'] })
    expect(mes.rows.map(({ faults = [] }) => faults.map(({ result }) => result))).toEqual([
      [44021],
      [],
      [42059],
      [42054],
    ])
    expect(mes.rows[1]).toEqual({ row: 3, sn: 'SEEN-2', work_order: 'WO', production_date: '2026-03-01' })
    const plain = await look(sheet, 'sheet')
    expect(plain).toMatchObject({ good: 2, bad: 2, unknown_columns: ['Production date', 'Alias'] })
    expect(plain.rows[1]).toEqual({ row: 3, sn: 'SEEN-2', work_order: 'WO' })
    for (const source of ['sheet', 'mes'] as const) {
      const template = Buffer.from(await (await send(calls.import_template, { source }, 'vi')).arrayBuffer())
      const read = { upload_kid: await upload(template), policy_kid: policy.kid, source }
      expect(await refusal(json(calls.preview_import, read))).toBe('sheet_empty')
    }
  })
})

async function upload(bytes: Uint8Array): Promise<string> {
  const headers = { ...operator.bearer, 'tus-resumable': '1.0.0' }
  const created = await fetch(`${w.url}/upload`, {
    method: 'POST',
    headers: { ...headers, 'upload-length': String(bytes.length) },
  })
  const kid = created.headers.get('location')!.split('/').at(-1)!
  await fetch(`${w.url}/upload/${kid}`, {
    method: 'PATCH',
    headers: { ...headers, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' },
    body: new Uint8Array(bytes),
  })
  return kid
}
