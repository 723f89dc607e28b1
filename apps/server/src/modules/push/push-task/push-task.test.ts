import fc from 'fast-check'
import { errorMessage, nextPushTaskState, pushTaskStates, reportedEvent } from '@mdm/contract'
import type { PushTaskState } from '@mdm/contract'
import { files_of_task_max, down } from '@mdm/device-link'
import type { ReportedState } from '@mdm/device-link'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Refusal } from '../../../refusal.ts'
import { newKid } from '../../../lib/ids.ts'
import { fleet, hello, seedDevices } from '../../../testing/fleet.ts'
import type { Fleet } from '../../../testing/fleet.ts'
import { count, insertFile, pusher } from '../../../testing/push-tasks.ts'
import * as tasks from './index.ts'

let f: Fleet
let reader: ReturnType<typeof pusher>
beforeAll(async () => {
  f = await fleet(30)
  reader = pusher(f.deps, f.account_kid)
})
afterAll(() => f.close())
beforeEach(async () => {
  await f.deps.db.deleteFrom('push_task').execute()
  f.edge.sent.length = 0
})

const message = { type: 'message', payload: { title: 'Hi', text: 'there' } } as const
type Input = Parameters<typeof tasks.insert>[1]
const push = (terminal_kids: string[], work: object = message) =>
  tasks.insert(reader, { terminal_kids, description: '', ...work } as Input)
const row = (push_task_kid: string, terminal_kid: string) =>
  f.deps.db
    .selectFrom('push_task_terminal')
    .selectAll()
    .where('push_task_kid', '=', push_task_kid)
    .where('terminal_kid', '=', terminal_kid)
    .executeTakeFirstOrThrow()
const report = (kid: string, task_kid: string, state: ReportedState, more: object = {}) =>
  f.say(kid, 'task', { task_kid, attempt: 1, state, ...more })
const refusal = (run: Promise<unknown>) =>
  run.then(
    () => 'nothing was refused',
    (error: unknown) => (error instanceof Refusal ? error.refusal : Promise.reject(error)),
  )
const sentTo = (kid: string, name: string) =>
  f.edge.sent.filter((one) => one.kid === kid && one.topic.endsWith(`/down/${name}`)).map((one) => one.payload)

