import fc from 'fast-check'
import { isFinal } from '@mdm/contract'
import type { ReportedState } from '@mdm/device-link'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { newKid } from '../../../lib/ids.ts'
import { fleet, hello } from '../../../testing/fleet.ts'
import type { Fleet } from '../../../testing/fleet.ts'
import { databases } from '../../../testing/devices.ts'
import { pusher } from '../../../testing/push-tasks.ts'
import * as tasks from './index.ts'

/** A device as docs/device-link/working.md has it, acted out step by step: what it was sent and what it said may wait on the way. */
function actedOut(f: Fleet, kid: string) {
  type Held = { state: ReportedState; version: number; reports: number; executed: boolean }
  const held = new Map<string, Held>()
  const said: object[] = []
  let heard = 0
  let is_online = false
  const say = (task_kid: string, task: Held, state: ReportedState) => {
    task.state = state
    said.push({ task_kid, attempt: 1, state, expected_version: task.version + task.reports++ })
  }
  const hear = (topic: string, { task_kid, version = 0 }: { task_kid: string; version?: number }) => {
    const known = held.get(task_kid)
    if (known && topic.endsWith('/task')) {
      const counted = Math.max(version, known.version + known.reports)
      return say(task_kid, Object.assign(known, { version: counted, reports: 0 }), known.state)
    }
    if (known) return isFinal(known.state) ? say(task_kid, known, known.state) : say(task_kid, known, 'canceled')
    const fresh: Held = { state: 'receipt', version, reports: 0, executed: false }
    held.set(task_kid, fresh)
    say(task_kid, fresh, topic.endsWith('/task') ? 'receipt' : 'canceled')
  }
  const inbox = () => f.edge.sent.filter((one) => one.kid === kid)
  return {
    held,
    async connect() {
      is_online = true
      // Clean session: what was on the way is gone.
      heard = inbox().length
      const epoch = newKid()
      f.edge.callbacks.connected({ kid, epoch, address: '10.0.0.1', transport: 'mqtt' })
      const tasks = [...held].map(([task_kid, { state }]) => ({ task_kid, attempt: 1, state }))
      await f.say(kid, 'hello', hello(f.deps, { epoch, tasks }))
    },
    /** The next of what was sent arrives. */
    deliver(): boolean {
      const next = is_online ? inbox()[heard] : undefined
      if (!next) return false
      heard += 1
      if (/\/(task|cancel)$/.test(next.topic)) hear(next.topic, next.payload)
      return true
    },
    /** It takes its next step, whether anybody hears of it or not. */
    work() {
      for (const [task_kid, task] of held) {
        if (isFinal(task.state)) continue
        task.executed ||= task.state === 'receipt'
        say(task_kid, task, task.state === 'receipt' ? 'executing' : 'completed')
      }
    },
    async report(): Promise<boolean> {
      const next = is_online ? said.shift() : undefined
      if (next) await f.say(kid, 'task', next as Record<string, unknown>)
      return next !== undefined
    },
  }
}

