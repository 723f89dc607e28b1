import { ltscopes, TerminalFilter } from '@mdm/contract'
import { platformConfig } from '@mdm/contract/config/sections.ts'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newKid } from '../../../lib/ids.ts'
import { testActor } from '../../../testing/actor.ts'
import { fleet, hello } from '../../../testing/fleet.ts'
import type { Fleet } from '../../../testing/fleet.ts'
import * as groups from '../../fleet/terminal-group/index.ts'
import { moveGroup, paging, rowsOf } from '../../devices/terminal/index.ts'
import { databases } from '../../../testing/devices.ts'
import * as edits from './save.ts'
import * as reads from './current.ts'

const configs = {
  ...reads,
  save: edits.save,
  reset: async (...given: Parameters<typeof edits.reset>) => (await edits.reset(...given)).length,
}

describe.each(databases)('configurations on %s', (kind) => {
  let f: Fleet
  beforeAll(async () => void (f = await fleet(9, {}, kind)))
  afterAll(() => f?.close())

  const caller = (visible_groups?: readonly string[]) => ({
    ...testActor(f.deps, f.account_kid, visible_groups),
    may: () => true,
  })
  const collection = (battery_percent: number) => ({ ...platformConfig.collection, battery_percent })
  const device = (terminal_kid: string) => ({ ltscope: ltscopes.terminal, terminal_kid })
  const group = (terminal_group_kid: string) => ({ ltscope: ltscopes.group, terminal_group_kid })
  const account = { ltscope: ltscopes.account }
  const current = (kid: string) => configs.current(caller(), device(kid))
  const sentTo = (kid: string) =>
    f.edge.sent.filter((each) => each.kid === kid && each.topic.endsWith('/config')).map((each) => each.payload)
  /** What is owed is sent by a timer at the latest. */
  const settle = () => f.deps.clock.advance(10_000)
  const newGroup = async (parent_kid: string) => (await groups.insert(caller(), { name: newKid(), parent_kid })).kid
  const move = (kid: string, to: string) =>
    moveGroup(Object.assign(caller(), { user_kid: newKid() }), { terminal_kids: [kid], terminal_group_kid: to })

  describe('what holds for a device', () => {
    it('comes section by section from the nearest level, and says from which', async () => {
      const kid = f.kids[0]!
      const outer = await newGroup('ROOT')
      const inner = await newGroup(outer)
      await move(kid, inner)
      expect((await current(kid)).collection).toMatchObject({
        value: platformConfig.collection,
        source: { ltscope: 10 },
      })
      await configs.save(caller(), {
        ...account,
        collection: collection(20),
        url_lists: { whitelist: 'a.example', blacklist: '' },
      })
      await configs.save(caller(), { ...group(outer), collection: collection(30) })
      expect(await current(kid)).toMatchObject({
        collection: { value: { battery_percent: 30 }, source: { ltscope: 30, kid: outer } },
        url_lists: { value: { whitelist: 'a.example' }, source: { ltscope: 20, kid: null } },
      })
      await configs.save(caller(), { ...device(kid), collection: collection(40) })
      const { collection: own } = await current(kid)
      expect(own).toMatchObject({ value: { battery_percent: 40 }, source: { ltscope: 40, kid } })
      expect(own!.levels.map(({ ltscope, own: set }) => [ltscope, set !== null])).toEqual([
        [10, false],
        [20, true],
        [30, true],
        [30, false],
        [40, true],
      ])
      expect(await configs.reset(caller(), device(kid))).toBe(1)
      expect((await current(kid)).collection!.source).toMatchObject({ ltscope: 30, kid: outer })
      expect(await configs.current(caller(), { ...device(kid), types: '1' })).not.toHaveProperty('collection')
      await configs.reset(caller(), account)
      await configs.reset(caller(), group(outer))
    })

    it('is shown and changed only within reach', async () => {
      const kid = f.kids[1]!
      const mine = await newGroup('ROOT')
      const inner = await newGroup(mine)
      const limited = caller([inner])
      const draft = { collection: collection(50) }
      await expect(configs.save(limited, { ...account, ...draft })).rejects.toMatchObject({ refusal: 'no_permission' })
      await expect(configs.save(limited, { ...group(mine), ...draft })).rejects.toMatchObject({ refusal: 'not_found' })
      await expect(configs.save(limited, { ...device(kid), ...draft })).rejects.toMatchObject({ refusal: 'not_found' })
      const plain = { ...caller(), may: () => false }
      await expect(configs.save(plain, { ...group(mine), ...draft })).rejects.toMatchObject({
        refusal: 'no_permission',
      })
      const stranger = { ...testActor(f.deps, newKid()), may: () => true }
      await expect(configs.current(stranger, device(kid))).rejects.toMatchObject({ refusal: 'not_found' })
      expect(
        (await configs.current(limited, group(inner))).collection!.levels.map(({ name }) => name !== null),
      ).toEqual([false, false, false, true])
    })
  })

  describe('the upload rules of a list', () => {
    it('are what holds for each device and whence, in one statement for all of them', async () => {
      const [bare, own, below, beside] = [f.kids[0]!, f.kids[1]!, f.kids[6]!, f.kids[8]!]
      for (const kid of [bare, own, below, beside]) await f.connect(kid)
      const outer = await groups.insert(caller(), { name: 'Outer', parent_kid: 'ROOT' })
      const inner = await newGroup(outer.kid)
      await move(below, inner)
      await move(own, inner)
      await move(beside, await newGroup('ROOT'))
      const rules = async () => {
        const viewer = caller()
        const rows = await rowsOf(viewer, [bare, own, below, beside])
        for (const { kid, upload_roles } of rows) {
          const { value, source } = (await configs.current(viewer, device(kid))).collection!
          expect([upload_roles.battery_percent, ltscopes[upload_roles.source]]).toEqual([
            value!.is_battery_on ? value!.battery_percent : null,
            source.ltscope,
          ])
        }
        return rows.map(({ upload_roles: { battery_percent, source, group } }) => [
          battery_percent,
          source,
          group?.name,
        ])
      }
      const { battery_percent } = platformConfig.collection
      expect(await rules()).toEqual(Array.from({ length: 4 }, () => [battery_percent, 'platform', undefined]))
      await configs.save(caller(), { ...account, collection: { ...collection(21), is_location_on: false } })
      await configs.save(caller(), { ...group(outer.kid), collection: collection(22) })
      await configs.save(caller(), { ...device(own), collection: { ...collection(23), is_battery_on: false } })
      // What is set for another section is not about this one.
      await configs.save(caller(), { ...group(inner), url_lists: { whitelist: 'a.example', blacklist: '' } })
      expect(await rules()).toEqual([
        [21, 'account', undefined],
        [null, 'terminal', undefined],
        [22, 'group', 'Outer'],
        [21, 'account', undefined],
      ])
      const { items } = await paging(caller(), { ...TerminalFilter.parse({}), page: 1, page_size: 20 })
      expect(items.find(({ kid }) => kid === bare)!.upload_roles).toEqual({
        battery_percent: 21,
        wifi_dbm: platformConfig.collection.wifi_dbm,
        mobile_dbm: platformConfig.collection.mobile_dbm,
        every_hours: platformConfig.collection.every_hours,
        location_metres: null,
        location_hours: null,
        is_usage_on: true,
        source: 'account',
        group: null,
      })
      // Whoever is limited to the inner group learns what holds, not what the one above is called.
      const [limited] = await rowsOf(caller([inner]), [below])
      expect(limited!.upload_roles).toMatchObject({ battery_percent: 22, source: 'group', group: null })
      for (const place of [account, group(outer.kid), group(inner), device(own)]) await configs.reset(caller(), place)
    })
  })

  describe('delivery', () => {
    it('goes to a device that is there until it says that it goes by it, and to one that comes', async () => {
      const kid = f.kids[2]!
      const count = () => sentTo(kid).length
      await f.connect(kid)
      await settle()
      expect(sentTo(kid)).toEqual([])
      expect((await current(kid)).delivery).toMatchObject({ version_wanted: 0, state: 'received' })
      const whitelist = 'https://a.example/x, *.b.example'
      await configs.save(caller(), { ...device(kid), url_lists: { whitelist, blacklist: '' } })
      expect((await current(kid)).delivery).toMatchObject({ version_held: 0, state: 'waiting' })
      await expect.poll(count).toBe(1)
      expect(sentTo(kid)).toMatchObject([
        {
          version: 1,
          config: {
            collection: platformConfig.collection,
            url_lists: { whitelist: ['https://a.example/x', '*.b.example'] },
          },
        },
      ])
      expect((await current(kid)).delivery).toMatchObject({ version_wanted: 1, version_held: 0, state: 'waiting' })
      await settle()
      expect(count()).toBe(2)
      await f.say(kid, 'state', { seq: 1, device_time: f.deps.clock.now().toISOString(), config_version: 1 })
      expect((await current(kid)).delivery).toMatchObject({ version_wanted: 1, version_held: 1, state: 'received' })
      await f.deps.clock.advance(700_000, 10_000)
      expect(count()).toBe(2)
      // The same again is nothing new.
      await configs.save(caller(), { ...account, collection: platformConfig.collection })
      await settle()
      expect(count()).toBe(2)
      expect((await current(kid)).delivery).toMatchObject({ version_wanted: 1, state: 'received' })
      await configs.reset(caller(), account)
      // It lost its memory.
      await f.connect(kid)
      await settle()
      expect(count()).toBeGreaterThan(2)
      expect((await current(kid)).delivery).toMatchObject({ version_held: 0, state: 'waiting' })
    })

    it('goes also to a device whose page was opened just as its turn came', async () => {
      const kid = f.kids[8]!
      await f.connect(kid)
      await settle()
      const before = sentTo(kid).length
      // The page works it out first, and the dispatcher, which was woken by whoever saved, has passed over the row meanwhile.
      await sql`
        INSERT INTO terminal_config_delivery (terminal_kid, account_kid, send_at, is_dirty, is_forced)
        VALUES (${kid}, ${f.account_kid}, 'epoch', true, true)
        ON CONFLICT (terminal_kid) DO UPDATE SET send_at = 'epoch', is_dirty = true, is_forced = true`.execute(
        f.deps.db,
      )
      await f.deps.link.workOutConfig(kid)
      await expect.poll(() => sentTo(kid).length).toBe(before + 1)
    })

    it('waits for a device that is away, which gets the newest only', async () => {
      const kid = f.kids[3]!
      await configs.save(caller(), { ...device(kid), collection: collection(20) })
      await settle()
      await configs.save(caller(), { ...device(kid), collection: collection(21) })
      await settle()
      expect(sentTo(kid)).toEqual([])
      await f.connect(kid)
      await settle()
      expect(sentTo(kid).length).toBeGreaterThan(0)
      for (const sent of sentTo(kid))
        expect(sent).toMatchObject({ version: 1, config: { collection: { battery_percent: 21 } } })
      await f.say(kid, 'hello', hello(f.deps, { config_version: 1 }))
      const count = sentTo(kid).length
      await settle()
      expect((await current(kid)).delivery).toMatchObject({ state: 'received' })
      expect(sentTo(kid).length).toBe(count)
    })

    it('follows a device to another group, a group to another place, and a group that goes', async () => {
      const kid = f.kids[4]!
      const [strict, loose] = [await newGroup('ROOT'), await newGroup('ROOT')]
      const below = await newGroup(loose)
      await configs.save(caller(), { ...group(strict), collection: collection(1) })
      await configs.save(caller(), { ...group(loose), collection: collection(60) })
      await f.connect(kid)
      const percent = async () => {
        await settle()
        const last = sentTo(kid).at(-1)
        if (last)
          await f.say(kid, 'state', {
            seq: last.version,
            device_time: f.deps.clock.now().toISOString(),
            config_version: last.version,
          })
        return last?.config.collection.battery_percent
      }
      await move(kid, strict)
      expect(await percent()).toBe(1)
      await move(kid, below)
      expect(await percent()).toBe(60)
      await groups.move(caller(), { kid: below, target_parent_kid: strict })
      expect(await percent()).toBe(1)
      await groups.remove(caller(), strict)
      expect(await percent()).toBe(platformConfig.collection.battery_percent)
      await configs.save(caller(), { ...device(kid), collection: collection(33) })
      expect(await percent()).toBe(33)
      await move(kid, loose)
      expect(await percent()).toBe(33)
      await configs.reset(caller(), device(kid))
      expect(await percent()).toBe(60)
    })

    it('tells a device that holds what nobody here gave it what holds here', async () => {
      const kid = f.kids[5]!
      f.edge.callbacks.connected({ kid, epoch: 'x', address: '10.0.0.1', transport: 'mqtt' })
      await f.say(kid, 'hello', hello(f.deps, { epoch: 'x', config_version: 70 }))
      await settle()
      expect(sentTo(kid)[0]).toMatchObject({ version: 71, config: { collection: platformConfig.collection } })
    })
  })
})