describe('insert', () => {
  it('creates one row and one activity for each device, and counts', async () => {
    const created = await push(f.kids.slice(0, 3))
    expect(created).toMatchObject({
      type: 'message',
      summary: 'Hi',
      counts: { total: 3, wait_receipt: 3, running: 0, completed: 0 },
      result: null,
      phase: 'running',
      can: ['cancel', 'pause'],
    })
    const page = await tasks.pagingTerminal(reader, { push_task_kid: created.kid, page: 1, page_size: 2 })
    expect(page).toMatchObject({ total: 3, items: [{ state: 'wait_receipt', attempt: 1, can: ['cancel'] }, {}] })
    const rest = await tasks.pagingTerminal(reader, {
      push_task_kid: created.kid,
      page: 1,
      page_size: 2,
      after: page.next!,
    })
    expect(rest.items).toHaveLength(1)
    expect(rest.next).toBeNull()
    const activity = await tasks.listActivity(reader, { push_task_kid: created.kid, terminal_kid: f.kids[0]! })
    expect(activity).toMatchObject([{ event: 'created', attempt: 1, by: 'Ann' }])
  })

  it('creates nothing when one device is unknown or another customer’s', async () => {
    const foreign = await seedDevices(f.deps, 1)
    const before = await count(f.deps, 'push_task')
    expect(await refusal(push([f.kids[0]!, newKid()]))).toBe('device_not_found')
    expect(await refusal(push([f.kids[0]!, foreign.kids[0]!]))).toBe('device_not_found')
    expect(await refusal(push([]))).toBe('bad_input')
    expect(await refusal(push([f.kids[0]!], { type: 'file', payload: { file_kids: [newKid()], path: '/x' } }))).toBe(
      'not_found',
    )
    const group = (terminal_group_kid: string) =>
      refusal(tasks.insert(reader, { terminal_group_kid, description: '', ...message } as Input))
    expect(await group(newKid())).toBe('group_unknown')
    expect(await count(f.deps, 'push_task')).toBe(before)
  })

  it('reaches a group with everything below it, the devices without a group, and all', async () => {
    const [top, below, beside] = [newKid(), newKid(), newKid()]
    const account_kid = f.account_kid
    await f.deps.db
      .insertInto('terminal_group')
      .values([
        { kid: top, account_kid, parent_kid: null, name: 'top', depth: 1 },
        { kid: below, account_kid, parent_kid: top, name: 'below', depth: 2 },
        { kid: beside, account_kid, parent_kid: null, name: 'beside', depth: 1 },
      ])
      .execute()
    const put = (kids: string[], terminal_group_kid: string | null) =>
      f.deps.db.updateTable('terminal').set({ terminal_group_kid }).where('kid', 'in', kids).execute()
    await put(f.kids.slice(0, 2), top)
    await put(f.kids.slice(2, 5), below)
    const total = async (terminal_group_kid: string) =>
      (await tasks.insert(reader, { terminal_group_kid, description: '', ...message } as Input)).counts.total
    expect(await total(top)).toBe(5)
    expect(await total(below)).toBe(3)
    expect(await total('NO_GROUP')).toBe(25)
    expect(await total('ALL')).toBe(30)
    expect(await refusal(total(beside))).toBe('task_create_failed')
    expect(errorMessage('task_create_failed', 'en')).toContain('the group is empty')
    await put(f.kids.slice(0, 5), null)
  })

  it('of files keeps what they were and counts the push', async () => {
    const file = await insertFile(f.deps, f.account_kid, 'a.bin')
    const kid = f.kids[6]!
    await f.connect(kid)
    const created = await push([kid], { type: 'file', payload: { file_kids: [file.kid, file.kid], path: '/data' } })
    expect(created.summary).toBe('a.bin')
    await expect.poll(() => sentTo(kid, 'task')).toHaveLength(1)
    const [sent] = sentTo(kid, 'task')
    expect(down.task.parse(sent)).toMatchObject({
      task_kid: created.kid,
      attempt: 1,
      version: 0,
      payload: { files: [{ name: 'a.bin', path: '/data', url: `/files/${file.object}?signed`, sha256: file.sha256 }] },
    })
    const stored = await f.deps.db.selectFrom('file_cloud').selectAll().where('kid', '=', file.kid).executeTakeFirst()
    expect(stored?.push_count).toBe(1)
  })

  it('of a folder brings its files to the same folders below the path', async () => {
    const folder = async (name: string, parent_kid: string | null) => {
      const kid = newKid()
      const bytes = { size: 0, md5: '', sha256: '', content_type: '', object: null }
      const by = { created_by_kid: newKid(), created_by: 'Ann', created_at: f.deps.clock.now() }
      const row = { kid, account_kid: f.account_kid, parent_kid, name, is_folder: true, ...bytes, ...by }
      await f.deps.db.insertInto('file_cloud').values(row).execute()
      return kid
    }
    const file = async (name: string, parent_kid: string | null) => {
      const row = await insertFile(f.deps, f.account_kid, name)
      await f.deps.db.updateTable('file_cloud').set({ parent_kid }).where('kid', '=', row.kid).execute()
      return row
    }
    const maps = await folder('maps', null)
    const vn = await folder('vn', maps)
    const [hanoi, world] = [await file('hanoi.png', vn), await file('world.png', maps)]
    const beside = await file('notes.txt', null)
    const kid = f.kids[8]!
    await f.connect(kid)
    const payload = { file_kids: [beside.kid, maps, hanoi.kid], path: '/data/' }
    const created = await push([kid], { type: 'file', payload })
    expect(created).toMatchObject({ summary: 'notes.txt, maps/, hanoi.png' })
    await expect.poll(() => sentTo(kid, 'task')).toHaveLength(1)
    const { payload: sent } = down.task.parse(sentTo(kid, 'task')[0]) as {
      payload: { files: { name: string; path: string }[] }
    }
    expect(sent.files.map(({ name, path }) => `${path} ${name}`)).toEqual([
      '/data/ notes.txt',
      '/data/maps world.png',
      '/data/maps/vn hanoi.png',
    ])
    const counted = await f.deps.db
      .selectFrom('file_cloud')
      .select('push_count')
      .where('kid', 'in', [hanoi.kid, world.kid])
      .execute()
    expect(counted).toEqual([{ push_count: 1 }, { push_count: 1 }])

    const refused = (file_kids: string[], path = '/data') =>
      refusal(push([kid], { type: 'file', payload: { file_kids, path } }))
    expect(await refused([await folder('empty', null)])).toBe('file_push_empty')
    // What devices would keep under one name.
    const same = await file('other.txt', vn)
    for (const name of ['Notes.TXT', 'no\u200btes.txt', 'note\u017f.txt']) {
      await f.deps.db.updateTable('file_cloud').set({ name }).where('kid', '=', same.kid).execute()
      expect(await refused([beside.kid, same.kid])).toBe('file_push_same_place')
    }
    const full = await folder('full', null)
    const foreign = await seedDevices(f.deps, 1)
    for (let n = 0; n <= files_of_task_max; n += 1) await file(`${n}.txt`, full)
    expect(await refused([full])).toBe('file_push_too_many')
    const others = await insertFile(f.deps, foreign.account_kid, 'theirs.txt')
    expect(await refused([others.kid])).toBe('not_found')
    const long = await folder('l'.repeat(255), await folder('m'.repeat(255), null))
    await file('x', long)
    expect(await refused([long], `/${'n'.repeat(800)}`)).toBe('file_push_too_long')
  })

  it('for 12,000 devices is one task', async () => {
    const many = await seedDevices(f.deps, 12_000)
    const other = pusher(f.deps, many.account_kid)
    const created = await tasks.insert(other, { terminal_group_kid: 'ALL', description: '', ...message } as Input)
    expect(created).toMatchObject({ phase: 'creating', target_count: 12_000 })
    await expect
      .poll(async () => (await tasks.get(other, created.kid)).counts)
      .toMatchObject({ total: 12_000, wait_receipt: 12_000 })
    await f.deps.db.deleteFrom('push_task').where('kid', '=', created.kid).execute()
  })
})

