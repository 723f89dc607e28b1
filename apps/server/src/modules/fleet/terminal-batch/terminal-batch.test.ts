import { batch_limits, contract, errors } from '@mdm/contract'
import type { BatchJob, TerminalGroup } from '@mdm/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testHttpServer } from '../../../testing/http-server.ts'
import type { TestHttpServer } from '../../../testing/http-server.ts'
import { newKid } from '../../../lib/ids.ts'
import { createAccount } from '../../people/account/index.ts'
import { miscounted } from '../../../testing/devices.ts'
import { keepBatches, batches, weekOf } from './index.ts'
import { sheetHelpers } from '../../../testing/sheets.ts'
import type { Asked, Person } from '../../../testing/sheets.ts'
import { wake } from '../../../lib/background.ts'

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

const start = (who: Person, terminalDtos: object[], more: object = {}, asked?: Asked) =>
  send(who, calls.batch_registered, { terminalDtos, schedule_version: next(), ...more }, asked)

const progress = async (who: Person, schedule_version: string) =>
  (await json<BatchJob>(send(who, calls.get_batch_registered_schedule, { schedule_version }))).data
const ended = async (who: Person, schedule_version: string) => {
  await expect.poll(async () => (await progress(who, schedule_version)).state).not.toBe('running')
  return progress(who, schedule_version)
}

