import { groupValues, ltscopes } from '@mdm/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testActor } from '../../../testing/actor.ts'
import { databases } from '../../../testing/devices.ts'
import { fleet, hello } from '../../../testing/fleet.ts'
import type { Fleet } from '../../../testing/fleet.ts'
import { drift, statistics } from './drift.ts'
import * as edits from './save.ts'
import { changePaging, paging } from './history.ts'
import { current } from './current.ts'

describe.each(databases)('how a device stands to its configuration on %s', (kind) => {
  let f: Fleet
  beforeAll(async () => {
    f = await fleet(4, {}, kind)
    // As registering leaves devices.
    const { account_kid } = f
    await f.deps.db
      .insertInto('terminal_state')
      .values(f.kids.map((terminal_kid) => ({ terminal_kid, account_kid })))
      .execute()
  })
  afterAll(() => f?.close())

  const caller = () => ({ ...testActor(f.deps, f.account_kid), may: () => true })
  const device = (terminal_kid: string) => ({ ltscope: ltscopes.terminal, terminal_kid })
  const page = { page: 1, page_size: 50 } as const
  const shown = async (kid: string) => {
    const { delivery, ntp, collection } = await current(caller(), device(kid))
    return { ...delivery, ntp: ntp?.result, collection: collection?.result }
  }
  const save = (kid: string, server: string) =>
    edits.save(caller(), { ...device(kid), ntp: { server, every_hours: 4 } })
  const settle = () => f.deps.clock.advance(10_000)
  const listed = async (cause?: 'not_connected' | 'waiting') => (await drift(caller(), { ...page, cause })).items
  const leave = async (kid: string, epoch: string) => {
    f.edge.callbacks.disconnected(kid, epoch)
    await f.deps.clock.advance(60_000)
    await expect.poll(async () => (await f.state(kid)).is_online).toBe(false)
  }
  let seq = 0
  const say = (kid: string, config_version: number, results?: Record<string, 'applied' | 'failed'>) =>
    f.say(kid, 'state', {
      seq: ++seq,
      device_time: f.deps.clock.now().toISOString(),
      config_version,
      ...(results && {
        config_results: Object.entries(results).map(([section, outcome]) => ({
          section,
          outcome,
          ...(outcome === 'failed' && { reason: 'command_failed' }),
        })),
      }),
    })

  it('says of one that never connected that it did not, and counts it nowhere among those that have it', async () => {
    const kid = f.kids[0]!
    const nothing = { outcome: 'not_connected', reason: null, message: null }
    const never = { state: 'not_connected', version_held: null, sent_at: null }
    expect(await shown(kid)).toMatchObject({ ...never, version_wanted: 0, collection: nothing })
    const counts = { terminal_group_kid: groupValues.all, type: 2 }
    expect(await statistics(caller(), counts)).toMatchObject({ total: 4, modified: 0 })
    await save(kid, 'one.example')
    expect(await shown(kid)).toMatchObject({ ...never, version_wanted: 1, ntp: nothing, collection: nothing })
    await settle()
    const row = { kid, state: 'not_connected', version_wanted: 1, version_held: null }
    expect(await listed('not_connected')).toMatchObject([{ ...row, causes: [{ ...nothing, section: '' }] }])
    expect(await listed('waiting')).toEqual([])
    expect(await listed()).toMatchObject([row])
    // What turns out to be the platform's was not received by one that never said so, either.
    await edits.reset(caller(), device(kid))
    await settle()
    expect(await shown(kid)).toMatchObject({ ...never, collection: nothing })
    const [change] = (await changePaging(caller(), { ...page, terminal_kid: kid })).items
    expect(change!.progress).toMatchObject({ devices: 1, applied: 0, waiting: 1 })
    // Where a change was the same as what a device was told before.
    await f.deps.db
      .updateTable('terminal_config_delivery')
      .set({ version: 0 })
      .where('terminal_kid', '=', kid)
      .execute()
    const [again] = (await changePaging(caller(), { ...page, terminal_kid: kid })).items
    expect(again!.progress).toMatchObject({ applied: 0, waiting: 1 })
  })

  it('works the version of one that is away out on saving, and keeps it as one until it is sent', async () => {
    const kid = f.kids[1]!
    const epoch = await f.connect(kid)
    await leave(kid, epoch)
    await save(kid, 'one.example')
    const offline = { outcome: 'waiting', reason: 'offline' }
    // Before anybody's timer, and after it.
    const waits = { state: 'waiting', version_wanted: 1, version_held: 0, sent_at: null, ntp: offline }
    expect(await shown(kid)).toMatchObject(waits)
    await settle()
    expect(await listed('waiting')).toMatchObject([{ kid, version_wanted: 1, causes: [offline] }])
    await save(kid, 'two.example')
    await settle()
    expect(await listed('waiting')).toMatchObject([{ kid, version_wanted: 1 }])
    expect(f.edge.sent.filter((sent) => sent.kid === kid)).toEqual([])
    // It was sent before the device went away again: what comes now is another version.
    const later = await f.connect(kid)
    await settle()
    const sent = f.edge.sent.findLast((each) => each.kid === kid && each.topic.endsWith('/config'))
    expect(sent?.payload).toMatchObject({ version: 1, config: { ntp: { server: 'two.example' } } })
    await leave(kid, later)
    await save(kid, 'three.example')
    await settle()
    expect(await shown(kid)).toMatchObject({ ...waits, version_wanted: 2 })
    const { items } = await paging(caller(), { ...page, ltscope: ltscopes.terminal, state: 1 })
    expect(items.map(({ terminal_kid }) => terminal_kid)).toContain(kid)
  })

  it('tells received from applied, and applied from failed', async () => {
    const kid = f.kids[2]!
    await f.connect(kid)
    await save(kid, 'one.example')
    await settle()
    const states = async () => {
      const { state, ntp } = await shown(kid)
      return [state, ntp?.outcome]
    }
    expect(await states()).toEqual(['waiting', 'waiting'])
    await say(kid, 1)
    expect(await states()).toEqual(['received', 'not_said'])
    // It said what became of one section and left another out.
    await say(kid, 1, { collection: 'applied' })
    expect(await states()).toEqual(['received', 'not_said'])
    await say(kid, 1, { collection: 'applied', ntp: 'failed' })
    expect(await states()).toEqual(['failed', 'failed'])
    await say(kid, 1, { collection: 'applied', ntp: 'applied' })
    expect(await states()).toEqual(['applied', 'applied'])
    // One that lost its memory has it no more.
    await f.say(kid, 'hello', hello(f.deps, { epoch: 'anew' }))
    expect(await states()).toEqual(['waiting', 'waiting'])
  })
})
