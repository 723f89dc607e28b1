import { contract, errors } from '@mdm/contract'
import type { BatchJob, BatchResultRow, BatchRowState, Paged, TerminalGroup, TerminalRow } from '@mdm/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testHttpServer } from '../../../testing/http-server.ts'
import type { TestHttpServer } from '../../../testing/http-server.ts'
import { createAccount } from '../../people/account/index.ts'
import { newKid } from '../../../lib/ids.ts'
import { wake } from '../../../lib/background.ts'
import { batches } from './index.ts'
import { code, sheetHelpers } from '../../../testing/sheets.ts'
import type { Person } from '../../../testing/sheets.ts'

const calls = contract.terminalBatch.calls
const ops = contract.opsTerminalBatch.calls

let w: TestHttpServer
beforeAll(async () => {
  w = await testHttpServer()
})
afterAll(() => w?.close())

const { next, customer, group, announce, serials, dto, send, json, refusalOf, sheetOf, outcomes } = sheetHelpers(
  () => w,
)
async function registered(who: Person, terminalDtos: object[], more: object = {}) {
  const schedule_version = next()
  await outcomes(send(who, calls.batch_registered, { terminalDtos, schedule_version, ...more }))
  const { data } = await json<BatchJob>(send(who, calls.get_batch_registered_schedule, { schedule_version }))
  return data
}
const rowsOf = async (who: Person, schedule_version: string, state?: BatchRowState, lang = 'en') =>
  (await json<Paged<BatchResultRow>>(send(who, calls.paging_batch_row, { schedule_version, state }, { lang }))).data
const devices = async (who: Person, match: object) =>
  (await json<Paged<TerminalRow>>(send(who, contract.terminal.calls.paging, match))).data.items
/** A job whose rows nobody works off until it is ready. */
async function waitingJob(who: Person, schedule_version: string, rows: object[]): Promise<string> {
  const [kid, now] = [newKid(), w.deps.clock.now()]
  const { account_kid, user_kid: created_by_kid } = who
  const of = { kind: 'terminal_registered', created_by: 'x', created_at: now, touched_at: now } as const
  const job = { kid, account_kid, owner_kid: account_kid, schedule_version, created_by_kid, total: rows.length, ...of }
  await w.deps.db.insertInto('batch_job').values(job).execute()
  const values = rows.map((row, n) => ({
    ...{ batch_job_kid: kid, n, account_kid, sheet_row: n + 2, name: '', sn: '', work_order: 'WO' },
    ...{ verification_code: code, ...row },
  }))
  await w.deps.db.insertInto('batch_row').values(values).execute()
  return kid
}
const groupNames = async (who: Person) =>
  (await json<TerminalGroup[]>(send(who, contract.terminalGroup.calls.list, {}))).data.map(({ name }) => name)