describe('reports', () => {
  it('walk the states, each with its activity, and complete the task', async () => {
    const kid = f.kids[7]!
    const { kid: task } = await push([kid])
    for (const state of ['receipt', 'wait_execute', 'executing', 'completed'] as const) await report(kid, task, state)
    expect(await row(task, kid)).toMatchObject({ state: 'completed', progress: 100, deadline_at: null, send_at: null })
    const activity = await tasks.listActivity(reader, { push_task_kid: task, terminal_kid: kid })
    expect(activity.map(({ event }) => event)).toEqual(['created', 'received', 'execute_start', 'finished'])
    expect(await tasks.get(reader, task)).toMatchObject({ result: 'all_succeeded', can: [], counts: { completed: 1 } })
  })

  it('that are repeated, late, of another attempt or backward change nothing', async () => {
    const kid = f.kids[8]!
    const { kid: task } = await push([kid])
    await report(kid, task, 'receipt', { expected_version: 0 })
    await report(kid, task, 'downloading', { expected_version: 1, progress: 10 })
    const before = await row(task, kid)
    await report(kid, task, 'downloading', { expected_version: 1, progress: 5 })
    await report(kid, task, 'receipt')
    await report(kid, task, 'completed', { attempt: 2 })
    await report(kid, task, 'completed', { expected_version: 0 })
    await report(f.kids[9]!, task, 'completed')
    expect(await row(task, kid)).toEqual(before)
    await report(kid, task, 'downloading', { expected_version: 2, progress: 60 })
    expect(await row(task, kid)).toMatchObject({ progress: 60, version: 3, state: 'downloading' })
  })

  it('twenty at once keep the counts exact', async () => {
    const kids = f.kids.slice(0, 20)
    const { kid: task } = await push(kids)
    await Promise.all(
      kids.flatMap((kid, n) => [
        report(kid, task, 'receipt'),
        report(kid, task, n % 4 === 0 ? 'failed' : 'completed'),
        report(kid, task, 'completed'),
      ]),
    )
    expect(await tasks.get(reader, task)).toMatchObject({
      counts: { total: 20, wait_receipt: 0, running: 0, completed: 15, failed: 5, canceled: 0 },
      result: 'partly_succeeded',
    })
  })

  it('in any order, repeated and mixed with the operator, agree with the state table and the counts', async () => {
    const kid = f.kids[10]!
    const reported = pushTaskStates.filter((state) => state !== 'wait_receipt')
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom<PushTaskState | 'retry'>(...reported, 'retry'), { maxLength: 8 }),
        async (steps) => {
          const { kid: task } = await push([kid])
          let [state, attempt]: [PushTaskState, number] = ['wait_receipt', 1]
          for (const step of steps) {
            const event = step === 'retry' ? 'retry' : reportedEvent[step as keyof typeof reportedEvent]
            const next = nextPushTaskState(state, event)
            if (step === 'retry') {
              const result = await refusal(tasks.retry(reader, { push_task_kid: task, terminal_kid: kid }))
              expect(result === 'nothing was refused').toBe(next !== undefined)
            } else await report(kid, task, step as ReportedState, { attempt })
            state = next ?? state
            if (step === 'retry' && next) attempt += 1
          }
          expect(await row(task, kid)).toMatchObject({ state, attempt })
          const { counts } = await tasks.get(reader, task)
          const expected = { total: 1, wait_receipt: 0, running: 0, completed: 0, failed: 0, canceled: 0, gone: 0 }
          const bucket = state in expected ? (state as keyof typeof expected) : 'running'
          expect(counts).toEqual({ ...expected, [bucket]: 1 })
          const activity = await tasks.listActivity(reader, { push_task_kid: task, terminal_kid: kid })
          expect(activity.filter(({ event }) => event === 'retried')).toHaveLength(attempt - 1)
          await f.deps.db.deleteFrom('push_task').where('kid', '=', task).execute()
        },
      ),
      { numRuns: 40 },
    )
  })

  it('of a screenshot show only what its own slot received', async () => {
    const kid = f.kids[11]!
    await f.connect(kid)
    const { kid: task } = await push([kid], { type: 'screenshot', payload: {} })
    await expect.poll(() => sentTo(kid, 'task')).toHaveLength(1)
    const slot_kid = (sentTo(kid, 'task')[0].payload.upload_url as string).split('/').at(-1)!
    const slot = await f.deps.db.selectFrom('device_slot').selectAll().where('kid', '=', slot_kid).executeTakeFirst()
    expect(slot).toMatchObject({ terminal_kid: kid, push_task_kid: task, kind: 'screenshot', object: null })
    await f.deps.db
      .updateTable('device_slot')
      .set({ object: 'mine', used_at: f.deps.clock.now() })
      .where('kid', '=', slot_kid)
      .execute()
    await report(kid, task, 'completed', { result: { object: 'mine' } })
    const { items } = await tasks.pagingTerminal(reader, { push_task_kid: task, page: 1, page_size: 20 })
    expect(items[0]!.result_url).toBe('/files/mine?signed')

    const { kid: second } = await push([kid], { type: 'screenshot', payload: {} })
    await report(kid, second, 'completed', { result: { object: 'somebody-elses' } })
    expect(await row(second, kid)).toMatchObject({ state: 'failed', code: 'no_picture', result_object: null })
  })
})

