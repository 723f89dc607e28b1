import { ltscopes } from '@mdm/contract'
import { differencesText } from '@mdm/contract/config/lines.ts'
import type { SectionChange } from '@mdm/contract/config/lines.ts'
import { platformConfig, secret_mask } from '@mdm/contract/config/sections.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { backgroundAtRest, wake } from '../../../lib/background.ts'
import { newKid } from '../../../lib/ids.ts'
import { testActor } from '../../../testing/actor.ts'
import { addTerminal, databases } from '../../../testing/devices.ts'
import { fleet } from '../../../testing/fleet.ts'
import type { Fleet } from '../../../testing/fleet.ts'
import * as groups from '../../fleet/terminal-group/index.ts'
import { moveGroup } from '../../devices/terminal/index.ts'
import { drift, retry, statistics } from './drift.ts'
import * as edits from './save.ts'
import { affected, copyAffected } from './affected.ts'
import { changeGet, changePaging, paging } from './history.ts'
import { configurationQueue, queueDelivery } from './delivery-queue.ts'
import * as platform from './platform.ts'
import { current, get } from './current.ts'

describe.each(databases)('configurations of all levels on %s', (kind) => {
  let f: Fleet
  beforeAll(async () => void (f = await fleet(6, {}, kind)))
  afterAll(() => f?.close())

  const caller = (visible_groups?: readonly string[]) => ({
    ...testActor(f.deps, f.account_kid, visible_groups),
    may: () => true,
  })
  const operator = () => ({ ...caller(), account_kid: newKid(), user: { kid: newKid(), name: 'Operator' } })
  const device = (terminal_kid: string) => ({ ltscope: ltscopes.terminal, terminal_kid })
  const group = (terminal_group_kid: string) => ({ ltscope: ltscopes.group, terminal_group_kid })
  const account = { ltscope: ltscopes.account }
  const newGroup = async (parent_kid: string) => (await groups.insert(caller(), { name: newKid(), parent_kid })).kid
  const move = (kid: string, to: string) =>
    moveGroup(Object.assign(caller(), { user_kid: newKid() }), { terminal_kids: [kid], terminal_group_kid: to })
  const settle = () => f.deps.clock.advance(10_000)
  const page = { page: 1, page_size: 50 } as const
  const changes = async (place: object) => (await changePaging(caller(), { ...page, ...place })).items
  const network = (password: string, ssid = 'Depot') => ({
    networks: [
      {
        ssid,
        security: 'wpa2' as const,
        password,
        eap_method: 'peap' as const,
        identity: '',
        ca_certificate: '',
        is_hidden: false,
        proxy_host: '',
        proxy_port: null,
      },
    ],
  })
  const sentTo = (kid: string) =>
    f.edge.sent.filter((each) => each.kid === kid && each.topic.endsWith('/config')).map((each) => each.payload)
  const passwordSent = (kid: string) => sentTo(kid).at(-1)?.config['wifi_profiles']?.networks[0].password
  const say = (kid: string, results?: object[]) => {
    const { version } = sentTo(kid).at(-1)!
    return f.say(kid, 'state', {
      seq: version + 100,
      device_time: f.deps.clock.now().toISOString(),
      config_version: version,
      ...(results && { config_results: results }),
    })
  }

  it('keeps a secret sealed, shows a mask, and sends it only where it went before', async () => {
    const kid = f.kids[0]!
    await f.connect(kid)
    await edits.save(caller(), { ...device(kid), wifi_profiles: network('first-password') })
    const stored = JSON.stringify(await f.deps.db.selectFrom('terminal_config').selectAll().execute())
    const history = JSON.stringify(await f.deps.db.selectFrom('configuration_change').selectAll().execute())
    expect(stored + history).not.toContain('first-password')
    expect((await get(caller(), device(kid))).wifi_profiles).toMatchObject({
      value: { networks: [{ password: secret_mask }] },
    })
    await settle()
    expect(passwordSent(kid)).toBe('first-password')
    const told = JSON.stringify(await f.deps.db.selectFrom('terminal_config_delivery').selectAll().execute())
    expect(told).not.toContain('first-password')
    // The mask keeps it, and nothing is a change.
    expect(await edits.save(caller(), { ...device(kid), wifi_profiles: network(secret_mask) })).toEqual([])
    expect(await edits.save(caller(), { ...device(kid), wifi_profiles: network('first-password') })).toEqual([])
    // To another network it is not sent along.
    await expect(
      edits.save(caller(), { ...device(kid), wifi_profiles: network(secret_mask, 'Elsewhere') }),
    ).rejects.toMatchObject({
      refusal: 'bad_input',
      fields: { 'wifi_profiles.networks.0.password': { name: 'secret_again' } },
    })
    // Inherited ones are kept as well.
    const target = await newGroup('ROOT')
    await edits.copy(caller(), { ...device(kid), terminal_group_kids: [target], terminal_kids: [] })
    const below = f.kids[1]!
    await f.connect(below)
    await move(below, target)
    await edits.save(caller(), { ...device(below), wifi_profiles: network(secret_mask) })
    await settle()
    expect(passwordSent(below)).toBe('first-password')
    await edits.reset(caller(), device(kid))
    await edits.reset(caller(), device(below))
    await edits.reset(caller(), group(target))
  })

  it('saves several sections and a reset as one version, and says what differs without telling secrets', async () => {
    const place = group(await newGroup('ROOT'))
    const ntp = { server: 'one.example', every_hours: 4 }
    await edits.save(caller(), { ...place, ntp, wifi_profiles: network('first-password') })
    const heard: SectionChange[] = []
    const changed = await edits.save(
      caller(),
      {
        ...place,
        wifi_profiles: network('other-password'),
        kiosk: { mode: 'off', apps: [], exit_password: '' },
        url_lists: { whitelist: 'example.com', blacklist: '' },
        resets: ['ntp'],
      },
      false,
      (changes) => void heard.push(...changes),
    )
    expect(changed).toEqual(['wifi_profiles', 'ntp', 'url_lists', 'kiosk'])
    expect((await changes(place)).map(({ version, act, sections }) => [version, act, sections])).toEqual([
      [2, 'save', changed],
      [1, 'save', ['wifi_profiles', 'ntp']],
    ])
    expect(await get(caller(), place)).toMatchObject({ ntp: null, url_lists: { value: { whitelist: 'example.com' } } })
    const { en, vi } = differencesText(heard)
    expect(en).toContain('Wi-Fi networks · Depot · Password: set → another one')
    expect(en).toContain('Time server (NTP) · Server: one.example → not set')
    expect(vi).toContain('one.example → chưa đặt')
    expect(en + vi).not.toMatch(/password-|first|sealed/)
    await edits.reset(caller(), place)
  })

  it('remembers versions with who and what, and goes back to one', async () => {
    const place = group(await newGroup('ROOT'))
    const ntp = (server: string) => ({ ntp: { server, every_hours: 4 } })
    await edits.save(caller(), { ...place, ...ntp('one.example'), name: 'Clocks' })
    await edits.save(caller(), { ...place, ...ntp('two.example'), kiosk: { mode: 'off', apps: [], exit_password: '' } })
    await edits.reset(caller(), { ...place, sections: ['ntp'] })
    const [third, second, first] = await changes(place)
    expect([third, second, first].map((row) => [row!.version, row!.act, row!.sections])).toEqual([
      [3, 'reset', ['ntp']],
      [2, 'save', ['ntp', 'kiosk']],
      [1, 'save', ['ntp']],
    ])
    // Nobody is offered to go back to what holds already.
    expect([third, second, first].map((row) => row!.is_newest)).toEqual([true, false, false])
    expect(await changeGet(caller(), second!.kid)).toMatchObject({
      name: 'Clocks',
      before: { ntp: { server: 'one.example' } },
      after: { ntp: { server: 'two.example' }, kiosk: { mode: 'off' } },
      is_newest: false,
    })
    const { changed } = await edits.revert(caller(), first!.kid)
    expect(changed.toSorted()).toEqual(['kiosk', 'ntp'])
    const now = await get(caller(), place)
    expect([now.ntp?.value.server, now.kiosk]).toEqual(['one.example', null])
    const { items } = await paging(caller(), { ...page, ltscope: 30, terminal_group_kid: place.terminal_group_kid })
    expect(items).toMatchObject([{ type: 1, version: 4, name: 'Clocks', state: 2 }])
    const stranger = { ...testActor(f.deps, newKid()), may: () => true }
    await expect(edits.revert(stranger, first!.kid)).rejects.toMatchObject({ refusal: 'not_found' })
    await expect(edits.revert(caller([]), first!.kid)).rejects.toMatchObject({ refusal: 'not_found' })
  })

  it('says what a copy would do at all of its places together', async () => {
    const [from, to, other] = [await newGroup('ROOT'), await newGroup('ROOT'), await newGroup('ROOT')]
    const [fine, own] = [f.kids[4]!, f.kids[5]!]
    await move(fine, to)
    await move(own, other)
    const ntp = { server: 'copied.example', every_hours: 1 }
    await edits.save(caller(), { ...group(from), ntp })
    const input = (terminal_kids: string[], ...terminal_group_kids: string[]) => ({
      ...group(from),
      terminal_group_kids,
      terminal_kids,
    })
    expect(await copyAffected(caller(), input([], to))).toMatchObject({ sections: ['ntp'], devices: 1 })
    // A device below one of the groups counts once.
    expect(await copyAffected(caller(), input([own, fine], to))).toMatchObject({ sections: ['ntp'], devices: 2 })
    await edits.copy(caller(), input([], to))
    expect(await copyAffected(caller(), input([], to))).toEqual({ sections: [], devices: 0, items: [] })
    expect(await copyAffected(caller(), input([own], to))).toMatchObject({ devices: 1, items: [{ kid: own }] })
    await expect(copyAffected(caller(), input([newKid()]))).rejects.toMatchObject({ refusal: 'not_found' })
    await expect(copyAffected(caller([]), input([], to))).rejects.toMatchObject({ refusal: 'not_found' })
  })

  it('says what a change would do, and how far its devices are', async () => {
    const outer = await newGroup('ROOT')
    const inner = await newGroup(outer)
    const [fine, own] = [f.kids[2]!, f.kids[3]!]
    for (const [kid, to] of [
      [fine, outer],
      [own, inner],
    ] as const) {
      await f.connect(kid)
      await move(kid, to)
    }
    const ntp = { server: 'ntp.example', every_hours: 1 }
    const would = () => affected(caller(), { ...group(outer), ntp })
    expect(await would()).toMatchObject({ sections: ['ntp'], devices: 2 })
    await edits.save(caller(), { ...group(inner), ntp: { ...ntp, every_hours: 2 } })
    expect(await would()).toMatchObject({ devices: 1, items: [{ kid: fine }] })
    await edits.save(caller(), { ...group(outer), ntp })
    expect(await would()).toEqual({ sections: [], devices: 0, items: [] })
    const progress = async () => (await changes(group(outer)))[0]!.progress
    expect(await progress()).toMatchObject({ devices: 1, waiting: 1, applied: 0 })
    await settle()
    await say(fine, [
      { section: 'collection', outcome: 'applied' },
      { section: 'ntp', outcome: 'failed', reason: 'command_failed', message: 'no route' },
    ])
    expect(await progress()).toMatchObject({ waiting: 0, failed: 1, applied: 0 })
    expect((await current(caller(), device(fine))).ntp).toMatchObject({
      result: { outcome: 'failed', reason: 'command_failed', message: 'no route' },
    })
    const { items } = await drift(caller(), { ...page, terminal_group_kid: outer, cause: 'failed' })
    expect(items).toMatchObject([{ kid: fine, causes: [{ section: 'ntp', outcome: 'failed' }] }])
    expect(await statistics(caller(), { terminal_group_kid: outer, type: 1 })).toMatchObject({
      total: 2,
      not_configured: 0,
      failed: 1,
    })
    // Told again, with a new version of the same.
    const { version } = sentTo(fine).at(-1)!
    await retry(caller(), { terminal_kids: [fine] })
    await settle()
    expect(sentTo(fine).at(-1)!.version).toBeGreaterThan(version)
    await say(fine, [{ section: 'ntp', outcome: 'applied' }])
    expect(await progress()).toMatchObject({ waiting: 0, failed: 0, applied: 1 })
    // A section that it never said it can obey, whatever it says of the version.
    const announce = (config_sections: string[]) =>
      f.deps.db.updateTable('terminal').set({ config_sections }).where('kid', '=', fine).execute()
    const unheard = async () =>
      (await drift(caller(), { ...page, terminal_group_kid: outer, cause: 'not_supported' })).items
    await announce(['collection', 'ntp'])
    expect(await unheard()).toEqual([])
    await announce(['collection'])
    expect(await unheard()).toMatchObject([
      { kid: fine, causes: [{ section: 'ntp', outcome: 'not_supported', reason: 'not_announced' }] },
    ])
    await expect(retry(caller([]), { terminal_kids: [fine] })).rejects.toMatchObject({ refusal: 'device_not_found' })
    // Whoever matches is told again, as far as who asks reaches.
    const told = sentTo(fine).length
    expect(await retry(caller([]), { match: { terminal_group_kid: outer } })).toBe(0)
    expect(await retry(caller(), { match: { terminal_group_kid: outer } })).toBe(2)
    await settle()
    expect(sentTo(fine).length).toBeGreaterThan(told)
  })

  it('holds for devices of all accounts where the platform sets it', async () => {
    const kid = f.kids[4]!
    await f.connect(kid)
    const every_hours = 9
    await platform.save(operator(), { collection: { ...platformConfig.collection, every_hours } })
    expect((await current(caller(), device(kid))).collection).toMatchObject({
      value: { every_hours },
      source: { ltscope: ltscopes.platform },
    })
    await settle()
    expect(sentTo(kid).at(-1)).toMatchObject({ config: { collection: { every_hours } } })
    await platform.reset(operator(), {})
    await settle()
    expect(sentTo(kid).at(-1)).toMatchObject({ config: { collection: platformConfig.collection } })
  })

  it('gives people without the permission what the console goes by, and nothing else', async () => {
    const plain = { ...caller(), may: () => false }
    await edits.save(caller(), {
      ...account,
      map_type: { map_type: '1' },
      ntp: { server: 'a.example', every_hours: 1 },
    })
    const given = await current(plain, account)
    expect(given.map_type).toMatchObject({ value: { map_type: '1' } })
    expect(Object.keys(given).toSorted()).toEqual(['delivery', 'list_columns', 'map_type'])
    await expect(current(plain, device(f.kids[0]!))).rejects.toMatchObject({ refusal: 'no_permission' })
    await edits.reset(caller(), account)
  })

  it('owes a change to many devices in pieces, also when it is cut off', async () => {
    const many = await newGroup('ROOT')
    const account_kid = f.account_kid
    await addTerminal(f.deps, account_kid, { sn: newKid(), terminal_group_kid: many })
    const { db } = f.deps
    expect(await edits.save(caller(), { ...group(many), ntp: { server: 'ntp.example', every_hours: 3 } })).toEqual([
      'ntp',
    ])
    await backgroundAtRest(f.deps)
    // As a server that died left it: nothing is owed yet.
    await db.deleteFrom('terminal_config_delivery').where('account_kid', '=', account_kid).execute()
    const [made] = await changes(group(many))
    const place = { account_kid, ltscope: ltscopes.group, terminal_group_kid: many, terminal_kid: null }
    await queueDelivery(db, { place, sections: ['ntp'], change_kid: made!.kid }, f.deps.clock.now())
    expect((await changes(group(many)))[0]!.progress.is_queuing).toBe(true)
    wake(f.deps, configurationQueue)
    await expect
      .poll(async () => (await changes(group(many)))[0]!.progress)
      .toMatchObject({
        is_queuing: false,
        devices: 1,
        waiting: 1,
      })
  })
})
