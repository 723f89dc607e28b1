import { ltscopes } from '@mdm/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newKid } from '../../../lib/ids.ts'
import { sharedHash } from '../../../lib/shared-hash.ts'
import { testActor } from '../../../testing/actor.ts'
import { databases, refusalOf } from '../../../testing/devices.ts'
import { fleet } from '../../../testing/fleet.ts'
import type { Fleet } from '../../../testing/fleet.ts'
import { createRole, createUser } from '../../people/account/index.ts'
import * as groups from '../../fleet/terminal-group/index.ts'
import { moveGroup } from '../../devices/terminal/index.ts'
import * as tasks from '../../push/push-task/index.ts'
import { abort } from './staged-kind.ts'
import { configurationQueue } from './delivery-queue.ts'
import * as edits from './save.ts'
import { changeGet, changePaging, paging } from './history.ts'
import { current } from './current.ts'
import { wake } from '../../../lib/background.ts'

describe.each(databases)('a configuration that goes out in steps, %s', (kind) => {
  let f: Fleet
  beforeAll(async () => void (f = await fleet(10, {}, kind)))
  afterAll(() => f?.close())

  const caller = () => ({ ...testActor(f.deps, f.account_kid), may: () => true })
  const place = async (devices: readonly string[]) => {
    const { kid } = await groups.insert(caller(), { name: newKid(), parent_kid: 'ROOT' })
    const who = Object.assign(caller(), { user_kid: newKid() })
    await moveGroup(who, { terminal_kids: [...devices], terminal_group_kid: kid })
    return { ltscope: ltscopes.group, terminal_group_kid: kid }
  }
  const ntp = (server: string) => ({ ntp: { server, every_hours: 4 } })
  const rollout = { steps: [{ count: 1 }, { count: 2 }], success_percent: 100, error_percent: 50 }
  const told = (kid: string) =>
    f.edge.sent.filter((each) => each.kid === kid && each.topic.endsWith('/config')).map((each) => each.payload)
  const serverOf = (kid: string): string | undefined => told(kid).at(-1)?.config['ntp']?.server
  const confirm = (kid: string, results?: object[]) => {
    const { version } = told(kid).at(-1)!
    return f.say(kid, 'state', {
      seq: version + 1_000,
      device_time: f.deps.clock.now().toISOString(),
      config_version: version,
      config_results: results ?? [{ section: 'ntp', outcome: 'applied' }],
    })
  }
  const newest = async (at: object) => (await changePaging(caller(), { page: 1, page_size: 10, ...at })).items[0]!
  const later = async () => {
    for (let round = 0; round < 4; round++) {
      tasks.wakePushes(f.deps)
      wake(f.deps, configurationQueue)
      await f.deps.clock.advance(10_000)
    }
  }
  const having = (kids: readonly string[], server: string) => kids.filter((kid) => serverOf(kid) === server)
  const progress = async (at: object) => (await newest(at)).progress

  it('reaches the devices of a step at a time; the others keep what they had until theirs begins', async () => {
    const kids = f.kids.slice(0, 5)
    for (const kid of kids) await f.connect(kid)
    const at = await place(kids)
    await edits.save(caller(), { ...at, ...ntp('old.example') })
    await later()
    expect(having(kids, 'old.example')).toEqual(kids)
    for (const kid of kids) await confirm(kid)
    await edits.save(caller(), { ...at, ...ntp('new.example'), rollout })
    await expect.poll(async () => (await later(), having(kids, 'new.example').length)).toBe(1)
    const [first] = having(kids, 'new.example')
    expect(await newest(at)).toMatchObject({
      is_in_steps: true,
      progress: { devices: 5, applied: 0, waiting: 1, held: 4, failed: 0, superseded: 0 },
    })
    const others = kids.filter((kid) => kid !== first)
    const shown = async (kid: string) =>
      (await current(caller(), { ltscope: ltscopes.terminal, terminal_kid: kid, types: '1' })).ntp!
    expect(await shown(others[0]!)).toMatchObject({
      value: { server: 'new.example' },
      result: { outcome: 'waiting', reason: 'held' },
    })
    expect((await paging(caller(), { page: 1, page_size: 10, ...at })).items[0]).toMatchObject({ state: 1 })
    // Whatever else makes a device's configuration stale, it keeps the old value; so does who comes below meanwhile.
    await edits.save(caller(), {
      ltscope: ltscopes.terminal,
      terminal_kid: others[0]!,
      time_zone: { zone_id: 'Asia/Tokyo' },
    })
    const late = f.kids[5]!
    await f.connect(late)
    await moveGroup(Object.assign(caller(), { user_kid: newKid() }), {
      terminal_kids: [late],
      terminal_group_kid: at.terminal_group_kid,
    })
    await later()
    expect([serverOf(others[0]!), told(others[0]!).at(-1)?.config['time_zone']]).toEqual([
      'old.example',
      expect.objectContaining({ zone_id: 'Asia/Tokyo' }),
    ])
    expect(serverOf(late)).toBe('old.example')
    // Another change of the same level would have nothing to stand on.
    expect(await refusalOf(edits.save(caller(), { ...at, ...ntp('third.example') }))).toBe('config_in_steps')
    expect(await refusalOf(edits.reset(caller(), at))).toBe('config_in_steps')
    const { push_task_kid, kid: change_kid } = await newest(at)
    expect(await refusalOf(tasks.cancel(caller(), { push_task_kid: push_task_kid! }))).toBe('task_not_cancelable')
    // The second step waits for the first.
    await confirm(first!)
    await expect.poll(async () => (await later(), having(kids, 'new.example').length)).toBe(3)
    for (const kid of having(kids, 'new.example')) await confirm(kid)
    await expect.poll(async () => (await later(), having(kids, 'new.example').length)).toBe(5)
    expect(serverOf(late)).toBe('old.example')
    for (const kid of kids) await confirm(kid)
    // The end gives it to whoever no step had.
    await expect.poll(async () => (await later(), serverOf(late))).toBe('new.example')
    await confirm(late)
    expect(await tasks.get(caller(), push_task_kid!)).toMatchObject({ phase: 'ended', result: 'all_succeeded' })
    expect(await changeGet(caller(), change_kid)).toMatchObject({
      is_in_steps: false,
      progress: { held: 0, waiting: 0 },
    })
    expect(await refusalOf(abort(caller(), change_kid))).toBe('config_not_in_steps')
  })

  it('pauses where too many fail, waits for a person, and goes back to what was set when it is aborted', async () => {
    const kids = f.kids.slice(6, 10)
    for (const kid of kids) await f.connect(kid)
    const at = await place(kids)
    await edits.save(caller(), { ...at, ...ntp('old.example') })
    await later()
    for (const kid of kids) await confirm(kid)
    await edits.save(caller(), { ...at, ...ntp('bad.example'), rollout })
    await expect.poll(async () => (await later(), having(kids, 'bad.example').length)).toBe(1)
    const [first] = having(kids, 'bad.example')
    await confirm(first!, [{ section: 'ntp', outcome: 'failed', reason: 'command_failed', message: 'no route' }])
    const { push_task_kid, kid } = await newest(at)
    await expect
      .poll(async () => (await later(), tasks.get(caller(), push_task_kid!)))
      .toMatchObject({ phase: 'paused', paused_because: 'errors', counts: { failed: 1 } })
    const { items } = await tasks.pagingTerminal(caller(), {
      page: 1,
      page_size: 10,
      push_task_kid: push_task_kid!,
      states: ['failed'],
    })
    expect(items[0]).toMatchObject({ terminal_kid: first, code: 'section_failed', message: 'no route', can: ['retry'] })
    expect(await progress(at)).toMatchObject({ held: 3, failed: 1 })
    expect((await abort(caller(), kid)).changed).toEqual(['ntp'])
    await expect.poll(async () => (await later(), having(kids, 'old.example').length)).toBe(4)
    expect(await tasks.get(caller(), push_task_kid!)).toMatchObject({ phase: 'canceled', can: [] })
    // While the background stops what is open, it is busy.
    const retried = () => refusalOf(tasks.retry(caller(), { push_task_kid: push_task_kid! }))
    await expect.poll(retried).toBe('config_change_aborted')
    expect(await newest(at)).toMatchObject({ act: 'revert', is_in_steps: false })
  })

  it('a server that dies after the push was stopped leaves the way back to the next one', async () => {
    const kids = f.kids.slice(6, 10)
    const at = await place(kids)
    await edits.save(caller(), { ...at, ...ntp('fine.example') })
    await later()
    await edits.save(caller(), { ...at, ...ntp('bad.example'), rollout })
    await expect.poll(async () => (await newest(at)).push_task_kid).not.toBeNull()
    const { push_task_kid } = await newest(at)
    await tasks.cancelPhase(caller(), push_task_kid!)
    await expect.poll(async () => (await later(), (await newest(at)).act)).toBe('revert')
    expect(having(kids, 'fine.example')).toEqual(kids)
  })

  const kiosk = (app: string) => ({ kiosk: { mode: 'one_app' as const, apps: [app], exit_password: '' } })
  const appOf = (kid: string): string | undefined => told(kid).at(-1)?.config['kiosk']?.apps[0]
  const waiting = async (at: object) => {
    await expect.poll(async () => (await later(), (await newest(at)).push_task_kid)).not.toBeNull()
    return (await newest(at)).push_task_kid!
  }
  const decide = (act: typeof tasks.approve, push_task_kid: string) => act(caller(), { push_task_kid, remark: '' })
  /** By somebody who may still change configurations when the push begins. */
  const orderer = async () => {
    const { deps, account_kid } = f
    const code = newKid()
    const role = await createRole(deps.db, { account_kid, code, name: code, permissions: ['deviceDetailConfig:edit'] })
    const draft = { account_kid, type: 3, username: code, name: code, role_kids: [role.kid] } as const
    const { kid } = await createUser(deps.db, { ...draft, password_hash: await sharedHash('Secret-2026!') })
    return { ...caller(), user: { kid, name: 'Ann' } }
  }

  it.each(['a group', 'a device'])('that waits for a second person leaves %s as it was until then', async (level) => {
    const kids = level === 'a group' ? f.kids.slice(6, 8) : f.kids.slice(8, 9)
    const at = level === 'a group' ? await place(kids) : { ltscope: ltscopes.terminal, terminal_kid: kids[0]! }
    await edits.save(caller(), { ...at, ...kiosk('com.example.old') })
    await later()
    expect(kids.map(appOf)).toEqual(kids.map(() => 'com.example.old'))
    const ann = await orderer()
    await edits.save(ann, { ...at, ...kiosk('com.example.bad') }, true)
    const first = await waiting(at)
    expect(await tasks.get(caller(), first)).toMatchObject({ phase: 'awaiting_approval', type: 'configuration' })
    expect(await refusalOf(tasks.approve(ann, { push_task_kid: first, remark: '' }))).toBe('task_own_approval')
    await edits.save(caller(), { ...at, time_zone: { zone_id: 'Asia/Seoul' } }).catch(() => undefined)
    await later()
    expect(kids.map(appOf)).toEqual(kids.map(() => 'com.example.old'))
    await decide(tasks.reject, first)
    await expect.poll(async () => (await later(), (await newest(at)).act)).toBe('revert')
    await edits.save(ann, { ...at, ...kiosk('com.example.new') }, true)
    const second = await waiting(at)
    expect(kids.map(appOf)).toEqual(kids.map(() => 'com.example.old'))
    await decide(tasks.approve, second)
    await expect.poll(async () => (await later(), kids.map(appOf))).toEqual(kids.map(() => 'com.example.new'))
  })

  it('that waits for a second person goes back where whoever made it may not any more', async () => {
    const kids = f.kids.slice(6, 8)
    const at = await place(kids)
    const ann = await orderer()
    await edits.save(ann, { ...at, ...kiosk('com.example.gone') }, true)
    const push = await waiting(at)
    await f.deps.db.updateTable('user_account').set({ status: 'invalid' }).where('kid', '=', ann.user.kid).execute()
    await decide(tasks.approve, push)
    await expect.poll(async () => (await later(), (await newest(at)).act)).toBe('revert')
    expect(kids.map(appOf)).not.toContain('com.example.gone')
  })
})
