import { contract } from '@mdm/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { shortenLives } from '../../../jobs/clamp-future-times.ts'
import { forgetSessions } from '../../../http/session-cache.ts'
import { testApi } from '../../../testing/calls.ts'
import type { TestApi } from '../../../testing/calls.ts'
import { addTerminal, refusalOf } from '../../../testing/devices.ts'
import { nextRuns, runSchedules } from './index.ts'

const { delete: remove, insert, list, next_runs, update } = contract.pushSchedule.calls
const { paging } = contract.pushTask.calls
const hour_ms = 3_600_000

describe('next runs', () => {
  const runs = (cron: string, zone: string, from: string, count = 3) =>
    nextRuns({ cron, zone }, new Date(from), count).map((at) => at.toISOString())

  it('are by the wall clock of their zone', () => {
    expect(runs('0 22 * * *', 'Asia/Ho_Chi_Minh', '2026-01-15T08:00:00Z', 2)).toEqual([
      '2026-01-15T15:00:00.000Z',
      '2026-01-16T15:00:00.000Z',
    ])
  })
  it('neither vanish in the hour that summer time skips nor come twice in the one that it repeats', () => {
    expect(runs('30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z', 2)).toEqual([
      '2026-03-29T01:00:00.000Z',
      '2026-03-30T00:30:00.000Z',
    ])
    expect(runs('30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00:00Z', 2)).toEqual([
      '2026-10-25T00:30:00.000Z',
      '2026-10-26T01:30:00.000Z',
    ])
  })
  it.each(['', '@daily', '* * * *', '0 0 22 * * *', '61 * * * *', '0 22 * * funday', '0 0 31 2 *'])(
    'are refused of %j',
    async (cron) => {
      const asked = Promise.resolve().then(() => nextRuns({ cron, zone: 'UTC' }, new Date('2026-01-01'), 1))
      expect(await refusalOf(asked)).toBe('bad_input')
    },
  )
})

