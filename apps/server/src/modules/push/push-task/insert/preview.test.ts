import { constants, contract } from '@mdm/contract'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { backgroundAtRest } from '../../../../lib/background.ts'
import { newKid } from '../../../../lib/ids.ts'
import { takeSharedTry } from '../../../../lib/rate-limit.ts'
import { databases, refusalOf } from '../../../../testing/devices.ts'
import { fleet, seedDevices } from '../../../../testing/fleet.ts'
import type { Fleet } from '../../../../testing/fleet.ts'
import { pusher } from '../../../../testing/push-tasks.ts'
import { saveSetting } from '../../../people/brakes/index.ts'
import * as tasks from '../index.ts'

const { insert, preview } = contract.pushTask.calls
const hour_ms = 3_600_000
/** One piece, instead of ten. */
const frozen_at_once = 2_000
const message = { type: 'message', payload: { title: 'Hi', text: 'there' } }

describe.each(databases)('whom a push is for, %s', (kind) => {
  let f: Fleet
  let ann: ReturnType<typeof pusher>
  let bob: ReturnType<typeof pusher>
  beforeEach(async () => {
    f = await fleet(4, { frozen_at_once }, kind)
    const person = (name: string) => ({ ...pusher(f.deps, f.account_kid), user: { kid: newKid(), name } })
    ann = person('Ann')
    bob = person('Bob')
  })
  afterEach(() => f.close())

  const push = (input: object, who = ann) => tasks.insert(who, insert.input.parse({ ...message, ...input }))
  const settled = async (kid: string, wanted: object) => {
    tasks.wakePushes(f.deps)
    await backgroundAtRest(f.deps)
    await expect.poll(() => tasks.get(ann, kid)).toMatchObject(wanted)
  }

  describe('a preview', () => {
    const look = (input: object, who = ann) => tasks.preview(who, preview.input.parse({ type: 'restart', ...input }))

    it('is made 300 times an hour for one account, whoever of it asks, and again with the next hour', async () => {
      const to = { terminal_kids: [f.kids[0]!] }
      await look(to)
      await look(to, bob)
      const rate = { limit: 300, per_ms: hour_ms }
      for (let n = 2; n < 300; n++) await takeSharedTry(f.deps, 'push previews', rate, f.account_kid)
      expect(await refusalOf(look(to, bob))).toBe('too_many_requests')
      await f.deps.clock.advance(hour_ms)
      // Where servers share it, it goes by the clock of the database.
      await sql`UPDATE rate SET full_at = full_at - interval '1 hour'`.execute(f.deps.db)
      await look(to)
    })

    it('refuses a content that its push refuses, of every kind', async () => {
      const to = { terminal_kids: [f.kids[0]!] }
      const file = { type: 'file', payload: { file_kids: [f.kids[0]!], path: '/sdcard/../data' } }
      const refused = { fields: { 'payload.path': { name: 'device_path' } } }
      await expect(look({ ...file, ...to })).rejects.toMatchObject(refused)
      expect(insert.input.safeParse({ ...message, ...file, ...to }).success).toBe(false)
      const sound = { ...file, payload: { ...file.payload, path: '/sdcard/data' }, ...to }
      expect(insert.input.safeParse({ ...message, ...sound }).success).toBe(true)
    })

    it('says who is left out and why, names SNs that are no devices, and is the list of the push', async () => {
      const [unable, away, here] = f.kids as [string, string, string]
      const set = (kid: string, values: object) =>
        f.deps.db.updateTable('terminal').set(values).where('kid', '=', kid).execute()
      await set(unable, { sn: 'UNABLE', task_types: ['message'] })
      const long_ago = new Date(f.deps.clock.now().getTime() - 100 * 24 * hour_ms)
      await set(away, { sn: 'AWAY', registered_at: long_ago })
      await set(here, { sn: 'HERE', task_types: ['restart'], registered_at: long_ago })
      await f.connect(here)
      const found = await look({ sns: ['unable', 'Away', 'HERE', 'NOBODY'], offline_days: 30 })
      expect(found).toMatchObject({
        total: 1,
        left_out: [
          { reason: 'not_capable', count: 1 },
          { reason: 'offline', count: 1 },
        ],
        missing: ['NOBODY'],
        missing_count: 1,
      })
      const page = await tasks.pagingPreview(ann, {
        preview_kid: found.kid,
        page: 1,
        page_size: 20,
        is_left_out: false,
      })
      expect(page.items.map(({ terminal_kid }) => terminal_kid)).toEqual([here])
      const restart = { type: 'restart', payload: {}, preview_kid: found.kid }
      expect(await refusalOf(push(restart, bob))).toBe('push_preview_gone')
      expect(await refusalOf(push({ ...message, preview_kid: found.kid }))).toBe('push_preview_gone')
      const { kid } = await push(restart)
      await settled(kid, { phase: 'running', target_count: 1, left_out: 2, counts: { total: 1 } })
      expect(await refusalOf(push(restart))).toBe('push_preview_gone')
    })

    it('takes the place of the one before it, and is dropped after an hour', async () => {
      const first = await look({ match: {} })
      const second = await look({ match: {} })
      const gone = (kid: string) => push({ type: 'restart', payload: {}, preview_kid: kid })
      expect(await refusalOf(gone(first.kid))).toBe('push_preview_gone')
      f.deps.clock.jump(hour_ms + 1000)
      expect(await refusalOf(gone(second.kid))).toBe('push_preview_gone')
      await tasks.dropOld(f.deps)
      expect(await f.deps.db.selectFrom('push_list_terminal').selectAll().execute()).toEqual([])
    })
  })

  it('a device that cannot carry it out is left out, and nobody at all is refused', async () => {
    const [unable, able] = f.kids as [string, string]
    await f.deps.db
      .updateTable('terminal')
      .set({ task_types: ['message'] })
      .where('kid', '=', unable)
      .execute()
    const restart = { type: 'restart', payload: {} }
    expect(await refusalOf(push({ ...restart, terminal_kids: [unable] }))).toBe('task_no_device')
    const made = await push({ ...restart, terminal_kids: [unable, able] })
    expect(made).toMatchObject({ phase: 'running', target_count: 1, left_out: 1, counts: { total: 1 } })
    const { left_out_counts } = await tasks.detail(ann, made.kid)
    expect(left_out_counts).toEqual([{ reason: 'not_capable', count: 1 }])
  })

  describe('very many devices', () => {
    const more = 6_600
    const all = more + 4
    const tomorrow = new Date('2026-01-16T08:00:00Z')
    beforeEach(() => seedDevices(f.deps, more, f.account_kid))

    const freezing = async (kid: string) => (await list(kid)).freezing
    const list = (kid: string) =>
      f.deps.db.selectFrom('push_list').selectAll().where('kid', '=', kid).executeTakeFirstOrThrow()

    it('are looked up in the background: a preview says how far that is, and a push of it waits for the rest', async () => {
      const found = await tasks.preview(ann, preview.input.parse({ type: 'message', match: {} }))
      expect(found.listed).toEqual({ done: frozen_at_once, of: all })
      const made = await push({ preview_kid: found.kid })
      expect(made).toMatchObject({ phase: 'creating', counts: { total: 0 } })
      await settled(made.kid, { phase: 'running', frozen_count: null, target_count: all, counts: { total: all } })
      expect(await freezing(found.kid)).toBe(null)
      expect(await refusalOf(tasks.previewOf(bob, found.kid))).toBe('not_found')
      expect(await tasks.previewOf(ann, found.kid)).toMatchObject({ listed: null, total: all })
    })

    it('are approved, capped and picked from when all of them are known', async () => {
      await saveSetting(ann, { approval_from: all })
      const steps = { steps: [{ percent: 50 }], success_percent: 80, error_percent: 20 }
      const asks = await push({ match: {}, rollout: { ...steps, picked_kids: [f.kids[0]!] } })
      expect(asks).toMatchObject({ phase: 'creating' })
      await settled(asks.kid, { phase: 'awaiting_approval', target_count: all })
      const strange = await push({ match: {}, rollout: { ...steps, picked_kids: [newKid()] } }, bob)
      await settled(strange.kid, { phase: 'canceled' })
      expect(await tasks.detail(bob, strange.kid)).toMatchObject({ remark: 'picked_not_meant', effect: 0 })
      // As many are planned as leave room for half of them.
      const planned = await push({ type: 'shutdown', payload: {}, terminal_kids: [f.kids[0]!] }, bob)
      await f.deps.db
        .updateTable('push_task')
        .set({ phase: 'planned', target_count: constants.shutdown_per_hour - all / 2, total: 0, start_at: tomorrow })
        .where('kid', '=', planned.kid)
        .execute()
      const capped = await push({ type: 'shutdown', payload: {}, match: {} }, bob)
      await settled(capped.kid, { phase: 'canceled' })
      expect(await tasks.detail(bob, capped.kid)).toMatchObject({ remark: 'task_too_many_per_hour' })
      await f.deps.db
        .updateTable('terminal')
        .set({ task_types: ['restart'] })
        .execute()
      const nobody = await push({ match: {} }, bob)
      await settled(nobody.kid, { phase: 'canceled' })
      expect(await tasks.detail(bob, nobody.kid)).toMatchObject({ remark: 'task_no_device', left_out: all })
    })

    it('are no longer looked up for a push that was canceled', async () => {
      const { kid } = await push({ match: {} })
      await tasks.cancel(ann, { push_task_kid: kid })
      await settled(kid, { phase: 'canceled', is_stopping: false, counts: { total: 0 } })
      const next = await push({ match: {} }, bob)
      await settled(next.kid, { phase: 'running', counts: { total: all } })
      expect(await tasks.get(ann, kid)).toMatchObject({ phase: 'canceled', counts: { total: 0 } })
    })
  })
})