describe.each(databases)('the two ends of a task, %s', (kind) => {
  let f: Fleet
  beforeAll(async () => void (f = await fleet(4, {}, kind)))
  afterAll(() => f.close())
  beforeEach(async () => {
    await f.deps.db.deleteFrom('push_task').execute()
    f.edge.sent.length = 0
  })
  const push = (kid: string) =>
    tasks.insert(pusher(f.deps, f.account_kid), {
      terminal_kids: [kid],
      description: '',
      type: 'message',
      payload: { title: 'Hi', text: 'there' },
    })
  const cancel = (push_task_kid: string) =>
    tasks.cancel(pusher(f.deps, f.account_kid), { push_task_kid }).catch(() => undefined)
  const row = (push_task_kid: string) =>
    f.deps.db
      .selectFrom('push_task_terminal')
      .selectAll()
      .where('push_task_kid', '=', push_task_kid)
      .executeTakeFirstOrThrow()
  const events = async (push_task_kid: string, terminal_kid: string) =>
    (await tasks.listActivity(pusher(f.deps, f.account_kid), { push_task_kid, terminal_kid })).map(({ event, code }) =>
      event === 'reported_after_end' ? `after the end: ${code}` : event,
    )
  const sent = (kid: string, name: string) => f.edge.sent.filter((s) => s.kid === kid && s.topic.endsWith(`/${name}`))
  const settle = () => f.deps.clock.advance(1_000)

  it('have the same end, in whatever order it is delivered, canceled, done and reported', async () => {
    const step = fc.constantFrom('connect', 'deliver', 'work', 'report', 'cancel', 'send')
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const kid = f.kids[0]!
        await f.deps.db
          .updateTable('terminal_state')
          .set({ is_online: false })
          .where('terminal_kid', '=', kid)
          .execute()
        const device = actedOut(f, kid)
        const { kid: task } = await push(kid)
        for (const each of steps) {
          if (each === 'send') await settle()
          else if (each === 'cancel') await cancel(task)
          else await device[each]()
          // Whatever is shown as canceled, the device has not begun and will not begin.
          if ((await row(task)).state === 'canceled')
            expect(device.held.get(task)?.state ?? 'canceled').toBe('canceled')
        }
        await device.connect()
        for (let quiet = 0; quiet < 2;) {
          await f.deps.clock.advance(6_000)
          const is_moving = device.deliver() || (await device.report())
          if (!is_moving) device.work()
          quiet = is_moving ? 0 : quiet + 1
        }
        const here = await row(task)
        expect(here.state).toBe(device.held.get(task)?.state ?? 'canceled')
        expect(here).toMatchObject({ send_at: null, cancel_asked_at: null })
        if (here.state === 'canceled' && !device.held.get(task)?.executed)
          expect(await events(task, kid)).not.toContain('execute_start')
        await f.deps.db.deleteFrom('push_task').execute()
      }),
      { numRuns: 25, examples: [[['connect', 'deliver', 'work']]] },
    )
  })

  it('a task that was sent is canceled by the device’s answer, not before it', async () => {
    const kid = f.kids[1]!
    await f.connect(kid)
    const { kid: task } = await push(kid)
    await settle()
    expect(sent(kid, 'task')).toHaveLength(1)
    expect(await cancel(task)).toEqual({ canceled: 0, asked: 1, rest: 0 })
    await settle()
    expect(sent(kid, 'cancel').map(({ payload }) => payload)).toEqual([{ task_kid: task, attempt: 1 }])
    expect(await row(task)).toMatchObject({ state: 'wait_receipt' })
    await f.say(kid, 'task', { task_kid: task, attempt: 1, state: 'completed' })
    expect(await row(task)).toMatchObject({ state: 'completed' })
  })

  it('a deadline asks a device that is there to stop; what it answers is how it ended', async () => {
    const [a, b] = [f.kids[2]!, f.kids[3]!]
    for (const kid of [a, b]) await f.connect(kid)
    const [one, two] = [(await push(a)).kid, (await push(b)).kid]
    await settle()
    for (const [kid, task_kid] of [
      [a, one],
      [b, two],
    ] as const)
      await f.say(kid, 'task', { task_kid, attempt: 1, state: 'executing' })
    await f.deps.clock.advance(7_201_000, 60_000)
    expect(await tasks.failOverdue(f.deps)).toBe(0)
    await settle()
    expect(sent(a, 'cancel')).not.toEqual([])
    expect(await row(one)).toMatchObject({ state: 'executing', is_overdue: true })
    await f.say(a, 'task', { task_kid: one, attempt: 1, state: 'canceled' })
    expect(await row(one)).toMatchObject({ state: 'failed', code: 'deadline', is_overdue: false })
    await f.deps.clock.advance(121_000)
    expect(await tasks.failOverdue(f.deps)).toBe(1)
    expect(await row(two)).toMatchObject({ state: 'failed', code: 'deadline', cancel_asked_at: null })

    // It goes on although it was given up here: that is seen, once, and it is told again.
    f.edge.sent.length = 0
    for (let n = 0; n < 2; n += 1) await f.say(b, 'task', { task_kid: two, attempt: 1, state: 'downloading' })
    expect(sent(b, 'cancel')).toHaveLength(1)
    await f.say(b, 'task', { task_kid: two, attempt: 1, state: 'completed' })
    expect(await row(two)).toMatchObject({ state: 'failed', code: 'deadline' })
    expect(await events(two, b)).toEqual([
      'created',
      'execute_start',
      'failed',
      'after the end: downloading',
      'after the end: completed',
    ])
  })

  it('what a device says again after the end is nothing new', async () => {
    const kid = f.kids[1]!
    const { kid: task } = await push(kid)
    const states = ['receipt', 'executing', 'completed'] as const
    for (const state of states) await f.say(kid, 'task', { task_kid: task, attempt: 1, state })
    f.edge.sent.length = 0
    for (const state of states) await f.say(kid, 'task', { task_kid: task, attempt: 1, state })
    expect(await events(task, kid)).toEqual(['created', 'received', 'execute_start', 'finished'])
    expect(sent(kid, 'cancel')).toEqual([])
  })
})
