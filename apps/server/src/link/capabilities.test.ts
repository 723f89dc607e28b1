import { ltscopes } from '@mdm/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { seal } from '../lib/sealed.ts'
import { insert as insertAuthorisation } from '../modules/configuration/api-authorisation/index.ts'
import * as edits from '../modules/configuration/terminal-config/save.ts'
import { kindOf } from '../modules/push/push-task/kinds/kinds.ts'
import { insert } from '../modules/push/push-task/index.ts'
import { testActor } from '../testing/actor.ts'
import { fleet, hello, seedDevices } from '../testing/fleet.ts'
import type { Fleet } from '../testing/fleet.ts'
import { addUid } from '../testing/os-versions.ts'
import { pusher } from '../testing/push-tasks.ts'

let f: Fleet
beforeAll(async () => void (f = await fleet(0)))
afterAll(() => f.close())
const newDevice = async () => (await seedDevices(f.deps, 1, f.account_kid)).kids[0]!
const greet = async (kid: string, inventory: object, more: object = {}) => {
  const epoch = crypto.randomUUID()
  f.edge.callbacks.connected({ kid, epoch, address: '10.0.0.1', transport: 'mqtt' })
  await f.say(kid, 'hello', hello(f.deps, { epoch, inventory, ...more }))
  await f.deps.clock.advance(10_000)
}
/** What this device ought to hold, worked out already. */
const owe = async (kid: string, config: object) => {
  const due = { version: 1, config: JSON.stringify(config), is_dirty: false, send_at: f.deps.clock.now() }
  await f.deps.db
    .insertInto('terminal_config_delivery')
    .values({ terminal_kid: kid, account_kid: f.account_kid, ...due } as never)
    .onConflict((row) => row.column('terminal_kid').doUpdateSet(due as never))
    .execute()
}
const configsOf = (kid: string) =>
  f.edge.sent.filter((each) => each.kid === kid && each.topic.endsWith('/config')).map(({ payload }) => payload)

describe('a secret goes only to a device that can do something with it', () => {
  const secrets = {
    wifi_profiles: {
      networks: [
        {
          ...{ ssid: 'Depot', security: 'wpa2' as const, password: 'wifi-secret', eap_method: 'peap' as const },
          ...{ identity: '', ca_certificate: '', is_hidden: false, proxy_host: '', proxy_port: null },
        },
      ],
    },
    screen_lock: { password: '739105528461' },
    manage_password: { password: '839105528461' },
  }
  it.each(Object.keys(secrets) as (keyof typeof secrets)[])('%s', async (section) => {
    const kid = await newDevice()
    const caller = { ...testActor(f.deps, f.account_kid), may: () => true }
    await greet(kid, { config_sections: ['collection', 'time_zone'] })
    const place = { ltscope: ltscopes.terminal, terminal_kid: kid }
    await edits.save(caller, {
      ...place,
      time_zone: { zone_id: 'Europe/Paris' },
      [section]: secrets[section],
    } as never)
    await f.deps.clock.advance(10_000)
    await expect.poll(() => configsOf(kid)).not.toEqual([])
    const { config, version } = configsOf(kid).at(-1)!
    expect(config).toHaveProperty('time_zone')
    expect(config).not.toHaveProperty(section)
    // An agent that can obey it says so later, and is told.
    await greet(kid, { config_sections: ['collection', 'time_zone', section] }, { config_version: version })
    await expect.poll(() => configsOf(kid).at(-1)).toMatchObject({ config: { [section]: secrets[section] } })
    expect(configsOf(kid).at(-1).version).toBeGreaterThan(version)
    const { length } = configsOf(kid)
    const held = configsOf(kid).at(-1).version
    await greet(kid, { config_sections: [section, 'time_zone', 'collection'] }, { config_version: held })
    expect(configsOf(kid)).toHaveLength(length)
  })

  it('a list of API calls, also where it was signed before the device could apply it', async () => {
    const kid = await newDevice()
    const uid = 'UIDCAPABLE0000000001'
    await greet(kid, { uid, config_sections: ['collection'] })
    const app = { package: 'com.acme.till', cert_sha1: 'ab'.repeat(20), remark: '', methods: ['a.b'] }
    const uid_kids = [await addUid(f.deps, uid)]
    await insertAuthorisation(testActor(f.deps, f.account_kid), { ...app, uid_kids })
    await f.deps.clock.advance(10_000)
    expect(configsOf(kid)).toEqual([])
    await greet(kid, { uid, config_sections: ['api_authorisation', 'collection'] })
    await expect.poll(() => configsOf(kid).at(-1)).toMatchObject({ config: { api_authorisation: { version: 1 } } })
  })

  it('of a device that has not said what it can obey it is sent', async () => {
    const kid = await newDevice()
    const caller = { ...testActor(f.deps, f.account_kid), may: () => true }
    await greet(kid, {})
    await edits.save(caller, { ltscope: ltscopes.terminal, terminal_kid: kid, screen_lock: secrets.screen_lock })
    await f.deps.clock.advance(10_000)
    await expect.poll(() => configsOf(kid).at(-1)).toMatchObject({ config: { screen_lock: secrets.screen_lock } })
  })

  it('a fence with its password', async () => {
    const fence = {
      ...{
        fence_kid: crypto.randomUUID(),
        fence_version: 1,
        name: 'Depot',
        shape: 'circle',
        longitude: 1,
        latitude: 1,
      },
      ...{ radius: 500, duration: 30, accuracy: 'common', password_sealed: await seal(f.deps, '4711') },
    }
    const told = async (judges_fence: boolean | undefined) => {
      const kid = await newDevice()
      await owe(kid, { fence })
      await greet(kid, judges_fence === undefined ? {} : { judges_fence })
      await expect.poll(() => configsOf(kid)).not.toEqual([])
      return configsOf(kid).at(-1)!.config
    }
    expect(await told(undefined)).toEqual({})
    expect(await told(false)).toEqual({})
    expect(await told(true)).toMatchObject({ fence: { name: 'Depot', lock_password: '4711' } })
  })
})