describe('a batch', () => {
  it('registers what can be and answers with a message for every row, in the language of the caller', async () => {
    const who = await customer()
    const sns = serials(450)
    await announce(sns)
    await announce(['WRONG-1'], 'ZZZ999')
    await w.deps.db
      .insertInto('scrapped_sn')
      .values({ sn: 'SCRAPPED-1', account_kid: who.account_kid, scrapped_at: w.deps.clock.now() })
      .execute()
    const bad = [
      dto('NEVER-SEEN'),
      dto('WRONG-1'),
      dto('SCRAPPED-1'),
      dto(sns[0]!, { row: 900 }),
      dto('X'.repeat(37)),
      dto('A', { name: '5%' }),
      dto('B', { name: 'n'.repeat(37) }),
      dto('C', { work_order: ' ' }),
      dto('D', { verification_code: undefined }),
      dto(''),
    ]
    const rows = sns.map((sn, n) => dto(sn, { row: n + 2, name: n === 3 ? 'Máy 3' : '' }))
    const schedule_version = next()
    const reply = await send(
      who,
      calls.batch_registered,
      { terminalDtos: [...rows, ...bad], schedule_version },
      { lang: 'vi' },
    )
    expect(reply.headers.get('content-disposition')).toContain(encodeURIComponent('Kết quả đăng ký'))
    const [header, ...cells] = await sheetOf(reply)
    expect(header).toEqual([
      'SN',
      'Lệnh công việc',
      'Mã xác minh',
      'Tên gợi nhớ',
      'Nhóm',
      'Dòng',
      'Kết quả',
      'Mã kết quả',
      'Thông báo',
    ])
    expect(cells.slice(0, 450).every((row) => row[6] === 'Đã đăng ký')).toBe(true)
    expect(cells.slice(450).map((row) => Number(row[7]))).toEqual([
      40020, 40022, 42001, 42054, 40017, 40019, 40018, 42052, 42052, 42052,
    ])
    expect(cells[453]![8]).toBe('SN này đã có ở dòng 2.')
    expect(cells[457]![8]).toBe('Thiếu Lệnh công việc.')
    expect(await progress(who, schedule_version)).toMatchObject({
      state: 'done',
      total: 460,
      done: 460,
      ok: 450,
      failed: 10,
    })

    const devices = await w.deps
      .scope(who.account_kid)
      .selectFrom('terminal')
      .innerJoin('terminal_state', 'terminal_state.terminal_kid', 'terminal.kid')
      .select(['sn', 'name', 'work_order', 'model'])
      .where('sn', '=', sns[3]!)
      .execute()
    expect(devices).toEqual([{ sn: sns[3], name: 'Máy 3', work_order: 'WO-1', model: 'M1' }])
    expect(await miscounted(w.deps)).toEqual([])
    const { wrong_codes } = await w.deps.db
      .selectFrom('announcement')
      .select('wrong_codes')
      .where('sn', '=', 'WRONG-1')
      .executeTakeFirstOrThrow()
    expect(wrong_codes).toBe(1)

    // Again, by whoever comes later: the file is the same, and what failed alone can be had.
    const again = await outcomes(send(who, calls.batch_result, { schedule_version, only_failed: true }))
    expect(again.map(([sn]) => sn ?? '')).toEqual(bad.map(({ sn }) => sn))
    expect((await outcomes(send(who, calls.batch_result, { schedule_version }))).length).toBe(460)
    const stranger = await customer()
    expect(await refusalOf(send(stranger, calls.batch_result, { schedule_version }))).toBe('not_found')
    expect(w.internal_errors).toEqual([])
  })

  it('registers exactly as many as there is room for, also when a family of accounts shares it', async () => {
    const root = await createAccount(w.deps.db, {
      type: 1,
      name: newKid(),
      terminal_max: 300,
      sub_accounts_allowed: true,
    })
    const people = await Promise.all(
      [
        root.kid,
        ...(
          await Promise.all(
            [1, 2].map(() =>
              createAccount(w.deps.db, { type: 2, parent_kid: root.kid, name: newKid(), terminal_max: 250 }),
            ),
          )
        ).map(({ kid }) => kid),
      ].map((account_kid) => w.person(['deviceList*'], { account_kid })),
    )
    const results = await Promise.all(
      people.map(async (who) => {
        const sns = serials(260)
        await announce(sns)
        return outcomes(
          start(
            who,
            sns.map((sn) => dto(sn)),
          ),
        )
      }),
    )
    const codes = results.flat().map(([, result]) => Number(result))
    expect(codes.filter((result) => result === 1)).toHaveLength(300)
    expect(new Set(codes)).toEqual(
      new Set([1, 40023, errors.registered_devices_exceed_limit.result].filter((result) => codes.includes(result))),
    )
    expect(await miscounted(w.deps)).toEqual([])
  })

  it('gives an SN that two accounts ask for at the same time to one of them', async () => {
    const [one, other] = [await customer(), await customer()]
    const sns = serials(600)
    await announce(sns)
    const results = await Promise.all([
      outcomes(
        start(
          one,
          sns.map((sn) => dto(sn)),
        ),
      ),
      outcomes(
        start(
          other,
          sns.toReversed().map((sn) => dto(sn)),
        ),
      ),
    ])
    const winners = results.flat().filter(([, result]) => result === '1')
    expect(winners).toHaveLength(600)
    expect(new Set(results.flat().map(([, result]) => Number(result)))).toEqual(new Set([1, 40021]))
  })

  it('goes into its group, which may be deleted meanwhile, and into none that is out of reach', async () => {
    const who = await customer()
    const [mine, others] = [await group(who, 'mine'), await group(who, 'others')]
    const limited = await w.person(['deviceList*'], { account_kid: who.account_kid, groups: [mine] })
    const sns = serials(3)
    await announce(sns)
    const rows = sns.map((sn) => dto(sn))
    expect(await refusalOf(start(limited, rows, { terminalGroupKid: others }))).toBe('group_unknown')
    expect(await refusalOf(start(limited, rows))).toBe('group_unknown')
    const schedule_version = next()
    expect((await outcomes(start(limited, rows, { terminalGroupKid: mine, schedule_version }))).length).toBe(3)
    const there = await w.deps.db.selectFrom('terminal').select('sn').where('terminal_group_kid', '=', mine).execute()
    expect(there).toHaveLength(3)
    // What others registered may name devices out of reach.
    const theirs = next()
    await outcomes(start(who, [dto('NOBODY')], { schedule_version: theirs }))
    expect(await refusalOf(send(limited, calls.batch_result, { schedule_version: theirs }))).toBe('not_found')
    const { data } = await json<BatchJob[]>(send(limited, calls.list_batch_registered, {}))
    expect(data.map((job) => job.schedule_version)).toEqual([schedule_version])
  })

  it('is one at a time in an account, can be cancelled between two chunks, and keeps what is done', async () => {
    const who = await customer(5_000)
    const sns = serials(3_000)
    await announce(sns)
    const schedule_version = next()
    const running = start(
      who,
      sns.map((sn) => dto(sn)),
      { schedule_version },
    )
    await expect.poll(async () => (await progress(who, schedule_version))?.done ?? 0).toBeGreaterThan(0)
    expect(await refusalOf(start(who, [dto('A')]))).toBe('batch_running')
    expect((await json(send(who, calls.cancel_batch_registered, { schedule_version }))).result).toBe(1)
    const { state, done, ok } = await progress(who, schedule_version)
    expect(state).toBe('canceled')
    expect(ok).toBe(done)
    expect(done).toBeLessThan(3_000)
    const rows = (await sheetOf(await running)).slice(1)
    expect(rows).toHaveLength(3_000)
    expect(rows.filter((row) => row[6] === 'Registered')).toHaveLength(ok)
    expect(rows.filter((row) => row[6] === 'Not processed')).toHaveLength(3_000 - ok)
    const count = await w.deps.db
      .selectFrom('terminal')
      .select((eb) => eb.fn.countAll<number>().as('n'))
      .where('account_kid', '=', who.account_kid)
      .executeTakeFirstOrThrow()
    expect(Number(count.n)).toBe(ok)
    expect(await refusalOf(send(who, calls.cancel_batch_registered, { schedule_version }))).toBe('batch_not_running')
    expect(await refusalOf(start(who, [dto('A')], { schedule_version }))).toBe('batch_version_used')
    expect((await outcomes(start(who, [dto('A')])))[0]![1]).toBe('40020')
  })

  it('goes on when whoever asked is gone, and after a server that died', async () => {
    const who = await customer(5_000)
    const sns = serials(1_000)
    await announce(sns)
    const schedule_version = next()
    const gone = new AbortController()
    const asked = start(
      who,
      sns.map((sn) => dto(sn)),
      { schedule_version },
      { signal: gone.signal },
    )
    await expect.poll(async () => (await progress(who, schedule_version))?.state).toBe('running')
    gone.abort()
    await asked.then((reply) => reply.arrayBuffer()).catch(() => undefined)
    expect(await ended(who, schedule_version)).toMatchObject({ state: 'done', ok: 1_000 })

    // As a server leaves it that dies after its first chunk: nobody works on it.
    const more = serials(500)
    await announce(more)
    const kid = newKid()
    const now = w.deps.clock.now()
    const job = {
      kid,
      account_kid: who.account_kid,
      owner_kid: who.account_kid,
      kind: 'terminal_registered',
      terminal_group_kid: null,
      schedule_version: 'left',
      is_ready: true,
      total: 500,
      done: 200,
      ok: 200,
      created_by_kid: who.user_kid,
      created_by: 'x',
      created_at: now,
      touched_at: now,
    } as const
    await w.deps.db.insertInto('batch_job').values(job).execute()
    await w.deps.db
      .insertInto('batch_row')
      .values(
        more.map((sn, n) => ({
          batch_job_kid: kid,
          n,
          account_kid: who.account_kid,
          sheet_row: n + 2,
          ...dto(sn),
          name: '',
          outcome: n < 200 ? ('ok' as const) : null,
        })),
      )
      .execute()
    wake(w.deps, batches)
    expect(await ended(who, 'left')).toMatchObject({ state: 'done', done: 500, ok: 500 })
  })

  it('fails honestly when its rows were never all stored, and is forgotten after a week', async () => {
    const who = await customer()
    const job = {
      kid: newKid(),
      account_kid: who.account_kid,
      owner_kid: who.account_kid,
      kind: 'terminal_registered',
      terminal_group_kid: null,
      schedule_version: 'torn',
      total: 10,
      created_by_kid: who.user_kid,
      created_by: 'x',
      created_at: w.deps.clock.now(),
      touched_at: w.deps.clock.now(),
    } as const
    await w.deps.db.insertInto('batch_job').values(job).execute()
    await keepBatches(w.deps)
    expect((await progress(who, 'torn')).state).toBe('running')
    await w.deps.clock.advance(6 * 60_000)
    await keepBatches(w.deps)
    expect((await progress(who, 'torn')).state).toBe('failed')
    await w.deps.clock.advance(batch_limits.result_days * 86_400_000)
    await keepBatches(w.deps)
    const left = await w.deps.db
      .selectFrom('batch_job')
      .select('kid')
      .where('account_kid', '=', who.account_kid)
      .execute()
    expect(left).toEqual([])
  })

  it('is refused before it is read when it is made of millions of values', async () => {
    const who = await customer()
    const body = (count: number) => `{"schedule_version":"x","terminalDtos":[${'{},'.repeat(count)}{}]}`
    const post = (text: string) =>
      fetch(`${w.url}/api/${calls.batch_registered.path}`, {
        method: 'POST',
        headers: { ...who.bearer, 'content-type': 'application/json' },
        body: text,
      })
    const { result, data } = await json(post(body(5_000_000)))
    expect([result, data]).toEqual([10000, { fields: { '': expect.stringMatching(/500.?000/) } }])
    // As many as a batch may have are read, and judged by its own rule.
    expect((await json<{ fields: object }>(post(body(60_000)))).data.fields).toHaveProperty('terminalDtos')
  })

  it('is refused before it is read when a stranger sends it', async () => {
    const stranger = { ...(await customer()), bearer: { authorization: `Bearer ${'0'.repeat(64)}` } }
    const reply = await start(
      stranger,
      Array.from({ length: 40_000 }, () => dto('A')),
    )
    expect(reply.status).toBe(401)
  })
})

