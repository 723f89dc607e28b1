import { contract, pushDifferenceText } from '@mdm/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { actorOf } from '../../../../actor.ts'
import { backgroundAtRest } from '../../../../lib/background.ts'
import { unseal } from '../../../../lib/sealed.ts'
import { addApp } from '../../../../testing/apps.ts'
import { addUser, lockingDatabases, refusalOf } from '../../../../testing/devices.ts'
import { fleet } from '../../../../testing/fleet.ts'
import type { Fleet } from '../../../../testing/fleet.ts'
import { insertFile } from '../../../../testing/push-tasks.ts'
import { saveSetting } from '../../../people/brakes/index.ts'
import * as tasks from '../index.ts'

const calls = contract.pushTask.calls
const hour_ms = 3_600_000
const message = { type: 'message', payload: { title: 'Hi', text: 'there' } }
const english = { language: 'en', zone: 'UTC' } as const

describe.each(lockingDatabases)('a push that has not begun, %s', (kind) => {
  let f: Fleet
  let ann: Awaited<ReturnType<typeof person>>
  let bob: Awaited<ReturnType<typeof person>>
  const person = async (name: string, group_kids?: string[]) => {
    const user_kid = await addUser(f.deps, f.account_kid, group_kids, ['*'])
    const actor = actorOf(f.deps, { account_kid: f.account_kid, group_kids, user_kid, name, token_kid: null })
    return { ...actor, may: () => true }
  }
  beforeAll(async () => {
    f = await fleet(12, {}, kind)
    ann = await person('Ann')
    bob = await person('Bob')
  })
  afterAll(() => f.close())

  const hours = (n: number) => new Date(f.deps.clock.now().getTime() + n * hour_ms).toISOString()
  const plan = (more: object = {}, who = ann) => {
    const conditions = { start_at: hours(24) }
    return tasks.insert(who, calls.insert.input.parse({ ...message, match: {}, conditions, ...more }))
  }
  const change = (push_task_kid: string, version: number, more: object = {}, who = ann) => {
    const conditions = { start_at: hours(24) }
    const said = { push_task_kid, version, ...message, match: {}, conditions, ...more }
    return tasks.update(who, calls.update.input.parse(said))
  }
  const move = (push_task_kid: string, version: number, start_at: string | null, who = ann) =>
    tasks.move(who, { push_task_kid, version, start_at })
  /** What an attempt is refused as; undefined where it is not. */
  const outcome = async (attempt: Promise<unknown>) =>
    attempt.then(
      () => undefined,
      (error: unknown) => refusalOf(Promise.reject(error as Error)),
    )
  const settled = async (kid: string, wanted: object) => {
    tasks.wakePushes(f.deps)
    await backgroundAtRest(f.deps)
    await expect.poll(() => tasks.get(ann, kid)).toMatchObject(wanted)
  }

  it('is moved, and begins at its new time and not at the old one', async () => {
    const { kid, version } = await plan({ conditions: { start_at: hours(24), network: 'wifi' } })
    const later = hours(48)
    const { row, difference } = await move(kid, version, later)
    expect(row).toMatchObject({ phase: 'planned', start_at: later, version: version + 1, target_count: 12 })
    expect(pushDifferenceText(difference, english)).toMatch(/^start: \S+ \S+ → \S+ \S+$/)
    expect((await tasks.detail(ann, kid)).conditions).toMatchObject({ start_at: later, network: 'wifi' })
    f.deps.clock.jump(25 * hour_ms)
    await settled(kid, { phase: 'planned' })
    f.deps.clock.jump(24 * hour_ms)
    await settled(kid, { phase: 'running', counts: { total: 12 } })
  })

  it('starts now, and is refused whatever comes after', async () => {
    const { kid, version } = await plan()
    const { row } = await move(kid, version, null)
    expect(row).toMatchObject({ phase: 'running', start_at: null, counts: { total: 12 } })
    expect(await refusalOf(move(kid, version, null))).toBe('task_begun')
    expect(await refusalOf(change(kid, version + 1))).toBe('task_begun')
    expect(await refusalOf(tasks.planned(ann, kid))).toBe('task_begun')
  })

  it('keeps the times of a push: not too far, not behind, not after its deadline', async () => {
    const { kid, version } = await plan({ conditions: { start_at: hours(24), deadline_at: hours(72) } })
    const fault = (start_at: string) =>
      move(kid, version, start_at).then(
        () => 'moved',
        (error: { fields?: Record<string, { name: string }> }) => error.fields?.['start_at']?.name,
      )
    expect(await fault(hours(73))).toBe('deadline_before_start')
    expect(await fault(hours(-2))).toBe('time_passed')
    expect(await fault(hours(24 * 31))).toBe('deadline_before_start')
    expect(await tasks.get(ann, kid)).toMatchObject({ version })
  })

  it('is changed once, not twice from what was read once', async () => {
    const { kid, version } = await plan()
    const outcomes = await Promise.all([
      outcome(move(kid, version, hours(30))),
      outcome(change(kid, version, { description: 'Mine' }, bob)),
    ])
    expect(outcomes.filter((name) => name === 'task_changed')).toHaveLength(1)
    expect(await tasks.get(ann, kid)).toMatchObject({ version: version + 1 })
  })

  it('either begins or is moved when both come at once', async () => {
    for (let n = 0; n < 4; n += 1) {
      const { kid, version } = await plan({ conditions: { start_at: hours(1) } })
      f.deps.clock.jump(hour_ms + 1)
      tasks.wakePushes(f.deps)
      const refused = await outcome(move(kid, version, hours(5)))
      await backgroundAtRest(f.deps)
      const { phase, counts } = await tasks.get(ann, kid)
      expect([refused, phase, counts.total]).toEqual(
        refused === undefined ? [undefined, 'planned', 0] : ['task_begun', 'running', 12],
      )
    }
  })

  it('gets another content and other devices, which are frozen anew, as the same push', async () => {
    const app = (version_name: string, version_code: number) =>
      addApp(f.deps, { account_kid: f.account_kid, package: `com.acme.v${version_code}`, version_name, version_code })
    const [first, second] = [await app('1.0', 1), await app('2.0', 2)]
    const work = (app_kid: string) => ({ type: 'app_install', payload: { apps: [{ app_kid }] } })
    const { kid, version } = await plan(work(first))
    const { row, difference } = await change(kid, version, {
      ...work(second),
      match: undefined,
      terminal_kids: f.kids.slice(0, 2),
      description: 'Only two',
    })
    expect(row).toMatchObject({ kid, phase: 'planned', target_count: 2, summary: expect.stringContaining('2.0') })
    const said = pushDifferenceText(difference, english)
    expect(said).toContain('for: 12 devices (all devices) → 2 devices')
    expect(said).toMatch(/^what: .*1\.0.* → .*2\.0/)
    expect(said).toContain('changed: description')
    const apps = await f.deps.db
      .selectFrom('push_task_app')
      .select('app_kid')
      .where('push_task_kid', '=', kid)
      .execute()
    expect(apps).toEqual([{ app_kid: second }])
    const filled = await tasks.planned(ann, kid)
    expect(filled).toMatchObject({ match: null, offline_days: null, description: 'Only two' })
    expect(filled.devices.map((device) => device.kid).toSorted()).toEqual(f.kids.slice(0, 2).toSorted())
    expect(await refusalOf(change(kid, version + 1, message))).toBe('bad_input')
    await move(kid, version + 1, null)
    await settled(kid, { phase: 'running', counts: { total: 2 } })
  })

  it('counts a pushed file where it is, not where it was', async () => {
    const [one, other] = [await insertFile(f.deps, f.account_kid, 'a'), await insertFile(f.deps, f.account_kid, 'b')]
    const work = (file: { kid: string }) => ({ type: 'file', payload: { file_kids: [file.kid], path: '/a' } })
    const { kid, version } = await plan(work(one))
    await change(kid, version, work(other))
    const rows = await f.deps.db
      .selectFrom('file_cloud')
      .select('push_count')
      .where('kid', 'in', [one.kid, other.kid])
      .orderBy('name')
      .execute()
    expect(rows.map(({ push_count }) => push_count)).toEqual([0, 1])
  })

  it('keeps a password that is not said again', async () => {
    const lock = { type: 'lock', payload: { password: '4711' } }
    const { kid, version } = await plan(lock)
    expect(await tasks.planned(ann, kid)).toMatchObject({ has_secret: true, payload: {} })
    await change(kid, version, { type: 'lock', payload: {} })
    const stored = async () =>
      (await f.deps.db.selectFrom('push_task').select('payload').where('kid', '=', kid).executeTakeFirstOrThrow())
        .payload['password_sealed'] as string
    expect(await unseal(f.deps, await stored())).toBe('4711')
    await change(kid, version + 1, { type: 'lock', payload: { password: '0815' } })
    expect(await unseal(f.deps, await stored())).toBe('0815')
  })

  it('is approved again after a change, by somebody else than whoever changed it', async () => {
    await saveSetting(ann, { approval_from: 5 })
    const { kid, version } = await plan()
    await tasks.approve(bob, { push_task_kid: kid, remark: 'Fine' })
    expect(await tasks.planned(ann, kid)).toMatchObject({ phase: 'planned', is_approved: true })
    // Of so few devices nobody would have been asked.
    const { row } = await change(kid, version, { match: undefined, terminal_kids: f.kids.slice(0, 2) }, bob)
    expect(row).toMatchObject({ phase: 'awaiting_approval', created_by: 'Bob', is_own: true })
    expect(await tasks.detail(ann, kid)).toMatchObject({ decided_by: null, remark: '' })
    expect(await refusalOf(tasks.approve(bob, { push_task_kid: kid, remark: '' }))).toBe('task_own_approval')
    // Nor does another change take it out of the hands of a second person.
    const moved = await move(kid, version + 1, null, bob)
    expect(moved.row).toMatchObject({ phase: 'awaiting_approval' })
    await tasks.approve(ann, { push_task_kid: kid, remark: '' })
    await settled(kid, { phase: 'running' })
  })

  it('of others is out of reach of who is limited to groups', async () => {
    const { kid, version } = await plan()
    const cleo = await person('Cleo', [])
    expect(await refusalOf(move(kid, version, null, cleo))).toBe('not_found')
    expect(await refusalOf(change(kid, version, {}, cleo))).toBe('not_found')
    expect(await refusalOf(tasks.planned(cleo, kid))).toBe('not_found')
    await f.deps.db.updateTable('push_task').set({ requirement_kid: kid }).where('kid', '=', kid).execute()
    expect(await refusalOf(move(kid, version, null))).toBe('task_made_elsewhere')
  })
})