describe('cancel and retry', () => {
  it('cancel is immediate before receipt, a request afterwards, and refused at the end', async () => {
    const [a, b] = f.kids.slice(12, 14) as [string, string]
    await f.connect(b)
    const { kid: task } = await push([a, b])
    await report(b, task, 'executing')
    f.edge.sent.length = 0
    expect(await tasks.cancel(reader, { push_task_kid: task })).toEqual({ canceled: 1, asked: 1, rest: 0 })
    expect((await row(task, a)).state).toBe('canceled')
    await expect.poll(() => sentTo(b, 'cancel')).toEqual([{ task_kid: task, attempt: 1 }])
    const { items } = await tasks.pagingTerminal(reader, { terminal_kid: b, page: 1, page_size: 1 })
    expect(items[0]).toMatchObject({ state: 'executing', cancel_asked: true })
    await report(b, task, 'canceled', { expected_version: 1 })
    expect(await row(task, b)).toMatchObject({ state: 'canceled', cancel_asked_at: null, send_at: null })
    expect(await refusal(tasks.cancel(reader, { push_task_kid: task }))).toBe('task_not_cancelable')
    expect(await refusal(tasks.cancel(reader, { push_task_kid: newKid() }))).toBe('not_found')
    expect(await tasks.get(reader, task)).toMatchObject({ counts: { canceled: 2 }, result: 'all_failed' })
  })

  it('a device may finish what it was asked to cancel', async () => {
    const kid = f.kids[14]!
    const { kid: task } = await push([kid])
    await report(kid, task, 'executing', { expected_version: 0 })
    await tasks.cancel(reader, { push_task_kid: task, terminal_kid: kid })
    await report(kid, task, 'completed', { expected_version: 1 })
    expect(await row(task, kid)).toMatchObject({ state: 'completed', cancel_asked_at: null })
  })

  it('retry is a new attempt; a report of the old one is late', async () => {
    const kid = f.kids[15]!
    const { kid: task } = await push([kid])
    const of = { push_task_kid: task, terminal_kid: kid }
    expect(await refusal(tasks.retry(reader, of))).toBe('task_running')
    await report(kid, task, 'failed', { code: 'no_space', message: 'disk full' })
    expect(await row(task, kid)).toMatchObject({ code: 'no_space', message: 'disk full' })
    expect(await tasks.retry(reader, of)).toMatchObject({ retried: 1 })
    expect(await row(task, kid)).toMatchObject({ state: 'wait_receipt', attempt: 2, code: null, progress: 0 })
    await report(kid, task, 'completed')
    expect((await row(task, kid)).state).toBe('wait_receipt')
    await report(kid, task, 'completed', { attempt: 2 })
    expect(await refusal(tasks.retry(reader, of))).toBe('task_not_retryable')
  })

  it('nobody reaches another customer’s task', async () => {
    const { kid: task } = await push([f.kids[16]!])
    const stranger = pusher(f.deps, (await seedDevices(f.deps, 1)).account_kid)
    expect(await refusal(tasks.cancel(stranger, { push_task_kid: task }))).toBe('not_found')
    expect(await refusal(tasks.retry(stranger, { push_task_kid: task }))).toBe('not_found')
    expect(await refusal(tasks.get(stranger, task))).toBe('not_found')
    const page = await tasks.pagingTerminal(stranger, { push_task_kid: task, page: 1, page_size: 20 })
    expect(page.items).toEqual([])
  })
})