describe('a device that takes small packets only', () => {
  const words = 'x'.repeat(20_000)

  it('fails a task that is larger, and others get it', async () => {
    const [small, other] = [await newDevice(), await newDevice()]
    const push = { description: '', type: 'message', payload: { title: 'Hi', text: 'there' } } as const
    const { kid } = await insert(pusher(f.deps, f.account_kid), { terminal_kids: [small, other], ...push })
    const payload = JSON.stringify({ title: 'Hi', text: words })
    await f.deps.db.updateTable('push_task').set({ payload }).where('kid', '=', kid).execute()
    // Both are away for now: what is still due as one connects might be sent before its hello says how much it takes.
    const due = () =>
      f.deps.db
        .selectFrom('push_task_terminal')
        .select('terminal_kid')
        .where('push_task_kid', '=', kid)
        .where('send_at', '<=', f.deps.clock.now())
        .execute()
    await expect.poll(due).toEqual([])
    await greet(small, { max_packet: 16_384 })
    await greet(other, {})
    const states = () =>
      f.deps.db
        .selectFrom('push_task_terminal')
        .select(['terminal_kid', 'state', 'code'])
        .where('push_task_kid', '=', kid)
        .orderBy('terminal_kid')
        .execute()
    await expect.poll(states).toEqual(
      [
        { terminal_kid: small, state: 'failed', code: 'packet_too_large' },
        { terminal_kid: other, state: 'wait_receipt', code: null },
      ].toSorted((a, b) => (a.terminal_kid < b.terminal_kid ? -1 : 1)),
    )
    const sent = () => f.edge.sent.filter(({ topic }) => topic.endsWith('/task')).map((each) => each.kid)
    // Its state is the same before it is sent, which may be after the other has failed.
    await expect.poll(sent).toContain(other)
    expect(sent()).not.toContain(small)
  })

  it('is not sent a configuration that is larger: its events say so once, and it gets it when it takes more', async () => {
    const kid = await newDevice()
    await owe(kid, { words })
    const told = () =>
      f.deps.db
        .selectFrom('terminal_event')
        .select('detail')
        .where('terminal_kid', '=', kid)
        .where('type', '=', 'config_too_large')
        .execute()
    await greet(kid, { max_packet: 16_384 })
    await expect.poll(told).toMatchObject([{ detail: { version: 1, max_packet: 16_384 } }])
    await greet(kid, { max_packet: 16_384 })
    await f.deps.clock.advance(600_000, 10_000)
    expect(configsOf(kid)).toEqual([])
    await greet(kid, { max_packet: 65_536 })
    await expect.poll(() => configsOf(kid).at(-1)).toMatchObject({ version: 1, config: { words } })
    expect(await told()).toHaveLength(1)
  })
})

it('a protocol version that is too new is told in hello, as it is when a device announces itself', async () => {
  const kid = await newDevice()
  await greet(kid, { protocol_version: 1 })
  expect(f.edge.sent.filter((each) => each.kid === kid && each.topic.endsWith('/refused'))).toEqual([])
  await greet(kid, { protocol_version: 2 })
  const refused = f.edge.sent.filter((each) => each.kid === kid && each.topic.endsWith('/refused'))
  expect(refused.map(({ payload }) => payload)).toMatchObject([
    { name: 'hello', is_whole: false, parts: [{ path: 'inventory.protocol_version', reason: 'out_of_range' }] },
  ])
  const kept = await f.deps.db.selectFrom('terminal_refusal').selectAll().where('terminal_kid', '=', kid).execute()
  expect(kept).toHaveLength(1)
})

it.each([
  [
    'app_install',
    { apps: [{ package: 'a' }, { package: 'b' }] },
    [{ package: 'a', version: '1' }, { package: 'b' }],
    'not_installed',
  ],
  ['app_install', { apps: [{ package: 'a' }] }, [{ package: 'a', version: '1' }, { package: 'other' }], undefined],
  ['app_install', { apps: [{ package: 'a' }] }, undefined, undefined],
  ['app_uninstall', { packages: ['a'] }, [{ package: 'a', version: '1' }], 'still_installed'],
  ['app_uninstall', { packages: ['a'] }, [{ package: 'a' }, { package: 'other', version: '1' }], undefined],
] as const)('%s of %j that says %j fails with %s', async (type, stored, apps, code) => {
  const result = apps && { apps: [...apps] }
  const codes = await f.deps.db
    .transaction()
    .execute((trx) => kindOf(type).contradicted!(trx, stored as never, [{ terminal_kid: 'k', result }]))
  expect(codes).toEqual([code])
})