describe('what came of each row', () => {
  it('says what was registered, what was there and what was refused why, in the language of the reader', async () => {
    const [who, other] = [await customer(), await customer()]
    const [first, second, foreign] = serials(3) as [string, string, string]
    await announce([first, second, foreign])
    await registered(other, [dto(foreign)])
    await registered(who, [dto(first)])
    const rows = [dto(first, { row: 2 }), dto(second, { row: 3 }), dto(foreign, { row: 4 }), dto('NEVER', { row: 5 })]
    const job = await registered(who, rows)
    expect(job).toMatchObject({ total: 4, ok: 1, failed: 3, already: 1 })
    const { items, total } = await rowsOf(who, job.schedule_version, undefined, 'vi')
    expect(total).toBe(4)
    expect(items.map(({ row, sn, state, result }) => [row, sn, state, result])).toEqual([
      [2, first, 'already', errors.device_already_registered.result],
      [3, second, 'ok', null],
      // Of an account of others nothing is said but that it is not free.
      [4, foreign, 'refused', errors.device_already_registered.result],
      [5, 'NEVER', 'refused', errors.device_unknown.result],
    ])
    expect(items[3]!.message).toBe(errors.device_unknown.message.vi)
    expect(items[2]!.terminal_kid).toBeNull()
    for (const [state, sns] of [
      ['ok', [second]],
      ['already', [first]],
      ['refused', [foreign, 'NEVER']],
      ['waiting', []],
    ] as const)
      expect((await rowsOf(who, job.schedule_version, state)).items.map(({ sn }) => sn)).toEqual(sns)
    const file = await sheetOf(await send(who, calls.batch_result, { schedule_version: job.schedule_version }))
    expect(file.slice(1).map((row) => row[6])).toEqual(['Already registered', 'Registered', 'Refused', 'Refused'])
    expect(await refusalOf(send(other, calls.paging_batch_row, { schedule_version: job.schedule_version }))).toBe(
      'not_found',
    )

    // Its devices: those that it registered, and those that were there.
    expect((await devices(who, { terminal_batch_kid: job.kid })).map(({ sn }) => sn).toSorted()).toEqual(
      [first, second].toSorted(),
    )
    expect(await devices(other, { terminal_batch_kid: job.kid })).toEqual([])
    const { data } = await json<{ count: number }>(
      send(who, contract.terminal.calls.count, { match: { terminal_batch_kid: job.kid } }),
    )
    expect(data.count).toBe(2)
  })

  it('tells a person who is limited to groups nothing of devices in others', async () => {
    const who = await customer()
    const [mine, others] = [await group(who, 'mine'), await group(who, 'others')]
    const limited = await w.person(['deviceList*'], { account_kid: who.account_kid, groups: [mine] })
    const [there, hidden] = serials(2) as [string, string]
    await announce([there, hidden])
    await registered(who, [dto(there)], { terminalGroupKid: mine })
    await registered(who, [dto(hidden)], { terminalGroupKid: others })
    const job = await registered(limited, [dto(there), dto(hidden)], { terminalGroupKid: mine })
    const { items } = await rowsOf(limited, job.schedule_version)
    expect(items.map(({ sn, state, terminal_kid }) => [sn, state, terminal_kid !== null])).toEqual([
      [there, 'already', true],
      [hidden, 'refused', false],
    ])
  })

  it('is read by the provider of devices that it registered for a customer', async () => {
    const target = await customer()
    const { kid: provider } = await createAccount(w.deps.db, { type: 101, name: 'Provider' })
    const operator = await w.person(['externalUserManageList:register'], { account_kid: provider })
    await w.deps.db.updateTable('user_account').set({ type: 101 }).where('kid', '=', operator.user_kid).execute()
    const dock = await group(target, 'Dock')
    const [sn] = serials(1) as [string]
    await announce([sn])
    const schedule_version = next()
    const accountRegisteredTerminalDtos = [
      { ...dto(sn, { group_path: 'DOCK' }), account_kid: target.account_kid },
      { ...dto('X', { group_path: 'Nowhere' }), account_kid: target.account_kid },
    ]
    const asked = { accountRegisteredTerminalDtos, schedule_version, creates_groups: true }
    await outcomes(send(operator, ops.account_batch_registered, asked))
    const { data } = await json<Paged<BatchResultRow>>(send(operator, ops.paging_batch_row, { schedule_version }))
    expect(data.items.map(({ state, result }) => [state, result])).toEqual([
      ['ok', null],
      ['refused', errors.row_group_unknown.result],
    ])
    expect(await groupNames(target)).toEqual(['Dock'])
    const [row] = await w.deps.db.selectFrom('terminal').select('terminal_group_kid').where('sn', '=', sn).execute()
    expect(row).toEqual({ terminal_group_kid: dock })
  })
})

