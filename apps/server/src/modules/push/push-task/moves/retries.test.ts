import { constants, contract } from '@mdm/contract'
import type { ReportedState } from '@mdm/device-link'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { actorOf } from '../../../../actor.ts'
import { backgroundAtRest } from '../../../../lib/background.ts'
import { addUser, databases, refusalOf } from '../../../../testing/devices.ts'
import { fleet, seedDevices } from '../../../../testing/fleet.ts'
import type { Fleet } from '../../../../testing/fleet.ts'
import { saveSetting } from '../../../people/brakes/index.ts'
import * as tasks from '../index.ts'

const { insert } = contract.pushTask.calls
const hour_ms = 3_600_000

describe.each(databases)('a retry, %s', (kind) => {
  let f: Fleet
  let ann: Awaited<ReturnType<typeof person>>
  let bob: Awaited<ReturnType<typeof person>>
  const person = async (name: string, group_kids?: string[]) => {
    const user_kid = await addUser(f.deps, f.account_kid, group_kids, ['*'])
    const actor = actorOf(f.deps, {
      account_kid: f.account_kid,
      group_kids,
      user_kid,
      name,
      token_kid: null,
    })
    return { ...actor, may: () => true }
  }
  beforeEach(async () => {
    f = await fleet(60, {}, kind)
    ann = await person('Ann')
    bob = await person('Bob')
  })
  afterEach(() => f.close())

  const push = (input: object) => tasks.insert(ann, insert.input.parse(input))
  const settled = async (kid: string, wanted: object) => {
    await quiet()
    await expect.poll(() => tasks.get(ann, kid)).toMatchObject(wanted)
  }
  /** Until nothing is left to do in the background. */
  const quiet = async () => {
    tasks.wakePushes(f.deps)
    await backgroundAtRest(f.deps)
  }
  const rows = (push_task_kid: string) =>
    f.deps.db
      .selectFrom('push_task_terminal')
      .selectAll()
      .where('push_task_kid', '=', push_task_kid)
      .orderBy('terminal_kid')
      .execute()
  const report = (terminal_kid: string, task_kid: string, state: ReportedState, code: string) =>
    f.say(terminal_kid, 'task', { task_kid, attempt: 1, state, code })

  const lot = constants.password_from_devices
  /** A push to so many devices on all of which it failed, an hour ago. */
  const failed = async (devices: number, input: object = {}) => {
    const { kid } = await push({ ...input, terminal_kids: f.kids.slice(0, devices) })
    f.deps.clock.jump(constants.scrap_delay_seconds * 1000)
    await settled(kid, { phase: 'running' })
    for (const each of f.kids.slice(0, devices)) await report(each, kid, 'failed', 'internal')
    expect(await tasks.get(ann, kid)).toMatchObject({ phase: 'ended', can: expect.arrayContaining(['retry']) })
    return kid
  }
  const uninstall = { type: 'app_uninstall', payload: { packages: ['com.acme.scan'] } }

  it.each(['canceled', 'rejected'])(
    'of what was %s before it began says so, to whoever may control it',
    async (how) => {
      if (how === 'rejected') await saveSetting(ann, { approval_from: 1 })
      const start_at = new Date(f.deps.clock.now().getTime() + 24 * hour_ms).toISOString()
      const message = { type: 'message', payload: { title: 'Hi', text: 'there' } }
      const { kid } = await push({ ...message, match: {}, conditions: { start_at } })
      if (how === 'rejected') await tasks.reject(bob, { push_task_kid: kid, remark: '' })
      else await tasks.cancel(ann, { push_task_kid: kid })
      const retry = (who: typeof ann) => refusalOf(tasks.retry(who, { push_task_kid: kid }))
      expect(await retry(ann)).toBe('task_never_began')
      await settled(kid, { phase: how, is_stopping: false })
      expect(await retry(ann)).toBe('task_never_began')
      expect(await retry(await person('Cleo', []))).toBe('not_found')
    },
  )

  it.each([
    ['shutdown', { type: 'shutdown', payload: {} }],
    ['factory_reset', { type: 'factory_reset', payload: {} }],
    ['app_uninstall', uninstall],
  ])('of %s on many devices can be stopped for a minute, and counts for the hour until then', async (_type, input) => {
    const kid = await failed(lot, input)
    const at = new Date(f.deps.clock.now().getTime() + constants.scrap_delay_seconds * 1000).toISOString()
    expect(await tasks.retry(bob, { push_task_kid: kid })).toEqual({ retried: 0, rest: lot, begins_at: at })
    const waiting = await tasks.get(ann, kid)
    expect(waiting).toMatchObject({ phase: 'ended', retry: { devices: lot, left: lot, by: 'Bob', at } })
    expect(waiting.can).toContain('cancel')
    expect(waiting.can).not.toContain('retry')
    expect(await refusalOf(tasks.retry(ann, { push_task_kid: kid }))).toBe('task_running')
    await quiet()
    expect((await rows(kid)).every(({ attempt, state }) => attempt === 1 && state === 'failed')).toBe(true)
    expect(await tasks.cancel(ann, { push_task_kid: kid })).toEqual({ canceled: 0, asked: 0, rest: 0 })
    f.deps.clock.jump(2 * constants.scrap_delay_seconds * 1000)
    await quiet()
    expect(await tasks.get(ann, kid)).toMatchObject({ phase: 'ended', retry: null })
    expect((await rows(kid)).every(({ attempt }) => attempt === 1)).toBe(true)
    await tasks.retry(bob, { push_task_kid: kid })
    f.deps.clock.jump(constants.scrap_delay_seconds * 1000)
    await settled(kid, { phase: 'running', retry: null, counts: { wait_receipt: lot, failed: 0 } })
  })

  it.each([
    ['at once', { type: 'message', payload: { title: 'Hi', text: 'there' } }],
    ['later', uninstall],
  ])('of those alone that failed for one reason, %s', async (_when, input) => {
    const devices = lot + 4
    const { kid } = await push({ ...input, terminal_kids: f.kids.slice(0, devices) })
    f.deps.clock.jump(constants.scrap_delay_seconds * 1000)
    await settled(kid, { phase: 'running' })
    const codes = ['no_space', 'no_space', 'no_space', undefined, ...Array.from({ length: lot }, () => 'internal')]
    for (const [place, code] of codes.entries())
      await f.say(f.kids[place]!, 'task', { task_kid: kid, attempt: 1, state: 'failed', ...(code && { code }) })
    expect((await tasks.detail(ann, kid)).failures).toEqual([
      { code: 'internal', count: lot },
      { code: 'no_space', count: 3 },
      { code: 'unknown', count: 1 },
    ])
    const listed = (code: string) =>
      tasks.pagingTerminal(ann, { push_task_kid: kid, code, page: 1, page_size: 20 }).then(({ total }) => total)
    expect(await Promise.all(['no_space', 'unknown', 'never_said'].map(listed))).toEqual([3, 1, 0])
    expect(await refusalOf(tasks.retry(ann, { push_task_kid: kid, code: 'never_said' }))).toBe('task_not_retryable')
    await tasks.retry(ann, { push_task_kid: kid, code: 'internal' })
    f.deps.clock.jump(constants.scrap_delay_seconds * 1000)
    await settled(kid, { retry: null, counts: { wait_receipt: lot, failed: 4 } })
    await tasks.retry(ann, { push_task_kid: kid, code: 'unknown' })
    await settled(kid, { counts: { wait_receipt: lot + 1, failed: 3 } })
    expect((await tasks.detail(ann, kid)).failures).toEqual([{ code: 'no_space', count: 3 }])
    // What failed comes before what waits.
    const first = await tasks.pagingTerminal(ann, { push_task_kid: kid, page: 1, page_size: 2 })
    const rest = await tasks.pagingTerminal(ann, { push_task_kid: kid, page: 1, page_size: 2, after: first.next! })
    expect([...first.items, ...rest.items].map(({ state }) => state)).toEqual([
      'failed',
      'failed',
      'failed',
      'wait_receipt',
    ])
  })

  it('that waits counts for the hour; one device more is refused', async () => {
    const kid = await failed(lot, uninstall)
    f.deps.clock.jump(2 * hour_ms)
    await tasks.retry(bob, { push_task_kid: kid })
    // As if it were of as many devices as may be hit.
    await f.deps.db
      .updateTable('push_task')
      .set({ retry: JSON.stringify({ left: constants.app_uninstall_per_hour }) })
      .where('kid', '=', kid)
      .execute()
    const one = push({ ...uninstall, terminal_kids: f.kids.slice(20, 21) })
    expect(await refusalOf(one)).toBe('task_too_many_per_hour')
  })

  it('is not worked off while the push is paused, nor for who may no longer push it', async () => {
    const kid = await failed(lot, uninstall)
    await tasks.retry(bob, { push_task_kid: kid })
    await f.deps.db.updateTable('push_task').set({ phase: 'paused' }).where('kid', '=', kid).execute()
    f.deps.clock.jump(constants.scrap_delay_seconds * 1000)
    await quiet()
    expect((await tasks.get(ann, kid)).retry).toMatchObject({ left: lot })
    await f.deps.db.updateTable('user_account').set({ status: 'invalid' }).where('kid', '=', bob.user.kid).execute()
    await f.deps.db.updateTable('push_task').set({ phase: 'ended' }).where('kid', '=', kid).execute()
    await settled(kid, { phase: 'ended', retry: null, counts: { failed: lot } })
  })

  it('of very many devices goes on in the background, and on the next server when this one dies', async () => {
    const more = 4_300
    const { kids } = await seedDevices(f.deps, more, f.account_kid)
    const { kid } = await push({ type: 'message', payload: { title: 'Hi', text: 'there' }, match: {} })
    await settled(kid, { phase: 'running', counts: { total: more + 60 } })
    await tasks.cancel(ann, { push_task_kid: kid })
    await settled(kid, { phase: 'canceled', is_stopping: false, counts: { canceled: more + 60 } })
    f.deps.clock.jump(1000)
    expect(await tasks.retry(ann, { push_task_kid: kid })).toEqual({ retried: 0, rest: more + 60, begins_at: null })
    await settled(kid, { phase: 'running', retry: null, counts: { wait_receipt: more + 60, canceled: 0 } })
    expect(new Set((await rows(kid)).map(({ attempt }) => attempt))).toEqual(new Set([2]))
    // Stopped between two of its pieces: as the server left them.
    await tasks.cancel(ann, { push_task_kid: kid })
    await settled(kid, { phase: 'canceled', is_stopping: false })
    const asked_at = f.deps.clock.now().toISOString()
    const after = (await rows(kid))[3_000]!.terminal_kid
    const of = {
      by_kid: ann.user.kid,
      by_name: 'Ann',
      visible_groups: null,
      terminal_kid: null,
      devices: kids.length,
      left: 1_359,
    }
    await f.deps.db
      .updateTable('push_task')
      .set({ retry: JSON.stringify({ ...of, asked_at, after }), retry_at: f.deps.clock.now() })
      .where('kid', '=', kid)
      .execute()
    await settled(kid, { phase: 'running', retry: null, counts: { wait_receipt: 1_359, canceled: 3_001 } })
  })
})