describe('ends by the server', () => {
  it('a state that outlasts its deadline fails with the code deadline', async () => {
    const kid = f.kids[17]!
    const { kid: task } = await push([kid])
    await report(kid, task, 'executing')
    await f.deps.clock.advance(7_199_000, 60_000)
    await tasks.failOverdue(f.deps)
    expect((await row(task, kid)).state).toBe('executing')
    await f.deps.clock.advance(2_000)
    await tasks.failOverdue(f.deps)
    expect(await row(task, kid)).toMatchObject({ state: 'failed', code: 'deadline' })
    expect(await tasks.get(reader, task)).toMatchObject({ counts: { failed: 1, running: 0 }, result: 'all_failed' })
  })

  it('a device that is cancelled ends its open rows, in the caller’s transaction', async () => {
    const [a, b] = f.kids.slice(18, 20) as [string, string]
    const { kid: task } = await push([a, b])
    await report(a, task, 'executing')
    const tell = await f.deps.db.transaction().execute((trx) => tasks.failTasksOfDevices(trx, f.deps, [a]))
    tell()
    expect(await row(task, a)).toMatchObject({ state: 'failed', code: 'device_gone', send_at: null })
    expect(await tasks.get(reader, task)).toMatchObject({ counts: { failed: 1, wait_receipt: 1, running: 0 } })
    await report(a, task, 'completed')
    expect((await row(task, a)).state).toBe('failed')
  })
})

