import { constants, contract } from '@mdm/contract'
import type { PushableType, PushPhase, PushTaskRow } from '@mdm/contract'
import type { ReportedState } from '@mdm/device-link'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { actorOf } from '../../../../actor.ts'
import { backgroundAtRest } from '../../../../lib/background.ts'
import { newKid } from '../../../../lib/ids.ts'
import { addUser, databases, refusalOf } from '../../../../testing/devices.ts'
import { fleet } from '../../../../testing/fleet.ts'
import { saveSetting } from '../../../people/brakes/index.ts'
import * as tasks from '../index.ts'

const { insert } = contract.pushTask.calls
const hour_ms = 3_600_000
const message = { type: 'message', payload: { title: 'Hi', text: 'there' } }

describe.each(databases)('phases of pushes, %s', (kind) => {
  let f: Awaited<ReturnType<typeof fleet>>
  let ann: Pusher
  let bob: Pusher
  type Pusher = Awaited<ReturnType<typeof person>>
  const person = async (name: string, group_kids?: string[]) => {
    const user_kid = await addUser(f.deps, f.account_kid, group_kids, ['*'])
    const actor = actorOf(f.deps, { account_kid: f.account_kid, group_kids, user_kid, name, token_kid: null })
    return { ...actor, may: () => true }
  }
  beforeEach(async () => {
    f = await fleet(60, {}, kind)
    ann = await person('Ann')
    bob = await person('Bob')
  })
  afterEach(() => f.close())

  const push = (input: object, who = ann) => tasks.insert(who, insert.input.parse({ ...message, ...input }))
  const settled = async (kid: string, wanted: Partial<PushTaskRow> | object, who = ann) => {
    await quiet()
    await expect.poll(() => tasks.get(who, kid)).toMatchObject(wanted)
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
  const ofStep = async (kid: string, step: number) => (await rows(kid)).filter((row) => row.step === step)
  const report = (terminal_kid: string, task_kid: string, state: ReportedState, code?: string) =>
    f.say(terminal_kid, 'task', { task_kid, attempt: 1, state, code })
  /** A push of somebody else of the account, just now. */
  const lately = (type: PushableType, set: { phase: PushPhase; start_at: Date; target_count: number }) =>
    f.deps.db
      .insertInto('push_task')
      .values({
        kid: newKid(),
        account_kid: f.account_kid,
        type,
        payload: '{}',
        description: '',
        summary: '',
        created_by_kid: newKid(),
        created_by: 'Someone',
        created_at: f.deps.clock.now(),
        total: 0,
        wait_receipt: 0,
        ...set,
      })
      .execute()
  const days = (n: number) => new Date(f.deps.clock.now().getTime() + n * 24 * hour_ms).toISOString()

  describe('a rollout', () => {
    const steps = { steps: [{ percent: 10 }, { percent: 50 }], success_percent: 80, error_percent: 20 }

    it('fills its steps at random, picked devices first, and goes on when enough of a step have succeeded', async () => {
      const picked = f.kids.slice(40, 43)
      const { kid } = await push({ match: {}, rollout: { ...steps, picked_kids: picked } })
      await settled(kid, { phase: 'running', step: 1, steps: 4, target_count: 60, counts: { total: 60 } })
      expect((await ofStep(kid, 1)).map(({ terminal_kid }) => terminal_kid)).toEqual(picked)
      const plan = async () => (await tasks.detail(ann, kid)).plan.map(({ state, counts }) => [state, counts.total])
      await quiet()
      expect(await plan()).toEqual([
        ['open', 3],
        ['waits', 3],
        ['waits', 24],
        ['waits', 30],
      ])
      const sendable = async () => (await rows(kid)).filter(({ send_at }) => send_at !== null).length
      expect(await sendable()).toBe(3)
      for (const terminal_kid of picked.slice(0, 2)) await report(terminal_kid, kid, 'completed')
      await quiet()
      // 2 of 3 are 67 %.
      expect(await tasks.get(ann, kid)).toMatchObject({ step: 1 })
      await report(picked[2]!, kid, 'completed')
      await settled(kid, { step: 2, phase: 'running' })
      await quiet()
      expect(await sendable()).toBe(3)
      for (const { terminal_kid } of await ofStep(kid, 2)) await report(terminal_kid, kid, 'completed')
      await settled(kid, { step: 3 })
      for (const { terminal_kid } of await ofStep(kid, 3)) await report(terminal_kid, kid, 'completed')
      await settled(kid, { step: 4 })
      for (const { terminal_kid } of await ofStep(kid, 4)) await report(terminal_kid, kid, 'completed')
      await settled(kid, { phase: 'ended', effect: 3, result: 'all_succeeded' })
    })

    it('pauses at its error threshold and nowhere else; who resumes it waives that for the step', async () => {
      const { kid } = await push({ match: {}, rollout: { ...steps, steps: [{ count: 10 }] } })
      await settled(kid, { step: 1, phase: 'running' })
      await quiet()
      const first = await ofStep(kid, 1)
      await report(first[0]!.terminal_kid, kid, 'failed', 'internal')
      await quiet()
      expect(await tasks.get(ann, kid)).toMatchObject({ phase: 'running' })
      await report(first[1]!.terminal_kid, kid, 'failed', 'internal')
      await settled(kid, { phase: 'paused', paused_because: 'errors', step: 1 })
      await quiet()
      // Nothing of the step was sent, because no device was connected: nothing is sent while it is paused.
      expect((await rows(kid)).filter(({ send_at }) => send_at !== null)).toEqual([])
      expect(await refusalOf(tasks.pause(ann, { push_task_kid: kid }))).toBe('task_phase_wrong')
      await tasks.resume(bob, { push_task_kid: kid })
      await settled(kid, { phase: 'running', paused_because: null })
      await quiet()
      expect((await rows(kid)).filter(({ send_at }) => send_at !== null)).toHaveLength(8)
      for (const { terminal_kid } of first.slice(2)) await report(terminal_kid, kid, 'failed', 'internal')
      await settled(kid, { phase: 'running', step: 2 })
    })

    it('pauses when too few of a step succeeded; devices that left or were canceled do not count', async () => {
      const { kid } = await push({
        match: {},
        rollout: { steps: [{ count: 4 }], success_percent: 100, error_percent: 100 },
      })
      await settled(kid, { step: 1 })
      await quiet()
      const [first, second, third, fourth] = (await ofStep(kid, 1)).map(({ terminal_kid }) => terminal_kid)
      await tasks.cancel(ann, { push_task_kid: kid, terminal_kid: first! })
      await report(second!, kid, 'completed')
      await report(third!, kid, 'completed')
      await report(fourth!, kid, 'failed', 'internal')
      await settled(kid, { phase: 'paused', paused_because: 'too_few_succeeded' })
      await tasks.retry(ann, { push_task_kid: kid, terminal_kid: fourth! })
      const again = async () => (await rows(kid)).find(({ terminal_kid }) => terminal_kid === fourth)
      await expect.poll(again).toMatchObject({ send_at: null })
      await tasks.resume(ann, { push_task_kid: kid })
      await f.say(fourth!, 'task', { task_kid: kid, attempt: 2, state: 'completed' })
      await settled(kid, { phase: 'running', step: 2 })
    })

    it('ends when it is canceled: steps that have not begun never begin', async () => {
      const { kid } = await push({ match: {}, rollout: steps })
      await settled(kid, { step: 1 })
      await quiet()
      expect(await tasks.cancel(ann, { push_task_kid: kid })).toEqual({ canceled: 60, asked: 0, rest: 0 })
      await settled(kid, { phase: 'canceled', effect: 0, counts: { canceled: 60 } })
      expect(await refusalOf(tasks.resume(ann, { push_task_kid: kid }))).toBe('task_phase_wrong')
      // A retry takes it up again, for everybody.
      expect(await tasks.retry(ann, { push_task_kid: kid })).toMatchObject({ retried: 60 })
      await settled(kid, { phase: 'running', effect: null })
    })

    it('that is tried again sends no step that has not begun, nor more than the current one', async () => {
      const { kid } = await push({
        match: {},
        rollout: { steps: [{ count: 5 }, { count: 5 }], success_percent: 100, error_percent: 50 },
      })
      await settled(kid, { step: 1 })
      await quiet()
      const sendable = async () => (await rows(kid)).filter(({ send_at }) => send_at !== null).map(({ step }) => step)
      // One device of the last step, by whoever may cancel and retry but has nothing to do with steps.
      const [held] = await ofStep(kid, 3)
      await tasks.cancel(ann, { push_task_kid: kid, terminal_kid: held!.terminal_kid })
      await tasks.retry(ann, { push_task_kid: kid, terminal_kid: held!.terminal_kid })
      await quiet()
      expect(await sendable()).toEqual([1, 1, 1, 1, 1])
      // All of a push that was stopped.
      await tasks.cancel(ann, { push_task_kid: kid })
      await tasks.retry(ann, { push_task_kid: kid })
      await settled(kid, { phase: 'running', step: 1, counts: { wait_receipt: 60 } })
      await quiet()
      expect(await sendable()).toEqual([1, 1, 1, 1, 1])
      expect((await rows(kid)).filter(({ step, deadline_at }) => step !== 1 && deadline_at !== null)).toEqual([])
      const attempts = new Map((await rows(kid)).map(({ terminal_kid, attempt }) => [terminal_kid, attempt]))
      for (const { terminal_kid } of await ofStep(kid, 1))
        await f.say(terminal_kid, 'task', {
          task_kid: kid,
          attempt: attempts.get(terminal_kid)!,
          state: 'failed',
          code: 'internal',
        })
      await settled(kid, { phase: 'paused', paused_because: 'errors', step: 1 })
      await quiet()
      expect(await sendable()).toEqual([])
    })

    it('that is tried again after its deadline goes on step by step, with time to do it', async () => {
      const { kid } = await push({
        match: {},
        conditions: { deadline_at: days(1) },
        rollout: { steps: [{ count: 5 }], success_percent: 100, error_percent: 50 },
      })
      await settled(kid, { step: 1 })
      await quiet()
      f.deps.clock.jump(25 * hour_ms)
      await tasks.failOverdue(f.deps)
      await settled(kid, { phase: 'ended', counts: { failed: 60 } })
      await tasks.retry(ann, { push_task_kid: kid })
      await settled(kid, { phase: 'running', counts: { wait_receipt: 60 } })
      await quiet()
      const now = f.deps.clock.now()
      const open = (await rows(kid)).filter(({ send_at }) => send_at !== null)
      expect(open.map(({ step }) => step)).toEqual([1, 1, 1, 1, 1])
      expect(open.every(({ deadline_at }) => deadline_at! > now)).toBe(true)
      expect((await tasks.get(ann, kid)).counts).toMatchObject({ wait_receipt: 60, failed: 0 })
    })

    it('is stopped by the next server when the one that was asked died in between', async () => {
      const { kid } = await push({ match: {}, rollout: { ...steps, steps: [{ count: 5 }] } })
      await settled(kid, { step: 1 })
      await quiet()
      const [first] = await ofStep(kid, 1)
      await report(first!.terminal_kid, kid, 'executing')
      await quiet()
      // All that a call does in its first transaction.
      expect(await tasks.cancelPhase(bob, kid)).toBe(true)
      expect(await tasks.get(ann, kid)).toMatchObject({ phase: 'canceled', is_stopping: true })
      expect(await refusalOf(tasks.retry(ann, { push_task_kid: kid }))).toBe('task_running')
      await settled(kid, { is_stopping: false, counts: { canceled: 59, running: 1 } })
      const asked = (await rows(kid)).filter(({ cancel_asked_at }) => cancel_asked_at !== null)
      expect(asked.map(({ terminal_kid }) => terminal_kid)).toEqual([first!.terminal_kid])
      const other = (await ofStep(kid, 2))[0]!.terminal_kid
      const events = await tasks.listActivity(ann, { push_task_kid: kid, terminal_kid: other })
      expect(events.at(-1)).toMatchObject({ event: 'cancelled', by: 'Bob' })
      expect(await tasks.detail(ann, kid)).toMatchObject({ canceled_by: 'Bob' })
      // One that is tried again takes the push up, though the device that was asked has not answered.
      expect(await tasks.retry(ann, { push_task_kid: kid, terminal_kid: other })).toMatchObject({ retried: 1 })
      expect(await tasks.get(ann, kid)).toMatchObject({ phase: 'running', counts: { canceled: 58 } })
    })

    it('that takes in later devices keeps to the hour, and asks for the password and the second person at once', async () => {
      let asked = 0
      const assertConfirmed = async () => void (asked += 1)
      const eve = { ...(await person('Eve')), braking: { is_asked: false, undo: [], assertConfirmed } }
      await f.deps.db.updateTable('terminal').set({ model: 'New' }).where('kid', '=', f.kids[0]!).execute()
      const later = {
        match: { model: ['New'] },
        conditions: { deadline_at: days(2) },
        rollout: { steps: [{ count: 5 }], success_percent: 0, error_percent: 100, takes_later: true },
      }
      const { kid } = await push({ ...later, type: 'factory_reset', payload: {} }, eve)
      expect(asked).toBe(1)
      const counted = await f.deps.db.selectFrom('destruction').select('devices').execute()
      expect(counted).toEqual([{ devices: constants.password_from_devices }])
      f.deps.clock.jump(2 * constants.scrap_delay_seconds * 1000)
      await settled(kid, { phase: 'running', target_count: 1 })
      const already = {
        phase: 'planned',
        start_at: new Date(days(1)),
        target_count: constants.factory_reset_per_hour - 3,
      } as const
      await lately('factory_reset', already)
      await f.deps.db.updateTable('terminal').set({ model: 'New' }).where('kid', 'in', f.kids).execute()
      await expect.poll(() => tasks.takeLater(f.deps)).toBe(2)
      expect(await tasks.takeLater(f.deps)).toBe(0)
      await saveSetting(ann, { approval_from: 1_000 })
      expect(await push(later)).toMatchObject({ phase: 'awaiting_approval' })
    })

    it('takes in devices that match later until its deadline, and then ends', async () => {
      const gone = f.kids.slice(30)
      await f.deps.db.updateTable('terminal').set({ model: 'Old' }).where('kid', 'in', gone).execute()
      await f.deps.db.updateTable('terminal').set({ model: 'New' }).where('kid', 'not in', gone).execute()
      const { kid } = await push({
        match: { model: ['New'] },
        conditions: { deadline_at: days(2) },
        rollout: { steps: [{ count: 5 }], success_percent: 0, error_percent: 100, takes_later: true },
      })
      await settled(kid, { target_count: 30, step: 1 })
      await f.deps.db.updateTable('terminal').set({ model: 'New' }).where('kid', 'in', gone.slice(0, 7)).execute()
      // A push that is worked on is passed over, and looked at the next time.
      await expect.poll(() => tasks.takeLater(f.deps)).toBe(7)
      expect(await tasks.takeLater(f.deps)).toBe(0)
      await quiet()
      for (const { terminal_kid } of await rows(kid)) await report(terminal_kid, kid, 'completed')
      await quiet()
      expect(await tasks.get(ann, kid)).toMatchObject({ phase: 'running', counts: { total: 37, completed: 37 } })
      f.deps.clock.jump(49 * hour_ms)
      await settled(kid, { phase: 'ended', effect: 3 })
    })
  })

  it('what has not begun by the deadline fails; what has may go on', async () => {
    const { kid } = await push({
      match: {},
      conditions: { deadline_at: days(1) },
      rollout: { steps: [{ count: 5 }], success_percent: 100, error_percent: 100 },
    })
    await settled(kid, { step: 1 })
    await quiet()
    const [first] = await ofStep(kid, 1)
    await report(first!.terminal_kid, kid, 'executing')
    f.deps.clock.jump(25 * hour_ms)
    await settled(kid, { counts: { failed: 55 } })
    const late = (await rows(kid)).filter(({ state }) => state === 'failed')
    expect(new Set(late.map(({ code }) => code))).toEqual(new Set(['deadline']))
    expect(await tasks.get(ann, kid)).toMatchObject({ phase: 'running' })
  })

  it('a push with conditions may wait for them as long as it may begin; one without has the usual limits', async () => {
    const deadline_at = days(20)
    const conditions = { network: 'wifi', window: { from: '22:00', to: '05:00' }, deadline_at }
    const { kid } = await push({ terminal_kids: f.kids.slice(0, 1), conditions })
    const plain = await push({ terminal_kids: f.kids.slice(1, 2) })
    await report(f.kids[0]!, kid, 'wait_download')
    await report(f.kids[1]!, plain.kid, 'wait_download')
    const until = async (task: string) => (await rows(task))[0]!.deadline_at!.getTime()
    expect((await until(kid)) - new Date(deadline_at).getTime()).toBe(hour_ms)
    expect(await until(plain.kid)).toBe(f.deps.clock.now().getTime() + 24 * hour_ms)
    await f.connect(f.kids[2]!)
    const third = await push({ terminal_kids: [f.kids[2]!], conditions })
    await expect
      .poll(() => f.edge.sent.find(({ payload }) => payload.task_kid === third.kid)?.payload)
      .toMatchObject({
        expires_at: deadline_at,
        network: 'wifi',
        window: { from: '22:00', to: '05:00' },
      })
    expect(f.edge.sent.find(({ payload }) => payload.task_kid === third.kid)?.payload).not.toHaveProperty(
      'install_prompt',
    )
  })

  it('what a device waits for is shown until its next step', async () => {
    const { kid } = await push({ terminal_kids: f.kids.slice(0, 1) })
    const waits = { for: 'install_prompt', until: days(1), put_off: 1, put_off_max: 3 }
    await f.say(f.kids[0]!, 'task', { task_kid: kid, attempt: 1, state: 'wait_execute', waits })
    const shown = async () => (await tasks.pagingTerminal(ann, { push_task_kid: kid, page: 1, page_size: 1 })).items[0]
    expect(await shown()).toMatchObject({ state: 'wait_execute', waits })
    await f.say(f.kids[0]!, 'task', { task_kid: kid, attempt: 1, state: 'executing' })
    expect(await shown()).toMatchObject({ state: 'executing', waits: null })
  })

  describe('approval', () => {
    beforeEach(() => saveSetting(ann, { approval_from: 10 }))

    it('is asked for from so many devices on, within an hour and a person, however they are split', async () => {
      const nine = await push({ terminal_kids: f.kids.slice(0, 9) })
      expect(nine).toMatchObject({ phase: 'running' })
      expect(await push({ terminal_kids: f.kids.slice(9, 10) })).toMatchObject({
        phase: 'awaiting_approval',
        target_count: 1,
      })
      expect(await push({ terminal_kids: f.kids.slice(9, 18) }, bob)).toMatchObject({ phase: 'running' })
      f.deps.clock.jump(hour_ms + 1)
      expect(await push({ terminal_kids: f.kids.slice(9, 10) })).toMatchObject({ phase: 'running' })
    })

    it('comes from a second person; nothing is sent before it', async () => {
      const { kid } = await push({ match: {} })
      await settled(kid, { phase: 'awaiting_approval', can: ['cancel', 'change', 'approve', 'reject'] })
      expect(await rows(kid)).toEqual([])
      expect(await refusalOf(tasks.approve(ann, { push_task_kid: kid, remark: '' }))).toBe('task_own_approval')
      await tasks.approve(bob, { push_task_kid: kid, remark: 'fine' })
      await settled(kid, { phase: 'running', counts: { total: 60 } })
      expect(await tasks.detail(ann, kid)).toMatchObject({ decided_by: 'Bob', remark: 'fine', is_own: true })
      expect(await refusalOf(tasks.reject(bob, { push_task_kid: kid, remark: '' }))).toBe('task_phase_wrong')
    })

    it('can be refused, and the push withdrawn; a lock forgets its password with it', async () => {
      const lock = { type: 'lock', payload: { password: '4711' } }
      const refused = await push({ match: {}, ...lock })
      await tasks.reject(bob, { push_task_kid: refused.kid, remark: 'not now' })
      const withdrawn = await push({ match: {}, ...lock })
      expect(await tasks.cancel(ann, { push_task_kid: withdrawn.kid })).toEqual({ canceled: 0, asked: 0, rest: 0 })
      for (const [kid, phase] of [
        [refused.kid, 'rejected'],
        [withdrawn.kid, 'canceled'],
      ] as const) {
        expect(await tasks.get(ann, kid)).toMatchObject({ phase, effect: 0, result: null, can: [] })
        const { payload } = await f.deps.db
          .selectFrom('push_task')
          .select('payload')
          .where('kid', '=', kid)
          .executeTakeFirstOrThrow()
        expect(payload).toEqual({ is_password_dropped: true })
      }
    })
  })

  describe('a planned push', () => {
    it('is for devices of the groups that its creator is limited to when it begins', async () => {
      const { db } = f.deps
      const [kept, lost] = [newKid(), newKid()]
      for (const [at, kid] of [kept, lost].entries()) {
        await db
          .insertInto('terminal_group')
          .values({ kid, account_kid: f.account_kid, parent_kid: null, name: kid, depth: 1 })
          .execute()
        await db
          .updateTable('terminal')
          .set({ terminal_group_kid: kid })
          .where('kid', 'in', f.kids.slice(at * 5, at * 5 + 5))
          .execute()
      }
      const cleo = await person('Cleo', [kept, lost])
      const start_at = days(1)
      const { kid } = await push({ match: {}, conditions: { start_at } }, cleo)
      await settled(kid, { phase: 'planned', target_count: 10 })
      await db.deleteFrom('terminal_group_user_manged').where('terminal_group_kid', '=', lost).execute()
      f.deps.clock.jump(25 * hour_ms)
      await settled(kid, { phase: 'running', target_count: 5, left_out: 5 })
      expect((await rows(kid)).map((row) => row.terminal_kid)).toEqual(f.kids.slice(0, 5).toSorted())
    })

    it('is dropped when its creator may no longer push this', async () => {
      const { kid } = await push({ match: {}, conditions: { start_at: days(1) } })
      await f.deps.db.deleteFrom('user_role').where('user_kid', '=', ann.user.kid).execute()
      f.deps.clock.jump(25 * hour_ms)
      await settled(kid, { phase: 'canceled' }, bob)
    })

    it('begins at its time, for the devices that it was for when it was made', async () => {
      const { kid } = await push({ match: {}, conditions: { start_at: days(2) } })
      await settled(kid, { phase: 'planned', target_count: 60, counts: { total: 0 } })
      await f.deps.db.deleteFrom('terminal').where('kid', '=', f.kids[0]!).execute()
      f.deps.clock.jump(48 * hour_ms)
      await settled(kid, { phase: 'running', target_count: 59, left_out: 1, counts: { total: 59 } })
      const left = await tasks.pagingLeftOut(ann, { push_task_kid: kid, page: 1, page_size: 20 })
      expect(left.items).toMatchObject([{ terminal_kid: f.kids[0], reason: 'gone' }])
    })

    it('is dropped when whoever made it may no longer sign in', async () => {
      const { kid } = await push({ match: {}, conditions: { start_at: days(1) } })
      await f.deps.db.updateTable('user_account').set({ status: 'invalid' }).where('kid', '=', ann.user.kid).execute()
      f.deps.clock.jump(25 * hour_ms)
      await settled(kid, { phase: 'canceled' }, bob)
      expect(await rows(kid)).toEqual([])
    })

    it.each([
      ['shutdown', {}],
      ['factory_reset', {}],
      ['app_uninstall', { packages: ['com.acme.scan'] }],
    ])('%s of many devices can be stopped for a minute', async (type, payload) => {
      const few = await push({ type, payload, terminal_kids: f.kids.slice(0, 1) })
      expect(few).toMatchObject({ phase: 'running' })
      const many = await push({ type, payload, terminal_kids: f.kids.slice(0, constants.password_from_devices) })
      const start_at = new Date(f.deps.clock.now().getTime() + constants.scrap_delay_seconds * 1000).toISOString()
      expect(many).toMatchObject({ phase: 'planned', start_at })
      const stopped = await push({ type, payload, match: {} })
      await tasks.cancel(bob, { push_task_kid: stopped.kid })
      f.deps.clock.jump(constants.scrap_delay_seconds * 1000)
      await settled(many.kid, { phase: 'running' })
      expect(await rows(stopped.kid)).toEqual([])
    })
  })

  it.each([
    ['factory_reset', constants.factory_reset_per_hour, {}],
    ['shutdown', constants.shutdown_per_hour, {}],
    ['app_uninstall', constants.app_uninstall_per_hour, { packages: ['com.acme.scan'] }],
  ])('%s hits %i devices of an account within an hour, retries included', async (type, most, payload) => {
    await lately(type as 'shutdown', { phase: 'planned', start_at: new Date(days(1)), target_count: most - 1 })
    const hit = (kids: string[]) => push({ type, payload, terminal_kids: kids })
    expect(await refusalOf(hit(f.kids.slice(0, 2)))).toBe('task_too_many_per_hour')
    const { kid } = await hit(f.kids.slice(0, 1))
    await report(f.kids[0]!, kid, 'failed', 'internal')
    expect(await refusalOf(tasks.retry(ann, { push_task_kid: kid }))).toBe('task_too_many_per_hour')
  })

  it('a push is controlled as a whole by whoever reaches all of its devices', async () => {
    const group = newKid()
    await f.deps.db
      .insertInto('terminal_group')
      .values({ kid: group, account_kid: f.account_kid, parent_kid: null, name: 'g', depth: 1 })
      .execute()
    await f.deps.db.updateTable('terminal').set({ terminal_group_kid: group }).where('kid', '=', f.kids[0]!).execute()
    const limited = await person('Limited', [group])
    const { kid } = await push({ match: {} })
    expect(await refusalOf(tasks.pause(limited, { push_task_kid: kid }))).toBe('not_found')
    expect(await tasks.cancel(limited, { push_task_kid: kid })).toEqual({ canceled: 1, asked: 0, rest: 0 })
    expect(await tasks.get(ann, kid)).toMatchObject({ phase: 'running', counts: { canceled: 1 } })
  })

  it('ended pushes go six months after the month in which they ended, with what their devices uploaded', async () => {
    const { kid } = await push({ terminal_kids: f.kids.slice(0, 2) })
    const open = await push({ terminal_kids: f.kids.slice(0, 1) })
    await tasks.cancel(ann, { push_task_kid: kid })
    f.deps.clock.jump(180 * 24 * hour_ms)
    await tasks.dropOld(f.deps)
    expect(await tasks.get(ann, kid)).toMatchObject({ phase: 'canceled' })
    f.deps.clock.jump(40 * 24 * hour_ms)
    await tasks.dropOld(f.deps)
    expect(await refusalOf(tasks.get(ann, kid))).toBe('not_found')
    expect(await rows(kid)).toEqual([])
    expect(await tasks.get(ann, open.kid)).toMatchObject({ phase: 'running' })
  })
})