describe('the group of a row', () => {
  it('is where its device goes, created only when that is asked for', async () => {
    const who = await customer()
    const hanoi = await group(who, 'Hanoi')
    const [all, own, fresh, again] = serials(4) as [string, string, string, string]
    await announce([all, own, fresh, again])
    const rows = [
      dto(all),
      dto(own, { group_path: 'hanoi' }),
      dto(fresh, { group_path: 'Hanoi / Dock B / Gate 1' }),
      dto('', { group_path: 'Of a row that is wrong' }),
    ]
    const job = await registered(who, rows)
    expect((await rowsOf(who, job.schedule_version)).items.map(({ message }) => message)).toEqual([
      null,
      null,
      'There is no group Hanoi/Dock B/Gate 1.',
      'SN is missing.',
    ])
    expect(await groupNames(who)).toEqual(['Hanoi'])

    const created = await registered(
      who,
      [dto(fresh, { group_path: 'Hanoi/Dock B/Gate 1' }), dto(again, { group_path: 'HANOI/DOCK B' }), rows[3]!],
      { creates_groups: true },
    )
    expect(created).toMatchObject({ ok: 2, failed: 1 })
    expect(await groupNames(who)).toEqual(['Hanoi', 'Dock B', 'Gate 1'])
    const placed = await devices(who, { terminal_group_kid: hanoi, sort: 'sn' })
    expect(placed.map(({ sn, terminal_group_name }) => [sn, terminal_group_name])).toEqual([
      [own, 'Hanoi'],
      [fresh, 'Gate 1'],
      [again, 'Dock B'],
    ])
    expect((await devices(who, { terminal_group_kid: 'NO_GROUP' })).map(({ sn }) => sn)).toEqual([all])
  })

  it('is none that the person may not see or create, and none of two that are written alike', async () => {
    const who = await customer()
    const mine = await group(who, 'Mine')
    await group(who, 'Theirs')
    await group(who, 'Mine/Dock')
    await group(who, 'Dock', mine)
    const limited = await w.person(['deviceList*'], { account_kid: who.account_kid, groups: [mine] })
    const sns = serials(4)
    await announce(sns)
    const paths = ['Theirs', 'New at the top', 'Mine/New', 'Mine/Dock']
    const rows = sns.map((sn, n) => dto(sn, { group_path: paths[n] }))
    const job = await registered(limited, rows, { terminalGroupKid: mine, creates_groups: true })
    const states = async (of: Person, version: string) => (await rowsOf(of, version)).items.map(({ result }) => result)
    const unknown = errors.row_group_unknown.result
    expect(await states(limited, job.schedule_version)).toEqual([unknown, unknown, null, null])
    expect((await groupNames(who)).toSorted()).toEqual(['Dock', 'Mine', 'Mine/Dock', 'New', 'Theirs'])
    const other = await registered(who, [rows[3]!])
    expect(await states(who, other.schedule_version)).toEqual([errors.row_group_ambiguous.result])

    const reader = await w.person(['deviceList', 'deviceList:register'], { account_kid: who.account_kid })
    const asked = { terminalDtos: rows, schedule_version: next(), creates_groups: true }
    expect(await refusalOf(send(reader, calls.batch_registered, asked))).toBe('no_permission')
  })

  it('is refused for its rows alone when it was deleted before their turn', async () => {
    const who = await customer()
    const dock = await group(who, 'Dock')
    const [gone, stays] = serials(2) as [string, string]
    await announce([gone, stays])
    const schedule_version = next()
    const kid = await waitingJob(who, schedule_version, [
      { sn: gone, group_path: 'Dock', terminal_group_kid: dock },
      { sn: stays, group_path: '', terminal_group_kid: null },
    ])
    await w.deps.db.deleteFrom('terminal_group').where('kid', '=', dock).execute()
    await w.deps.db.updateTable('batch_job').set({ is_ready: true }).where('kid', '=', kid).execute()
    wake(w.deps, batches)
    await expect
      .poll(async () => (await rowsOf(who, schedule_version)).items.map(({ state, result }) => [state, result]))
      .toEqual([
        ['refused', errors.group_unknown.result],
        ['ok', null],
      ])
  })
})
