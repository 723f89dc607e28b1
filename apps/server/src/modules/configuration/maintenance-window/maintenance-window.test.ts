import { contract, ltscopes, pushSentence, windowLimits } from '@mdm/contract'
import { sectionOf } from '@mdm/contract/config/sections.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { testActor } from '../../../testing/actor.ts'
import { addAccount, databases, refusalOf } from '../../../testing/devices.ts'
import { fleet } from '../../../testing/fleet.ts'
import type { Fleet } from '../../../testing/fleet.ts'
import { changePaging } from '../terminal-config/history.ts'
import { get } from '../terminal-config/current.ts'
import { abort } from '../terminal-config/staged-kind.ts'
import * as configurations from '../terminal-config/save.ts'
import * as templates from '../../push/push-template/service.ts'
import * as tasks from '../../push/push-task/index.ts'
import * as windows from './service.ts'

const calls = contract.maintenanceWindow.calls
const message = { type: 'message', payload: { title: 'Hi', text: 'there' } } as const
const weekend = { name: 'Weekend', from: '08:00', to: '18:00', days: [7, 6] }

describe.each(databases)('maintenance windows on %s', (kind) => {
  let f: Fleet
  beforeAll(async () => void (f = await fleet(2, {}, kind)))
  afterAll(() => f?.close())
  beforeEach(async () => {
    for (const table of [
      'push_task',
      'push_template',
      'terminal_config',
      'configuration_change',
      'configuration',
    ] as const)
      await f.deps.db.deleteFrom(table).execute()
    await f.deps.db.deleteFrom('maintenance_window').execute()
  })

  const caller = (account_kid = f.account_kid) => ({ ...testActor(f.deps, account_kid), may: () => true })
  const make = (more: object = {}) => windows.insert(caller(), calls.insert.input.parse({ ...weekend, ...more }))
  const hours = (n: number) => new Date(f.deps.clock.now().getTime() + n * 3_600_000).toISOString()
  const push = (conditions: object) =>
    tasks.insert(caller(), contract.pushTask.calls.insert.input.parse({ ...message, match: {}, conditions }))
  const saidOf = async (kid: string) => pushSentence(await tasks.detail(caller(), kid), { language: 'en', zone: 'UTC' })
  const update_window = (window_kid: string) => ({
    ...{ mode: 'named', window_kid, window_name: '', window_days: [], window_from: '', window_to: '' },
    ...{ days: [], from: '', to: '', is_charging: false },
  })
  const configure = (window_kid: string) =>
    configurations.save(caller(), { ...account, update_window: update_window(window_kid) } as never)
  const account = { ltscope: ltscopes.account }
  const told = async () => {
    const value = (await get(caller(), account)).update_window!.value
    return sectionOf('update_window').toWire!(value)
  }
  const usesOf = async (kid: string) => (await windows.list(caller())).find((row) => row.kid === kid)!.uses

  it('what refers to one has its hours, and the new ones when it changes; what has begun keeps its own', async () => {
    const { kid } = await make()
    const planned = await push({ start_at: hours(24), window: { kid, from: '00:00', to: '00:05', name: 'forged' } })
    const begun = await push({ window: { kid, from: '00:00', to: '00:05' } })
    const draft = contract.pushTemplate.calls.insert.input.parse({
      name: 'Later',
      push: { ...message, conditions: { window: { kid, from: '00:00', to: '00:05' } } },
    })
    await templates.insert(caller(), draft)
    await configure(kid)
    expect(await saidOf(planned.kid)).toContain(
      'in the maintenance window Weekend (Sat, Sun 08:00–18:00) of each device',
    )
    expect(await told()).toEqual({ mode: 'window', days: [6, 7], from: '08:00', to: '18:00', is_charging: false })
    expect(await usesOf(kid)).toEqual({ pushes: 2, recurring: 0, templates: 1, required_apps: 0, configurations: 1 })

    const { before, row } = await windows.update(caller(), {
      kid,
      name: 'Nights',
      from: '22:00',
      to: '05:00',
      days: [1, 2, 3, 4, 5, 6, 7],
    })
    expect([before.name, row.name]).toEqual(['Weekend', 'Nights'])
    expect(await saidOf(planned.kid)).toContain('in the maintenance window Nights (22:00–05:00) of each device')
    expect(await saidOf(begun.kid)).toContain('Weekend (Sat, Sun 08:00–18:00)')
    expect((await templates.list(caller()))[0]!.conditions.window).toMatchObject({ name: 'Nights', from: '22:00' })
    expect(await told()).toEqual({ mode: 'window', from: '22:00', to: '05:00', is_charging: false })
    // A version of the configuration each, of which the former goes back to the window as it is now.
    const { items } = await changePaging(caller(), { ...account, page: 1, page_size: 10 })
    expect(items.map(({ version, sections }) => [version, sections])).toEqual([
      [2, ['update_window']],
      [1, ['update_window']],
    ])
    await configurations.revert(caller(), items[1]!.kid)
    expect(await told()).toMatchObject({ from: '22:00' })
  })

  it('a device is told hours and days, and nothing of names', async () => {
    const { kid } = await make()
    await f.connect(f.kids[0]!)
    const { kid: push_task_kid } = await push({ window: { kid, from: '00:00', to: '00:05' } })
    await f.deps.clock.advance(5_000)
    const sent = f.edge.sent.map(({ payload }) => payload as { task_kid?: string; window?: object })
    const windows_told = sent.filter(({ task_kid }) => task_kid === push_task_kid).map(({ window }) => window)
    expect(windows_told.length).toBeGreaterThan(0)
    for (const window of windows_told) expect(window).toEqual({ from: '08:00', to: '18:00', days: [6, 7] })
  })

  it('is deleted only when nothing refers to it; a version that did then has hours of its own', async () => {
    const { kid } = await make()
    await configure(kid)
    expect(await refusalOf(windows.remove(caller(), kid))).toBe('maintenance_window_in_use')
    await configurations.reset(caller(), { ...account, sections: ['update_window'] })
    expect(await windows.remove(caller(), kid)).toEqual({ name: 'Weekend' })
    expect(await refusalOf(windows.remove(caller(), kid))).toBe('not_found')
    const { items } = await changePaging(caller(), { ...account, page: 1, page_size: 10 })
    await configurations.revert(caller(), items.at(-1)!.kid)
    expect((await get(caller(), account)).update_window!.value).toMatchObject({
      mode: 'window',
      window_kid: '',
      from: '08:00',
      days: [6, 7],
    })
  })

  it('steps that are aborted give the window as it is by then, not as it was', async () => {
    const { kid } = await make()
    await configure(kid)
    const at_once = { ...update_window(''), mode: 'at_once' }
    const rollout = { steps: [{ percent: 50 }], success_percent: 90, error_percent: 10 }
    await configurations.save(caller(), { ...account, update_window: at_once, rollout } as never)
    await windows.update(caller(), { ...weekend, kid, from: '09:00' })
    const { items } = await changePaging(caller(), { ...account, page: 1, page_size: 10 })
    await abort(caller(), items[0]!.kid)
    expect(await told()).toMatchObject({ mode: 'window', from: '09:00', to: '18:00' })
  })

  it('one of another account is unknown, to pushes, configurations and its own calls', async () => {
    const { kid } = await make()
    const stranger = caller(await addAccount(f.deps))
    const planned = contract.pushTask.calls.insert.input.parse({
      ...message,
      match: {},
      conditions: { start_at: hours(24), window: { kid, from: '01:00', to: '02:00' } },
    })
    expect(await refusalOf(tasks.insert(stranger, planned))).toBe('bad_input')
    const saved = configurations.save(stranger, { ...account, update_window: update_window(kid) } as never)
    expect(await refusalOf(saved)).toBe('bad_input')
    expect(await refusalOf(windows.update(stranger, { ...weekend, kid, name: 'Mine' }))).toBe('not_found')
    expect(await refusalOf(windows.remove(stranger, kid))).toBe('not_found')
    expect(await windows.list(stranger)).toEqual([])
  })

  it('who may not change configurations changes no window that one refers to, and nothing half', async () => {
    const { kid } = await make()
    const planned = await push({ start_at: hours(24), window: { kid, from: '00:00', to: '00:05' } })
    await configure(kid)
    const limited = { ...caller(), may: (permission: string) => permission !== 'deviceDetailConfig:edit' }
    expect(await refusalOf(windows.update(limited, { ...weekend, kid, from: '09:00' }))).toBe('no_permission')
    expect(await saidOf(planned.kid)).toContain('08:00–18:00')
    expect((await windows.list(caller()))[0]).toMatchObject({ from: '08:00' })
  })

  it('has a name of its own, and is one of so many', async () => {
    await make()
    expect(await refusalOf(make({ name: 'WEEKEND' }))).toBe('duplicate_name')
    for (let n = 1; n < windowLimits.of_account; n += 1) await make({ name: `Window ${n}` })
    expect(await refusalOf(make({ name: 'One more' }))).toBe('maintenance_window_max')
    expect((await windows.list(caller()))[0]).toMatchObject({ name: 'Weekend', days: [6, 7] })
  })

  it.each([
    ['no day', { days: [] }],
    ['a day twice', { days: [1, 1] }],
    ['an eighth day', { days: [8] }],
    ['no time', { from: '24:00' }],
    ['no length', { from: '18:00' }],
  ])('%s is refused', (_, more) => {
    expect(calls.insert.input.safeParse({ ...weekend, ...more }).success).toBe(false)
  })
})