describe('an operator', () => {
  let operator: Person
  beforeAll(async () => {
    const { kid: provider } = await createAccount(w.deps.db, { type: 101, name: 'Provider' })
    operator = await w.person(['externalUserManageList:register'], { account_kid: provider })
    await w.deps.db.updateTable('user_account').set({ type: 101 }).where('kid', '=', operator.user_kid).execute()
  })

  it('registers into a group of the customer, and into none of anybody else', async () => {
    const [target, other] = [await customer(), await customer()]
    const [theirs, foreign] = [await group(target, 'Dock'), await group(other, 'Foreign')]
    const groupsFor = (account_kid: string) => send(operator, ops.list_group, { account_kid_param: account_kid })
    const { data: found } = await json<TerminalGroup[]>(groupsFor(target.account_kid))
    expect(found.map(({ kid, name }) => [kid, name])).toEqual([[theirs, 'Dock']])
    expect(await refusalOf(groupsFor(operator.account_kid))).toBe('not_found')
    expect(await refusalOf(send(other, ops.list_group, { account_kid_param: target.account_kid }))).toBe(
      'no_permission',
    )
    const sns = serials(2, 'GROUPED')
    await announce(sns)
    const into = (terminalGroupKid: string) =>
      send(operator, ops.account_batch_registered, {
        accountRegisteredTerminalDtos: sns.map((sn) => ({ ...dto(sn), account_kid: target.account_kid })),
        terminalGroupKid,
        schedule_version: next(),
      })
    expect(await refusalOf(into(foreign))).toBe('group_unknown')
    expect((await outcomes(into(theirs))).map(([, result]) => result)).toEqual(['1', '1'])
    const there = await w.deps.db
      .selectFrom('terminal')
      .select('sn')
      .where('terminal_group_kid', '=', theirs)
      .orderBy('sn')
      .execute()
    expect(there.map(({ sn }) => sn)).toEqual(sns)
    await w.deps.db.updateTable('account').set({ status: 'invalid' }).where('kid', '=', target.account_kid).execute()
    expect(await refusalOf(groupsFor(target.account_kid))).toBe('account_unavailable')
  })
})

it.each([
  ['2026-01-12T00:00:00Z', 'UTC', '2026-W03'],
  ['2026-01-11T23:59:59Z', 'UTC', '2026-W02'],
  ['2026-01-11T17:30:00Z', 'Asia/Ho_Chi_Minh', '2026-W03'],
  ['2026-01-12T04:00:00Z', 'America/New_York', '2026-W02'],
  ['2021-01-03T12:00:00Z', 'UTC', '2020-W53'],
  ['2024-12-30T12:00:00Z', 'UTC', '2025-W01'],
])('%s in %s is of week %s', (at, zone, week) => {
  expect(weekOf(new Date(at), zone)).toBe(week)
})
