import { sql } from 'kysely'
import { newKid } from '../../lib/ids.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { insert } from '../../modules/push/push-task/index.ts'
import { insertFile, pusher } from '../../testing/push-tasks.ts'
import { databases } from '../../testing/devices.ts'
import type { Deps } from '../../deps.ts'
import { groupBy } from '../group-by.ts'
import { startDispatcher } from './dispatcher.ts'
import { owedTasks } from './tasks.ts'
import { fleet } from '../../testing/fleet.ts'
import type { Fleet } from '../../testing/fleet.ts'

const message = { description: '', type: 'message', payload: { title: 'Hi', text: 'there' } } as const

describe.each(databases)('sending, %s', (kind) => {
  let f: Fleet
  const signed: (number | undefined)[] = []
  const signFile = (object: string, { seconds }: { seconds?: number }) => (signed.push(seconds), `/files/${object}`)
  beforeAll(async () => void (f = await fleet(8, { signFile }, kind)))
  afterAll(() => f.close())
  const push = (terminal_kids: string[]) => insert(pusher(f.deps, f.account_kid), { terminal_kids, ...message })
  /** A push of which nothing is due yet. */
  const parked = async (terminal_kids: string[]) => {
    const { kid } = await push([f.kids[7]!])
    const set = { terminal_kid: terminal_kids[0]!, send_at: null, sent_at: null }
    await f.deps.db.updateTable('push_task_terminal').set(set).where('push_task_kid', '=', kid).execute()
    return kid
  }

  it('goes on as fast as a device acknowledges, without waiting for a timer', async () => {
    const kid = f.kids[0]!
    const open = await push([kid])
    // As many as somebody may owe one device: rows of one task, copied.
    const row = await f.deps.db
      .selectFrom('push_task_terminal')
      .selectAll()
      .where('push_task_kid', '=', open.kid)
      .executeTakeFirstOrThrow()
    const task = await f.deps.db
      .selectFrom('push_task')
      .selectAll()
      .where('kid', '=', open.kid)
      .executeTakeFirstOrThrow()
    const kids = Array.from({ length: 199 }, newKid)
    await f.deps.db
      .insertInto('push_task')
      .values(kids.map((each) => ({ ...task, payload: JSON.stringify(task.payload), kid: each })))
      .execute()
    await f.deps.db
      .insertInto('push_task_terminal')
      .values(kids.map((each) => ({ ...row, push_task_kid: each })))
      .execute()
    await f.connect(kid)
    // The clock stands still: whatever waits for it would never come.
    const sent = () => new Set(f.edge.sent.filter((one) => one.kid === kid).map(({ payload }) => payload.task_kid)).size
    await expect.poll(sent).toBe(200)
    // The device's hello asks once more for all that is open, also for what is on its way already.
    const times = groupBy(
      f.edge.sent.filter((one) => one.kid === kid),
      ({ payload }) => payload.task_kid as string,
    )
    expect(Math.max(...[...times.values()].map((each) => each.length))).toBeLessThanOrEqual(2)
    await f.deps.db.deleteFrom('push_task').execute()
  })

  it('holds what a paused or canceled push has not sent yet, before its rows say so', async () => {
    const kid = f.kids[0]!
    await f.connect(kid)
    const { db } = f.deps
    for (const phase of ['paused', 'canceled'] as const) {
      const [held, free] = [await parked([kid]), await parked([kid])]
      await db.updateTable('push_task').set({ phase }).where('kid', '=', held).execute()
      const due = { send_at: f.deps.clock.now() }
      await db.updateTable('push_task_terminal').set(due).where('push_task_kid', 'in', [held, free]).execute()
      f.link.wake([kid])
      const sent = () => f.edge.sent.map(({ payload }) => payload.task_kid as string)
      await expect.poll(sent).toContain(free)
      expect(sent()).not.toContain(held)
      await db.updateTable('push_task').set({ phase: 'running' }).where('kid', '=', held).execute()
      await f.deps.clock.advance(6_000)
      await expect.poll(sent).toContain(held)
    }
    await db.deleteFrom('push_task').execute()
  })

  it('keeps a configuration back, too, while a device has acknowledged too little', async () => {
    const kid = f.kids[5]!
    await f.connect(kid)
    const acknowledge: (() => void)[] = []
    f.edge.answer = () => new Promise((resolve) => acknowledge.push(() => resolve('acknowledged')))
    for (let i = 0; i < 16; i += 1) await push([kid])
    const sent = (name: string) => f.edge.sent.filter((one) => one.kid === kid && one.topic.endsWith(`/${name}`)).length
    await expect.poll(() => sent('task')).toBe(16)
    const due = { version: 1, config: JSON.stringify({ words: 'x' }), is_dirty: false, send_at: f.deps.clock.now() }
    await f.deps.db
      .insertInto('terminal_config_delivery')
      .values({ terminal_kid: kid, account_kid: f.account_kid, is_forced: false, sends: 0, ...due })
      .onConflict((row) => row.column('terminal_kid').doUpdateSet(due))
      .execute()
    f.deps.link.wake([kid])
    await f.deps.clock.advance(3_000)
    expect(sent('config')).toBe(0)
    f.edge.answer = () => Promise.resolve('acknowledged')
    for (const done of acknowledge) done()
    await expect.poll(() => sent('config')).toBe(1)
    await f.deps.db.deleteFrom('push_task').execute()
  })

  it('gives a file its address, and a picture its place, for as long as the task may last', async () => {
    const kid = f.kids[6]!
    await f.connect(kid)
    const file = await insertFile(f.deps, f.account_kid, 'a.bin')
    const who = pusher(f.deps, f.account_kid)
    const of = { terminal_kids: [kid], description: '' }
    await insert(who, { ...of, type: 'file', payload: { file_kids: [file.kid], path: '/data' } })
    await insert(who, { ...of, type: 'screenshot', payload: {} })
    const sent = () => f.edge.sent.filter((one) => one.kid === kid)
    await expect.poll(() => sent().length).toBe(2)
    const now = f.deps.clock.now().getTime()
    const slot = await f.deps.db
      .selectFrom('device_slot')
      .select('expires_at')
      .where('terminal_kid', '=', kid)
      .executeTakeFirstOrThrow()
    for (const { payload } of sent()) {
      const left_ms = Date.parse(payload.expires_at) - now
      expect(left_ms).toBeGreaterThan(6.9 * 86_400_000)
      expect(signed.at(-1)! * 1_000).toBeGreaterThan(left_ms)
      expect(slot.expires_at.getTime() - now).toBeGreaterThan(left_ms)
    }
  })

  it('that was rolled back does not count: the next one is the first', async () => {
    const kid = f.kids[1]!
    await f.deps.db
      .insertInto('terminal_state')
      .values({ terminal_kid: kid, account_kid: f.account_kid, is_online: true, node_kid: f.deps.node_kid })
      .execute()
    let failures = 2
    const db = new Proxy(f.deps.db, {
      get(target, name, receiver) {
        if (name !== 'transaction') return Reflect.get(target, name, receiver)
        return () => ({
          execute: (work: (trx: never) => Promise<unknown>) =>
            target.transaction().execute(async (trx) => {
              const done = await work(trx as never)
              if (failures-- > 0) throw new Error('the connection was lost before the commit')
              return done
            }),
        })
      },
    })
    const sent: string[] = []
    const deps = { ...f.deps, db } as Deps
    const dispatcher = startDispatcher(deps, { deliver: async (to) => (sent.push(to), 'acknowledged') })
    const visible_groups = {
      node_kid: f.deps.node_kid,
      isLeft: () => sql<boolean>`false`,
      isReachable: (one: { terminal_kid: string }) => one.terminal_kid === kid,
    }
    const loop = dispatcher.begin(owedTasks(deps, visible_groups, () => {}))
    // The fleet's own link is not told.
    const link = { ...f.deps.link, wake: () => {} }
    const { kid: task } = await insert(pusher({ ...f.deps, link }, f.account_kid), { terminal_kids: [kid], ...message })
    const at = f.deps.clock.now().getTime()
    for (let tries = 1; sent.length === 0 && tries < 50; tries += 1) {
      loop.wake()
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    await dispatcher.close()
    const row = await f.deps.db
      .selectFrom('push_task_terminal')
      .select('send_at')
      .where('push_task_kid', '=', task)
      .executeTakeFirstOrThrow()
    expect([sent.length, row.send_at!.getTime() - at]).toEqual([1, 5_000])
  })

  it('a group that a device leaves while the task is made gets it all the same; named devices all or none', async () => {
    const [gone, ...stay] = f.kids.slice(2, 6) as [string, string, string, string]
    const group = newKid()
    await f.deps.db
      .insertInto('terminal_group')
      .values({ kid: group, account_kid: f.account_kid, parent_kid: null, name: 'g', depth: 1 })
      .execute()
    await f.deps.db
      .updateTable('terminal')
      .set({ terminal_group_kid: group })
      .where('kid', 'in', [gone, ...stay])
      .execute()
    /** The device leaves after the group was read, before its rows are written. */
    const leaving = (kid: string) =>
      new Proxy(f.deps.db, {
        get(target, name, receiver) {
          const value: unknown = Reflect.get(target, name, receiver)
          if (name !== 'transaction') return typeof value === 'function' ? value.bind(target) : value
          return () => ({
            execute: async (work: (trx: never) => Promise<unknown>) => {
              await target.deleteFrom('terminal').where('kid', '=', kid).execute()
              return target.transaction().execute(work as never)
            },
          })
        },
      })
    const who = (kid: string) => pusher({ ...f.deps, db: leaving(kid) } as never, f.account_kid)
    const made = await insert(who(gone), { terminal_group_kid: group, ...message })
    expect(made.counts).toMatchObject({ total: 3, wait_receipt: 3 })
    await expect(insert(who(stay[0]!), { terminal_kids: stay, ...message })).rejects.toMatchObject({
      refusal: 'device_not_found',
    })
  })
})