describe('recurring pushes', () => {
  let o: TestApi
  let device: string
  let ann: Awaited<ReturnType<TestApi['person']>>
  beforeAll(async () => {
    o = await testApi()
    ann = await o.person(3, o.acme.kid, 'ann', ['*'])
    device = await addTerminal(o.deps, o.acme.kid, { sn: 'SN-1' })
  })
  beforeEach(async () => {
    await o.deps.db.deleteFrom('push_schedule').execute()
    await o.deps.db.deleteFrom('push_task').execute()
  })
  afterAll(async () => {
    expect(o.internal_errors).toEqual([])
    await o.close()
  })
  /** Nobody signs in again meanwhile. */
  const later = async (ms: number) => {
    o.deps.clock.jump(ms)
    const now = o.deps.clock.now()
    const expires_at = new Date(now.getTime() + 24 * hour_ms)
    await o.deps.db.updateTable('session').set({ last_use_at: now, expires_at }).execute()
    forgetSessions(o.deps)
  }
  const message = { type: 'message', payload: { title: 'Daily', text: 'Clean the scanner.' } }
  const draft = (more: object = {}) =>
    ({ name: 'Daily', cron: '0 22 * * *', zone: 'UTC', to: { match: {} }, push: message, ...more }) as never
  const make = async (more: object = {}, who: Parameters<TestApi['call']>[2] = ann) => {
    const { result, data } = await o.call(insert, draft(more), who)
    expect(result).toBe(1)
    return data
  }
  const pushes = async () => (await o.call(paging, {} as never, ann)).data.items
  /** Just after the next run of the only schedule. */
  const due = async () => later(Date.parse((await one()).next_at!) - o.deps.clock.now().getTime() + 1000)
  const one = async () => (await o.call(list, {}, ann)).data[0]!

  it('make a push of their own each time, as their creator', async () => {
    const { kid, next_at } = await make()
    expect(new Date(next_at!).getUTCHours()).toBe(22)
    await runSchedules(o.deps)
    expect(await pushes()).toEqual([])
    await due()
    await runSchedules(o.deps)
    await runSchedules(o.deps)
    const [made, ...others] = await pushes()
    expect([made, others]).toMatchObject([{ type: 'message', summary: 'Daily', target_count: 1, phase: 'running' }, []])
    expect(await one()).toMatchObject({ kid, runs: 1, last_task_kid: made!.kid, last_error: null })
    expect((await o.call(paging, { schedule_kid: kid } as never, ann)).data.total).toBe(1)
  })

  it('do not catch up with what was missed while no server ran', async () => {
    await make()
    await later(5 * 24 * hour_ms + 3 * hour_ms)
    await runSchedules(o.deps)
    expect(await pushes()).toEqual([])
    expect(await one()).toMatchObject({ runs: 1 })
    expect(Date.parse((await one()).next_at!)).toBeGreaterThan(o.deps.clock.now().getTime())
  })

  it('that a wrong clock moved on run at their next time again; what is right stays', async () => {
    await make()
    const { kid: weekly } = await make({ name: 'Weekly', cron: '0 6 * * 1' })
    const { kid: off } = await make({ name: 'Off', is_on: false })
    const times = async () => {
      const rows = (await o.call(list, {}, ann)).data
      return Object.fromEntries(rows.map((row) => [row.name, row.next_at]))
    }
    const right = await times()
    const year_ms = 365 * 24 * hour_ms
    const moved = new Date(Date.parse(right['Daily']!) + 70 * year_ms)
    await o.deps.db.updateTable('push_schedule').set({ next_at: moved }).where('name', '=', 'Daily').execute()
    expect(await times()).not.toEqual(right)
    await shortenLives(o.deps)
    expect(await times()).toEqual(right)
    // Times that never come again stop nobody else's.
    const never = { cron: '0 0 31 2 *', next_at: moved }
    await o.deps.db.updateTable('push_schedule').set(never).where('kid', '=', off).execute()
    await o.deps.db.updateTable('push_schedule').set({ next_at: moved }).where('kid', '=', weekly).execute()
    await shortenLives(o.deps)
    expect(await times()).toEqual({ ...right, Off: moved.toISOString() })
  })

  it('make nothing once their creator may not push that any more, and say so', async () => {
    const who = await o.person(3, o.acme.kid, 'pusher', ['pushTask*', 'deviceDetail*'])
    await make({}, who)
    await o.deps.db
      .updateTable('role')
      .set({ permissions: ['pushTask*'] })
      .where('code', 'like', '%pusher%')
      .execute()
    await o.deps.db.deleteFrom('user_role').where('user_kid', '=', who.kid).execute()
    await due()
    await runSchedules(o.deps)
    expect(await pushes()).toEqual([])
    expect((await one()).last_error).toBeTruthy()
  })

  it('of an operator within a customer go on as long as it may enter the customer', async () => {
    const held = ['pushTask*', 'deviceDetail*']
    const who = await o.person(101, o.provider.kid, 'support', [...held, 'externalUserManageList:enter'])
    await o.call(contract.opsAccount.calls.enter, { kid: o.acme.kid }, who)
    await make({ cron: '0 * * * *' }, { token: who.token, account_kid: o.acme.kid })
    await due()
    await runSchedules(o.deps)
    expect(await pushes()).toHaveLength(1)
    const role = o.deps.db.updateTable('role').set({ permissions: held })
    await role.where('account_kid', '=', o.provider.kid).where('name', '=', 'support').execute()
    await due()
    await runSchedules(o.deps)
    expect(await pushes()).toHaveLength(1)
    expect((await one()).last_error).toBeTruthy()
  })

  it('keep a lock’s password sealed and never show it', async () => {
    await o.deps.db.updateTable('session').set({ confirmed_at: o.deps.clock.now() }).execute()
    await make({ push: { type: 'lock', payload: { password: '471147' } }, to: { terminal_kids: [device] } })
    const { payload_sealed } = await o.deps.db.selectFrom('push_schedule').selectAll().executeTakeFirstOrThrow()
    expect(payload_sealed).not.toContain('471147')
    expect(JSON.stringify(await one())).not.toContain('471147')
    await due()
    await runSchedules(o.deps)
    expect(await pushes()).toMatchObject([{ type: 'lock' }])
  })

  it('are switched off, edited and deleted', async () => {
    const { kid } = await make()
    const edited = await o.call(
      update,
      { kid, name: 'Weekly', cron: '0 6 * * 1', zone: 'Asia/Tokyo', is_on: false },
      ann,
    )
    expect(edited.data).toMatchObject({ name: 'Weekly', is_on: false, next_at: null })
    await later(30 * 24 * hour_ms)
    await runSchedules(o.deps)
    expect(await pushes()).toEqual([])
    expect((await o.call(remove, { kid }, ann)).result).toBe(1)
    expect((await o.call(list, {}, ann)).data).toEqual([])
  })

  it('ask for the password again when they take devices out of people’s hands, also when they are edited', async () => {
    await o.deps.db.updateTable('session').set({ confirmed_at: null }).execute()
    const restart = draft({ push: { type: 'restart', payload: {} } })
    expect((await o.call(insert, restart, ann)).result).toBe(41021)
    await o.deps.db.updateTable('session').set({ confirmed_at: o.deps.clock.now() }).execute()
    const { kid } = (await o.call(insert, restart, ann)).data
    await o.deps.db.updateTable('session').set({ confirmed_at: null }).execute()
    const now = { kid, name: 'Daily', cron: '* * * * *', zone: 'UTC' }
    expect((await o.call(update, now as never, ann)).result).toBe(41021)
  })

  it('next runs are worked out for a form', async () => {
    const asked = { cron: '0 9 * * 1-5', zone: 'Asia/Shanghai' }
    const { data } = await o.call(next_runs, asked as never, ann)
    expect(data).toHaveLength(5)
    expect((await o.call(next_runs, { ...asked, cron: 'x' } as never, ann)).result).not.toBe(1)
  })
})
