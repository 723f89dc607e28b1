import { contract } from '@mdm/contract'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { newKid } from '../../../lib/ids.ts'
import { lockingDatabases } from '../../../testing/devices.ts'
import { fleet } from '../../../testing/fleet.ts'
import type { Fleet } from '../../../testing/fleet.ts'
import { pusher } from '../../../testing/push-tasks.ts'
import * as tasks from '../../push/push-task/index.ts'
import { getSetting, saveSetting } from './index.ts'

const { insert } = contract.pushTask.calls
const hour_ms = 3_600_000
const message = { type: 'message', payload: { title: 'Hi', text: 'there' } }

describe.each(lockingDatabases)('the limit from which a second person approves, %s', (kind) => {
  let f: Fleet
  let ann: ReturnType<typeof pusher>
  let bob: ReturnType<typeof pusher>
  beforeEach(async () => {
    f = await fleet(60, {}, kind)
    const person = (name: string) => ({ ...pusher(f.deps, f.account_kid), user: { kid: newKid(), name } })
    ann = person('Ann')
    bob = person('Bob')
    await saveSetting(ann, { approval_from: 10 })
  })
  afterEach(() => f.close())

  const push = (input: object, who = ann) => tasks.insert(who, insert.input.parse({ ...message, ...input }))
  const days = (n: number) => new Date(f.deps.clock.now().getTime() + n * 24 * hour_ms).toISOString()

  it('holds as before for a day for whoever loosens it, and for nobody else', async () => {
    const phase = async (count: number, who = ann) => (await push({ terminal_kids: f.kids.slice(0, count) }, who)).phase
    await saveSetting(ann, { approval_from: 40 })
    f.deps.clock.jump(hour_ms)
    // The strictest of all that were loosened counts, and each holds for a day more.
    await saveSetting(ann, { approval_from: null })
    const until = days(1)
    expect(await getSetting(ann)).toEqual({ approval_from: null, held: { approval_from: 10, until } })
    expect(await getSetting(bob)).toEqual({ approval_from: null, held: null })
    expect(await phase(10)).toBe('awaiting_approval')
    expect(await phase(9)).toBe('running')
    expect(await phase(60, bob)).toBe('running')
    const planned = await push({ match: {}, conditions: { start_at: days(2) } })
    expect(planned).toMatchObject({ phase: 'awaiting_approval' })
    // Neither who sets it back forgets it, nor somebody else who changes it.
    f.deps.clock.jump(hour_ms)
    await saveSetting(ann, { approval_from: 30 })
    expect(await phase(10)).toBe('awaiting_approval')
    await saveSetting(bob, { approval_from: 50 })
    f.deps.clock.jump(hour_ms)
    expect(await phase(10)).toBe('awaiting_approval')
    expect(await phase(29, bob)).toBe('running')
    f.deps.clock.jump(hour_ms)
    expect(await phase(30, bob)).toBe('awaiting_approval')
    // What is stricter than what was loosened holds for everybody.
    await saveSetting(bob, { approval_from: 5 })
    expect(await phase(5)).toBe('awaiting_approval')
    await saveSetting(bob, { approval_from: 50 })
    f.deps.clock.jump(22 * hour_ms)
    expect(await phase(49)).toBe('running')
    expect(await phase(5, bob)).toBe('awaiting_approval')
  })

  it('holds for 20 pushes and loosenings at once as for one after the other', async () => {
    const all = Array.from({ length: 20 }, (_, n) =>
      n % 2 === 0
        ? push({ terminal_kids: f.kids.slice(0, 10) }).then(({ phase }) => phase)
        : saveSetting(ann, { approval_from: 10 + n }),
    )
    const done = await Promise.all(all)
    expect(new Set(done.filter((phase) => phase !== undefined))).toEqual(new Set(['awaiting_approval']))
    expect(await getSetting(ann)).toMatchObject({ held: { approval_from: 10 } })
  })
})