describe('sending', () => {
  it('waits for the device, and is repeated ever more rarely until the receipt', async () => {
    const kid = f.kids[20]!
    const { kid: task } = await push([kid])
    await f.deps.clock.advance(5_000)
    expect(sentTo(kid, 'task')).toEqual([])
    await f.connect(kid)
    const times = () => sentTo(kid, 'task').filter((sent) => sent.task_kid === task).length
    await expect.poll(times).toBe(1)
    await f.deps.clock.advance(6_000)
    expect(times()).toBe(2)
    await f.deps.clock.advance(20_000)
    expect(times()).toBe(2)
    await f.deps.clock.advance(12_000)
    expect(times()).toBe(3)
    await report(kid, task, 'receipt')
    await f.deps.clock.advance(3_600_000, 10_000)
    expect(times()).toBe(3)
  })

  it('keeps to the window of a device that acknowledges nothing', async () => {
    const kid = f.kids[21]!
    await f.connect(kid)
    f.edge.answer = () => new Promise(() => {})
    for (let n = 0; n < 20; n += 1) await push([kid])
    await f.deps.clock.advance(20_000)
    expect(f.edge.sent.filter((sent) => sent.kid === kid)).toHaveLength(16)
    f.edge.answer = () => Promise.resolve('acknowledged')
  })

  it('at hello repeats what the two sides see differently and cancels what has ended here', async () => {
    const kid = f.kids[22]!
    const [same, lost, over] = [await push([kid]), await push([kid]), await push([kid])]
    for (const { kid: task } of [same, lost]) await report(kid, task, 'executing')
    await tasks.cancel(reader, { push_task_kid: over.kid })
    f.edge.callbacks.connected({ kid, epoch: newKid(), address: '10.0.0.1', transport: 'mqtt' })
    const held = [
      { task_kid: same.kid, attempt: 1, state: 'executing' as const },
      { task_kid: over.kid, attempt: 1, state: 'wait_execute' as const },
    ]
    await f.say(kid, 'hello', hello(f.deps, { tasks: held }))
    await expect.poll(() => sentTo(kid, 'task').map((sent) => sent.task_kid)).toEqual([lost.kid])
    expect(sentTo(kid, 'cancel')).toEqual([{ task_kid: over.kid, attempt: 1 }])
  })

  it('a request is answered by the device that was asked, or by the clock', async () => {
    const [kid, other] = f.kids.slice(23, 25) as [string, string]
    await f.connect(kid)
    const asked = f.link.request(kid, 'ping', {}, 5_000)
    const { id } = sentTo(kid, 'request')[0]
    await f.say(other, 'reply', { id, ok: true, data: 'forged' })
    await f.say(kid, 'reply', { id, ok: true, data: { at: 1 } })
    expect(await asked).toEqual({ at: 1 })
    const unanswered = f.link.request(kid, 'ping', {}, 5_000)
    const outcome = expect(unanswered).rejects.toMatchObject({ code: 'timeout' })
    await f.deps.clock.advance(5_000)
    await outcome
  })
})
