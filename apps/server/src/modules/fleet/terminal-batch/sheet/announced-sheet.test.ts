import { contract, errors } from '@mdm/contract'
import type { BatchJob, BatchPreview } from '@mdm/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testHttpServer } from '../../../../testing/http-server.ts'
import type { TestHttpServer } from '../../../../testing/http-server.ts'
import { newKid } from '../../../../lib/ids.ts'
import { createAccount } from '../../../people/account/index.ts'
import { weekOf } from '../index.ts'
import { code, sheetHelpers } from '../../../../testing/sheets.ts'
import type { Person } from '../../../../testing/sheets.ts'

const calls = contract.terminalBatch.calls
const ops = contract.opsTerminalBatch.calls
const csv = (text: string) => Buffer.from(text)

let w: TestHttpServer
let operator: Person
const { next, customer, announce, serials, send, json, refusalOf, outcomes, upload } = sheetHelpers(() => w)
beforeAll(async () => {
  w = await testHttpServer()
  const { kid: provider } = await createAccount(w.deps.db, { type: 101, name: 'Provider' })
  operator = await w.person(['externalUserManageList:register'], { account_kid: provider })
  await w.deps.db.updateTable('user_account').set({ type: 101 }).where('kid', '=', operator.user_kid).execute()
})
afterAll(() => w?.close())

describe('the sheet of announced devices', () => {
  const sheetFor = async (target: Person, asked: object) =>
    send(operator, ops.announced_sheet, { account_kid_param: target.account_kid, ...asked })
  const bytesOf = async (reply: Promise<Response>) => Buffer.from(await (await reply).arrayBuffer())
  const look = async (target: Person, bytes: Buffer) =>
    json<BatchPreview>(
      send(operator, ops.preview_batch, {
        upload_kid: await upload(operator, bytes),
        account_kid_param: target.account_kid,
      }),
    )
  const register = (target: Person, rows: object[]) =>
    outcomes(
      send(operator, ops.account_batch_registered, {
        accountRegisteredTerminalDtos: rows.map((row) => ({ ...row, account_kid: target.account_kid })),
        schedule_version: next(),
      }),
    )

  it('gets those that were named, and registers them', async () => {
    const target = await customer()
    const [other, ...sns] = serials(4, 'NAMED') as [string, ...string[]]
    await announce([other, ...sns])
    const { data } = await look(
      target,
      await bytesOf(sheetFor(target, { work_order: 'WO-9', sns: [...sns, 'NEVER-SEEN'] })),
    )
    expect(data.rows.map(({ sn, work_order, faults }) => [sn, work_order, faults?.length ?? 0])).toEqual([
      ...sns.map((sn) => [sn, 'WO-9', 0]),
      ['NEVER-SEEN', 'WO-9', 1],
    ])
    // The code of the device itself goes to nobody.
    expect(JSON.stringify(data)).not.toContain(code)
    const schedule_version = next()
    const asked = {
      accountRegisteredTerminalDtos: data.rows.slice(0, 3).map((row) => ({ ...row, account_kid: target.account_kid })),
      schedule_version,
    }
    expect(await refusalOf(send(target, ops.account_batch_registered, asked))).toBe('no_permission')
    expect((await outcomes(send(operator, ops.account_batch_registered, asked))).map(([, result]) => result)).toEqual([
      '1',
      '1',
      '1',
    ])
    const job = (await json<BatchJob>(send(operator, ops.get_account_batch_registered_schedule, { schedule_version })))
      .data
    expect(job).toMatchObject({ state: 'done', ok: 3, account_kid: target.account_kid })
    expect(await refusalOf(send(target, calls.get_batch_registered_schedule, { schedule_version }))).toBe('not_found')
  })

  it('gets those of a work order, and never all that wait', async () => {
    const target = await customer()
    const [other, mine] = serials(2, 'ORDERED') as [string, string]
    await announce([other, mine])
    const now = w.deps.clock.now()
    const policy = { kid: newKid(), name: newKid(), days: 30, created_at: now, updated_at: now }
    await w.deps.db.insertInto('policy').values(policy).execute()
    const on = (sn: string, work_order: string) => ({
      kid: newKid(),
      policy_kid: policy.kid,
      sn,
      work_order,
      source: 'mes' as const,
      starts_at: now,
      ends_at: now,
      created_by: 'x',
      created_at: now,
    })
    await w.deps.db
      .insertInto('terminal_policy')
      .values([on(mine, 'WO-OF-CUSTOMER'), on(other, 'WO-OF-ANOTHER'), on('NOT-THERE', 'WO-OF-CUSTOMER')])
      .execute()
    const { data } = await look(target, await bytesOf(sheetFor(target, { work_order: 'WO-OF-CUSTOMER' })))
    expect(data.rows.map(({ sn }) => sn)).toEqual([mine])
    expect(await refusalOf(sheetFor(target, { work_order: 'WO-OF-NOBODY' }))).toBe('device_unknown')
    expect(await refusalOf(sheetFor(target, {}))).toBe('bad_input')
    expect(await refusalOf(send(operator, ops.announced_sheet, { sns: [mine] }))).toBe('bad_input')
  })

  it('counts for its customer and in its week alone, whatever is cut out of it', async () => {
    const [target, another] = [await customer(), await customer()]
    const sns = serials(4, 'WEEKLY')
    await announce(sns)
    const bytes = await bytesOf(sheetFor(target, { sns }))
    const [first, second, third, last] = (await look(target, bytes)).data.rows.map(
      ({ sn, work_order, verification_code }) => ({ sn, work_order, verification_code }),
    )
    const mismatch = String(errors.registration_code_mismatch.result)
    expect(await register(another, [first!])).toEqual([[first!.sn, mismatch, expect.anything()]])
    // Of a device the code of another, of the same sheet.
    const swapped = { ...first!, verification_code: second!.verification_code }
    expect(await register(target, [swapped])).toEqual([[first!.sn, mismatch, expect.anything()]])
    expect(await register(target, [first!])).toEqual([[first!.sn, '1', undefined]])

    await w.deps.clock.advance(7 * 86_400_000)
    const soon = new Date(w.deps.clock.now().getTime() + 86_400_000)
    await w.deps.db.updateTable('session').set({ expires_at: soon, last_use_at: w.deps.clock.now() }).execute()
    await w.deps.db.updateTable('announcement').set({ expires_at: soon }).execute()
    expect((await look(target, bytes)).result).toBe(errors.sheet_of_another_week.result)
    const cut = [third!, last!].map((row) => `${row.sn},WO,${row.verification_code}`).join('\n')
    const { data } = await look(target, csv(`SN,Work order,Code\n${cut}\n`))
    const late = String(errors.sheet_of_another_week.result)
    expect(data.rows.map(({ faults }) => String(faults?.[0]?.result))).toEqual([late, late])
    expect(data.rows[0]!.faults![0]!.message).toMatch(/in week \d{4}-W\d\d only/)
    expect((await register(target, [second!, third!])).map((row) => row[1])).toEqual([late, late])
    const weekOfNow = weekOf(w.deps.clock.now(), 'UTC').replace('-', '')
    const forged = { ...last!, verification_code: last!.verification_code.replace(/^\d{4}W\d\d/, weekOfNow) }
    expect(await register(target, [forged])).toEqual([[last!.sn, mismatch, expect.anything()]])
    // The code on the device is of no week.
    expect(await register(target, [{ ...last!, verification_code: code }])).toEqual([[last!.sn, '1', undefined]])
  })
})
