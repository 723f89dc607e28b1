import { contract, ltscopes, TerminalFilter } from '@mdm/contract'
import type { In } from '@mdm/contract'
import { metresBetween } from '@mdm/device-link'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { wake } from '../../../lib/background.ts'
import { newKid } from '../../../lib/ids.ts'
import { testActor } from '../../../testing/actor.ts'
import { addAccount, addTerminal, addUser, databases, refusalOf } from '../../../testing/devices.ts'
import { fleet, hello } from '../../../testing/fleet.ts'
import type { Fleet } from '../../../testing/fleet.ts'
import * as groups from '../../fleet/terminal-group/index.ts'
import { moveGroup, paging as pagingDevices, pagingEvent } from '../../devices/terminal/index.ts'
import { eventsOf } from './history.ts'
import * as fences from './index.ts'

const depot = { longitude: 105.8342, latitude: 21.0278 }
const metres_of_degree = metresBetween({ longitude: 0, latitude: 0 }, { longitude: 0, latitude: 1 })
const north = (metres: number) => ({ ...depot, latitude: depot.latitude + metres / metres_of_degree })
const draftOf = (more: object = {}) =>
  contract.electronicFence.calls.insert.input.parse({ name: newKid(), ...depot, radius: 500, ...more })

describe.each(databases)('electronic fences on %s', (kind) => {
  let f: Fleet
  let user_kid: string
  beforeAll(async () => {
    f = await fleet(12, {}, kind)
    user_kid = await addUser(f.deps, f.account_kid)
  })
  afterAll(() => f?.close())

  const caller = (visible_groups?: readonly string[], may: (permission: string) => boolean = () => true) => ({
    ...testActor(f.deps, f.account_kid, visible_groups),
    may,
    request: { language: 'en' } as never,
  })
  const device = (terminal_kid: string) => ({ ltscope: ltscopes.terminal, terminal_kid })
  const group = (terminal_group_kid: string) => ({ ltscope: ltscopes.group, terminal_group_kid })
  const account = { ltscope: ltscopes.account }
  /** Configurations go out by a timer; what fences do in the background is done by hand. */
  const pass = async (ms: number) => {
    await f.deps.clock.advance(ms)
    wake(f.deps, fences.fencesDue)
    await fences.settleFences(f.deps)
  }
  const settle = async () => {
    await pass(11_000)
    await expect.poll(() => f.deps.db.selectFrom('fence_due').selectAll().execute()).toEqual([])
    await f.deps.clock.advance(11_000)
  }
  const newFence = async (more: object = {}) => (await fences.insert(caller(), draftOf(more))).kid
  const set = (fence_kid: string | null, ...places: object[]) =>
    fences.savePlaces(caller(), { fence_kid, places: places as never })
  const current = (kid: string) => fences.current(caller(), kid)
  const state = async (kid: string) => (await f.state(kid)).fence_state
  let seq = 0
  const at = (kid: string, place: object, more: object = {}) => {
    const device_time = f.deps.clock.now().toISOString()
    return f.say(kid, 'state', { seq: ++seq, device_time, location: { ...place, accuracy: 10 }, ...more })
  }
  const events = async (kid: string) =>
    (
      await f.deps.db
        .selectFrom('terminal_event')
        .select(['type', 'at', 'detail'])
        .where('terminal_kid', '=', kid)
        .where('type', 'like', 'fence%')
        .orderBy('at')
        .execute()
    ).map(({ type, detail, at: when }) => ({ type, at: when, detail: detail as Record<string, any> }))
  type Asked = Partial<In<(typeof contract.electronicFence.calls)['paging_event']>> & { by?: ReturnType<typeof caller> }
  const happened = async (fence_kid: string, { by = caller(), ...more }: Asked = {}) =>
    contract.electronicFence.calls.paging_event.output.parse(
      await fences.pagingEvent(by, { kid: fence_kid, page: 1, page_size: 20, ...more }),
    ).items
  const listed = async (location_fence_status: number) => {
    const filter = TerminalFilter.parse({ location_fence_status })
    const { items } = await pagingDevices(caller(), { page: 1, page_size: 200, ...filter })
    return items.map(({ kid }) => kid)
  }

  it('is in force from the nearest level that has one, closed where none is set on purpose', async () => {
    const kid = f.kids[0]!
    const outer = (await groups.insert(caller(), { name: newKid(), parent_kid: 'ROOT' })).kid
    const inner = (await groups.insert(caller(), { name: newKid(), parent_kid: outer })).kid
    await moveGroup(Object.assign(caller(), { user_kid: newKid() }), {
      terminal_kids: [kid],
      terminal_group_kid: inner,
    })
    expect(await current(kid)).toMatchObject({ fence: null, source: 'platform' })
    const [whole, wide, own] = [await newFence(), await newFence(), await newFence()]
    await set(whole, account)
    expect(await current(kid)).toMatchObject({ fence: { kid: whole }, source: 'account' })
    await set(wide, group(outer))
    expect(await current(kid)).toMatchObject({ fence: { kid: wide }, source: 'group' })
    await set(null, group(inner))
    expect(await current(kid)).toMatchObject({ fence: null, source: 'group' })
    await set(own, device(kid))
    expect(await current(kid)).toMatchObject({ fence: { kid: own }, source: 'terminal' })
    await fences.update(caller(), { kid: own, ...draftOf({ is_on: false }) })
    expect(await current(kid)).toMatchObject({ fence: null, source: 'terminal' })
    expect(await fences.listPlaces(caller(), own)).toMatchObject([{ ltscope: 40, kid }])
    expect(await fences.resetPlaces(caller(), [device(kid), group(inner)])).toBe(2)
    expect(await current(kid)).toMatchObject({ fence: { kid: wide } })
    await fences.remove(caller(), wide)
    expect(await current(kid)).toMatchObject({ fence: { kid: whole }, source: 'account' })
    await fences.remove(caller(), whole)
    expect(await current(kid)).toMatchObject({ fence: null, source: 'platform' })
  })

  it('leaves devices alone when it is saved as it was, or stays off', async () => {
    const terminal_kid = f.kids[8]!
    await f.connect(terminal_kid)
    // The dispatcher works out what is marked by its timer only.
    const quiet = { ...caller(), deps: { ...f.deps, link: { ...f.deps.link, wake() {} } } }
    const acting = { ...draftOf({ alarm_seconds: 30, is_locking: true, password: '123456' }), name: newKid() }
    const { kid } = await fences.insert(quiet, acting)
    const place = () => fences.savePlaces(quiet, { fence_kid: kid, places: [device(terminal_kid)] as never })
    const version = async () => (await fences.get(caller(), kid)).version
    const isMarked = async () => {
      const delivery = f.deps.db.selectFrom('terminal_config_delivery').select('is_dirty')
      return (await delivery.where('terminal_kid', '=', terminal_kid).executeTakeFirstOrThrow()).is_dirty
    }
    /** Whether it is a new version, and whether its device is marked. */
    const after = async (act: () => Promise<unknown>) => {
      const before = await version()
      await act()
      const said = [(await version()) > before, await isMarked()]
      await settle()
      await expect.poll(isMarked).toBe(false)
      return said
    }
    const save = (more: object) => () => fences.update(quiet, { ...acting, ...more, kid })
    expect(await after(place)).toEqual([false, true])
    expect(await after(place)).toEqual([false, false])
    for (const same of [{}, { password: undefined }]) expect(await after(save(same))).toEqual([false, false])
    expect(await after(save({ password: '654321' }))).toEqual([true, true])
    expect(await after(save({ is_on: false }))).toEqual([true, true])
    expect(await after(save({ is_on: false, radius: 900 }))).toEqual([true, false])
    await fences.remove(caller(), kid)
  })

  it('is judged for a device that cannot, once for each crossing however its position jitters', async () => {
    const kid = f.kids[1]!
    await f.connect(kid)
    const fence = await newFence({ name: 'Depot', duration: 30 })
    await at(kid, depot)
    await set(fence, device(kid))
    await settle()
    expect([await state(kid), await events(kid)]).toEqual(['inside', []])
    expect(await listed(1)).toEqual([kid])
    for (const metres of [490, 520, 480, 540, 510]) {
      await f.deps.clock.advance(10_000)
      await at(kid, north(metres))
    }
    expect(await state(kid)).toBe('inside')
    await f.deps.clock.advance(1_000)
    const left_at = f.deps.clock.now()
    await at(kid, north(700))
    expect(await state(kid)).toBe('inside')
    // It says nothing more.
    await pass(40_000)
    expect(await state(kid)).toBe('outside')
    expect(await listed(2)).toEqual([kid])
    expect(await events(kid)).toMatchObject([
      {
        type: 'fence_out',
        at: new Date(left_at.getTime() + 30_000),
        detail: { fence_kid: fence, fence: 'Depot', ...north(700) },
      },
    ])
    await at(kid, north(100))
    await pass(31_000)
    expect((await events(kid)).map(({ type }) => type)).toEqual(['fence_out', 'fence_in'])
    expect(await current(kid)).toMatchObject({ state: 'inside', is_by_device: false, band: 50 })
    expect((await fences.paging(caller(), { page: 1, page_size: 20, text: 'Depot' })).items).toMatchObject([
      { name: 'Depot', places: 1, inside: 1, outside: 0, has_password: false },
    ])
    // Elsewhere: it is looked at anew, from where it is.
    await fences.update(caller(), { kid: fence, ...draftOf({ name: 'Depot', ...north(5_000) }) })
    await settle()
    expect(await state(kid)).toBe('outside')
    expect((await events(kid)).at(-1)).toMatchObject({ type: 'fence_out', detail: { fence_version: 2 } })
    await fences.remove(caller(), fence)
    await settle()
    expect([await state(kid), await listed(2)]).toEqual([null, []])
  })

  it('is told to a device that judges itself, whose word is taken', async () => {
    const kid = f.kids[2]!
    await f.connect(kid)
    await f.say(kid, 'hello', hello(f.deps, { epoch: 'j', inventory: { judges_fence: true } }))
    const fence = await newFence({ name: 'Yard', is_locking: true, password: '4711', accuracy: 2, alarm_seconds: 10 })
    await set(fence, device(kid))
    await settle()
    const sent = f.edge.sent.filter((each) => each.kid === kid && each.topic.endsWith('/config')).at(-1)!
    expect(sent.payload.config.fence).toEqual({
      fence_kid: fence,
      fence_version: 1,
      name: 'Yard',
      shape: 'circle',
      ...depot,
      radius: 500,
      duration: 0,
      accuracy: 'adaptive',
      alarm_seconds: 10,
      lock_password: '4711',
    })
    const { config } = await f.deps.db
      .selectFrom('terminal_config_delivery')
      .select('config')
      .where('terminal_kid', '=', kid)
      .executeTakeFirstOrThrow()
    expect(JSON.stringify(config)).not.toContain('4711')
    await at(kid, north(3_000))
    expect(await state(kid)).toBeNull()
    const standing = { fence_kid: fence, fence_version: 1, state: 'outside', at: f.deps.clock.now().toISOString() }
    await at(kid, north(3_000), { fence: { ...standing, fence_version: 9 } })
    expect(await state(kid)).toBeNull()
    await at(kid, north(3_000), { fence: standing })
    expect(await current(kid)).toMatchObject({ state: 'outside', is_by_device: true })
    expect(await events(kid)).toEqual([])
    await set(null, device(kid))
    await settle()
    expect(
      f.edge.sent.filter((each) => each.kid === kid && each.topic.endsWith('/config')).at(-1)!.payload.config,
    ).not.toHaveProperty('fence')
    expect(await state(kid)).toBeNull()
  })

  it('keeps once what a device told of its own actions, and nothing that no event may hold', async () => {
    const kid = f.kids[11]!
    await f.connect(kid)
    const device_time = f.deps.clock.now().toISOString()
    const detail = { fence_kid: newKid(), fence_version: 1, fence: 'Yard', action: 'lock', outcome: 'done' }
    const failed = { ...detail, action: 'ring', outcome: 'failed', reason: 'not_supported', message: 'x'.repeat(5_000) }
    const hostile = { ...failed, message: 'no\u0000bell', action: { $ne: 1 }, outcome: ['done'] }
    const said = [detail, failed, hostile].map((each) => ({ type: 'fence_action', at: device_time, detail: each }))
    const message = { seq: ++seq, device_time, events: said }
    await f.say(kid, 'event', message)
    await f.say(kid, 'event', message)
    const { action: _, outcome: __, ...rest } = hostile
    const kept = (await events(kid)).map((event) => event.detail)
    expect(kept).toHaveLength(3)
    expect(kept).toEqual(
      expect.arrayContaining([detail, { ...failed, message: 'x'.repeat(1_000) }, { ...rest, message: 'nobell' }]),
    )
    const { items } = await pagingEvent(caller(), { terminal_kid: kid, page: 1, page_size: 20, type: 'fence_action' })
    expect(items.map((item) => item.type)).toEqual(['fence_action', 'fence_action', 'fence_action'])
    // That a push was made is the server's to tell; a kid that is none breaks no index.
    const claimed = [
      { ...detail, outcome: 'pushed', push_task_kid: newKid() },
      { ...detail, outcome: 'not_pushed', reason: 'no_permission' },
      { ...detail, fence_kid: '\u{1f512}'.repeat(500) },
    ].map((each) => ({ type: 'fence_action', at: device_time, detail: each }))
    await f.say(kid, 'event', { seq: ++seq, device_time, events: claimed })
    const since = (await events(kid)).slice(3).map((event) => event.detail)
    expect(since.map(({ outcome }) => outcome).toSorted()).toEqual(['done', undefined, undefined])
    // A push is for those that cannot obey by themselves; nothing was judged here either.
    expect(await state(kid)).toBeNull()
    expect(await f.deps.db.selectFrom('fence_action').select('kid').where('terminal_kid', '=', kid).execute()).toEqual(
      [],
    )
  })

  it('locks and rings what cannot do so by itself, as who set it up may', async () => {
    const kid = f.kids[3]!
    await f.connect(kid)
    await at(kid, depot)
    const by = { ...caller(), user: { kid: user_kid, name: 'Ann' } }
    const { kid: fence } = await fences.insert(by, draftOf({ is_locking: true, password: '4711', alarm_seconds: 5 }))
    await fences.savePlaces(by, { fence_kid: fence, places: [device(kid)] as never })
    await settle()
    await at(kid, north(900))
    await settle()
    const pushed = () =>
      f.deps.db.selectFrom('push_task').select(['type']).where('created_by_kid', '=', user_kid).execute()
    // Whoever made it has no role that may lock (any more).
    const error = async () => (await fences.get(caller(), fence)).last_error
    await expect.poll(error).toMatch(/permission/)
    expect(await pushed()).toEqual([])
    const acted = async () => (await happened(fence, { type: 'fence_action' })).map(({ detail }) => detail)
    const of_fence = { fence_kid: fence, fence_version: 1 }
    const why = { reason: 'no_permission', message: await error() }
    const not_pushed = (action: string) => ({ ...of_fence, action, outcome: 'not_pushed', ...why })
    await expect.poll(acted).toHaveLength(2)
    expect(await acted()).toEqual(
      expect.arrayContaining(['lock', 'ring'].map((action) => expect.objectContaining(not_pushed(action)))),
    )
    expect(
      (await pagingEvent(caller(), { terminal_kid: kid, page: 1, page_size: 20, type: 'fence_action' })).items[0]!
        .detail,
    ).toMatchObject(why)
    const role_kid = newKid()
    await f.deps.db
      .insertInto('role')
      .values({
        kid: role_kid,
        account_kid: f.account_kid,
        code: 'fencer',
        name: 'Fencer',
        permissions: ['deviceDetailInfo:*'],
      } as never)
      .execute()
    await f.deps.db
      .insertInto('user_role')
      .values({ user_kid, role_kid } as never)
      .execute()
    await at(kid, depot)
    await settle()
    await at(kid, north(900))
    await settle()
    await expect.poll(async () => (await pushed()).map(({ type }) => type).toSorted()).toEqual(['find', 'lock'])
    await expect.poll(error).toBeNull()
    const made = await f.deps.db
      .selectFrom('push_task')
      .select(['kid', 'type'])
      .where('created_by_kid', '=', user_kid)
      .execute()
    const push_of = (type: string) => made.find((each) => each.type === type)!.kid
    const told = (action: string, type: string) =>
      expect.objectContaining({ ...of_fence, action, outcome: 'pushed', push_task_kid: push_of(type) })
    expect((await acted()).slice(0, 2)).toEqual(expect.arrayContaining([told('lock', 'lock'), told('ring', 'find')]))
    // The newest first: what was done about it, that it left, that it had come back.
    expect((await happened(fence)).map(({ type }) => type)).toEqual([
      ...['fence_action', 'fence_action', 'fence_out', 'fence_in'],
      ...['fence_action', 'fence_action', 'fence_out'],
    ])
    const { sn } = await f.deps.db.selectFrom('terminal').select('sn').where('kid', '=', kid).executeTakeFirstOrThrow()
    expect((await happened(fence))[0]).toMatchObject({ terminal_kid: kid, sn, name: '' })
    // Somebody who is limited to groups is told of the devices there, and of what is set there.
    const elsewhere = (await groups.insert(caller(), { name: newKid(), parent_kid: 'ROOT' })).kid
    const counts = ({ places, inside, outside }: { places: number; inside: number; outside: number }) => [
      places,
      inside,
      outside,
    ]
    expect(counts(await fences.get(caller(), fence))).toEqual([1, 0, 1])
    expect(counts(await fences.get(caller([elsewhere]), fence))).toEqual([0, 0, 0])
    await set(fence, device(kid), group(elsewhere))
    expect(counts(await fences.get(caller([elsewhere]), fence))).toEqual([1, 0, 0])
  })

  it('locks where another person set it as that person may, and the others also where one cannot be reached', async () => {
    const [mine, theirs] = [f.kids[9]!, f.kids[10]!]
    const fencer = async (name: string) => {
      const there = (await groups.insert(caller(), { name: newKid(), parent_kid: 'ROOT' })).kid
      const kid = await addUser(f.deps, f.account_kid, [there], ['deviceDetailInfo:lock'])
      return { there, actor: { ...caller([there]), user: { kid, name } } }
    }
    const [ann, bob] = [await fencer('Ann'), await fencer('Bob')]
    await moveGroup(caller(), { terminal_kids: [mine], terminal_group_kid: ann.there })
    await moveGroup(caller(), { terminal_kids: [theirs], terminal_group_kid: bob.there })
    for (const kid of [mine, theirs]) {
      await f.connect(kid)
      await at(kid, depot)
    }
    const { kid: fence } = await fences.insert(ann.actor, draftOf({ is_locking: true, password: '4711' }))
    await fences.savePlaces(ann.actor, { fence_kid: fence, places: [device(mine)] as never })
    await fences.savePlaces(bob.actor, { fence_kid: fence, places: [device(theirs)] as never })
    const locked = async () =>
      (
        await f.deps.db
          .selectFrom('push_task_terminal as p')
          .innerJoin('push_task as k', 'k.kid', 'p.push_task_kid')
          .select(['p.terminal_kid', 'k.created_by'])
          .where('p.terminal_kid', 'in', [mine, theirs])
          .where('k.type', '=', 'lock')
          .execute()
      ).map(({ terminal_kid, created_by }) => [terminal_kid, created_by])
    const leave = async () => {
      for (const kid of [mine, theirs]) await at(kid, depot)
      await settle()
      for (const kid of [mine, theirs]) await at(kid, north(900))
      await settle()
    }
    await settle()
    await leave()
    await expect
      .poll(async () => (await locked()).toSorted())
      .toEqual(
        [
          [mine, 'Ann'],
          [theirs, 'Bob'],
        ].toSorted(),
      )
    // One of Ann's is moved out of her groups: the other one is locked all the same, and the fence says what was not.
    for (const kid of [mine, theirs]) await at(kid, depot)
    await settle()
    await fences.savePlaces(caller(), { fence_kid: null, places: [device(theirs)] as never })
    await fences.savePlaces(ann.actor, { fence_kid: fence, places: [group(ann.there)] as never })
    await fences.resetPlaces(caller(), [device(mine), device(theirs)] as never)
    await moveGroup(caller(), { terminal_kids: [theirs], terminal_group_kid: ann.there })
    await settle()
    await f.deps.db.deleteFrom('push_task').where('type', '=', 'lock').execute()
    await f.deps.db
      .insertInto('fence_action')
      .values(
        [mine, theirs].map((terminal_kid) => ({
          kid: newKid(),
          account_kid: f.account_kid,
          terminal_kid,
          fence_kid: fence,
          at: f.deps.clock.now(),
        })),
      )
      .execute()
    await f.deps.db.updateTable('terminal').set({ terminal_group_kid: bob.there }).where('kid', '=', theirs).execute()
    await f.deps.db
      .updateTable('electronic_fence')
      .set({ updated_by_kid: ann.actor.user.kid, updated_at: new Date(f.deps.clock.now().getTime() + 1_000) })
      .where('kid', '=', fence)
      .execute()
    wake(f.deps, fences.fenceActions)
    await expect.poll(locked).toEqual([[mine, 'Ann']])
    await expect.poll(async () => (await fences.get(caller(), fence)).last_error).toBeTruthy()
    // Each device has its own outcome, which who is limited to its group sees alone.
    const outcomes = async (by?: ReturnType<typeof caller>) =>
      (await happened(fence, { type: 'fence_action', page_size: 2, ...(by && { by }) })).map(
        ({ terminal_kid, detail }) => [terminal_kid, detail['outcome'], detail['reason']],
      )
    const [done, failed] = [
      [mine, 'pushed', undefined],
      [theirs, 'not_pushed', 'device_not_found'],
    ]
    expect(await outcomes()).toEqual(expect.arrayContaining([done, failed]))
    expect((await outcomes(caller([ann.there]))).every(([kid]) => kid === mine)).toBe(true)
    expect((await outcomes(caller([ann.there])))[0]).toEqual(done)
    expect((await outcomes(caller([bob.there])))[0]).toEqual(failed)
    expect(await outcomes(caller([newKid()]))).toEqual([])
  })

  it('lists what devices of the account told of it, and of no other account', async () => {
    const fence = await newFence()
    const at = f.deps.clock.now()
    const said = (account_kid: string, terminal_kid: string, type = 'fence_out', fence_kid = fence) => ({
      kid: newKid(),
      account_kid,
      terminal_kid,
      type,
      at,
      received_at: at,
      detail: JSON.stringify({ fence_kid, fence: 'x' }),
    })
    const own = said(f.account_kid, f.kids[5]!)
    const other = await addAccount(f.deps)
    await f.deps.db
      .insertInto('terminal_event')
      .values([
        own,
        // A device of another account that names this fence, other types, other fences.
        said(other, await addTerminal(f.deps, other)),
        said(f.account_kid, f.kids[5]!, 'boot'),
        said(f.account_kid, f.kids[5]!, 'fence_in', newKid()),
      ])
      .execute()
    expect((await happened(fence)).map(({ kid }) => kid)).toEqual([own.kid])
    expect(await happened(fence, { type: 'fence_in' })).toEqual([])
    const stranger = { ...caller(), ...testActor(f.deps, other) }
    expect(await refusalOf(happened(fence, { by: stranger }))).toBe('not_found')
    expect(await refusalOf(happened(newKid()))).toBe('not_found')
  })

  it('reads what happened by an index of its own', async () => {
    await sql`INSERT INTO terminal_event (kid, account_kid, terminal_kid, type, at, received_at, detail)
      SELECT gen_random_uuid(), ${f.account_kid}::uuid, ${f.kids[6]!}::uuid, 'fence_in', ${f.deps.clock.now()}, ${f.deps.clock.now()},
        jsonb_build_object('fence_kid', gen_random_uuid()) FROM generate_series(1, 5000)`.execute(f.deps.db)
    await sql`ANALYZE terminal, terminal_event`.execute(f.deps.db)
    for (const type of [undefined, 'fence_out'] as const) {
      const newest = eventsOf(caller(), { kid: newKid(), type })
        .orderBy('terminal_event.at', 'desc')
        .orderBy('terminal_event.kid', 'desc')
        .limit(21)
      const plan = JSON.stringify(await newest.explain('json'))
      expect(plan).toContain('terminal_event_y2026m01_account_kid_left_at_kid_idx')
      expect(plan).not.toMatch(/"Seq Scan"[^{}]*"terminal_event_y2026m01"/)
    }
  })

  it('is changed within reach, and does what its maker may order', async () => {
    const mine = (await groups.insert(caller(), { name: newKid(), parent_kid: 'ROOT' })).kid
    const fence = await newFence()
    const limited = caller([mine])
    await set(fence, account)
    const draft = draftOf()
    expect(await refusalOf(fences.update(limited, { kid: fence, ...draft }))).toBe('fence_beyond_reach')
    expect(await refusalOf(fences.remove(limited, fence))).toBe('fence_beyond_reach')
    expect(await refusalOf(fences.savePlaces(limited, { fence_kid: fence, places: [account] }))).toBe('no_permission')
    expect(await refusalOf(fences.resetPlaces(limited, [device(f.kids[4]!)]))).toBe('not_found')
    expect(await fences.listPlaces(limited, fence)).toEqual([])
    const locking = draftOf({ is_locking: true })
    expect(await refusalOf(fences.insert(caller(), locking))).toBe('fence_password_missing')
    const plain = caller(undefined, (permission) => !permission.startsWith('deviceDetailInfo'))
    expect(await refusalOf(fences.insert(plain, { ...locking, password: '1234' }))).toBe('no_permission')
    const stranger = { ...caller(), ...testActor(f.deps, newKid()) }
    expect(await refusalOf(fences.get(stranger, fence))).toBe('not_found')
    expect(await refusalOf(fences.current(stranger, f.kids[4]!))).toBe('not_found')
    await fences.remove(caller(), fence)
  })
})
