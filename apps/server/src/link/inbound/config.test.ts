import { ltscopes } from '@mdm/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as edits from '../../modules/configuration/terminal-config/save.ts'
import { current } from '../../modules/configuration/terminal-config/index.ts'
import { testActor } from '../../testing/actor.ts'
import { fleet, hello, seedDevices } from '../../testing/fleet.ts'
import type { Fleet } from '../../testing/fleet.ts'

let f: Fleet
beforeAll(async () => void (f = await fleet(0)))
afterAll(() => f.close())

const minute_ms = 60_000
/** By the device's clock. */
const at = (minutes: number) => new Date(f.deps.clock.now().getTime() + minutes * minute_ms).toISOString()
/** What applying one of these may do: the connection is cut, or the clock is set. */
const cutting = ['wifi_profiles', 'mobile_data', 'proxy', 'server_address', 'ntp', 'time_zone'] as const
const failed = (section: string) => [
  { section, outcome: 'failed' as const, reason: 'command_failed' as const, message: 'exit 1' },
]
const resultsOf = (kid: string) =>
  f.deps.db
    .selectFrom('terminal_config_result')
    .select(['section', 'outcome', 'version'])
    .where('terminal_kid', '=', kid)
    .orderBy('section')
    .execute()
const newDevice = async () => (await seedDevices(f.deps, 1, f.account_kid)).kids[0]!
const greet = (kid: string, config_version: number | undefined, minutes = 0) =>
  f.say(
    kid,
    'hello',
    hello(f.deps, { device_time: at(minutes), ...(config_version !== undefined && { config_version }) }),
  )
const answer = (kid: string, config_version: number, more: { seq: number; minutes?: number; results?: object[] }) =>
  f.say(kid, 'state', {
    seq: more.seq,
    device_time: at(more.minutes ?? 0),
    config_version,
    ...(more.results && { config_results: more.results }),
  })

describe('the answer to a configuration', () => {
  it.each(cutting)('of %s that was made before the hello and comes after it is kept', async (section) => {
    const kid = await newDevice()
    await greet(kid, 4)
    await greet(kid, 5, 2)
    await answer(kid, 5, { seq: 10, minutes: 1, results: failed(section) })
    expect(await resultsOf(kid)).toEqual([{ section, outcome: 'failed', version: 5 }])
    expect((await f.state(kid)).config_version).toBe(5)
  })

  it.each([-4, -60, -60 * 24 * 400])('of a device whose clock stepped back %s minutes is kept', async (minutes) => {
    const kid = await newDevice()
    await greet(kid, undefined)
    await answer(kid, 3, { seq: 1 })
    await answer(kid, 4, { seq: 2, minutes, results: failed('ntp') })
    expect(await resultsOf(kid)).toEqual([{ section: 'ntp', outcome: 'failed', version: 4 }])
    expect((await f.state(kid)).config_version).toBe(4)
  })

  it('of a device that counts anew and does not know the time is kept', async () => {
    const kid = await newDevice()
    await answer(kid, 3, { seq: 900, results: failed('proxy') })
    await greet(kid, undefined, -60)
    await answer(kid, 4, { seq: 1, minutes: -60, results: failed('ntp') })
    expect(await resultsOf(kid)).toEqual([{ section: 'ntp', outcome: 'failed', version: 4 }])
  })

  it('in one commit with the hello of the connection after it is kept', async () => {
    const kid = await newDevice()
    await greet(kid, 4)
    await Promise.all([
      answer(kid, 5, { seq: 10, minutes: 1, results: failed('wifi_profiles') }),
      greet(kid, undefined, 2),
    ])
    expect(await resultsOf(kid)).toEqual([{ section: 'wifi_profiles', outcome: 'failed', version: 5 }])
    expect((await f.state(kid)).config_version).toBe(5)
  })

  it('to an older version changes nothing, and the same version without results takes none back', async () => {
    const kid = await newDevice()
    await greet(kid, 5)
    await answer(kid, 5, { seq: 10, results: failed('proxy') })
    await answer(kid, 4, { seq: 11, minutes: 1, results: failed('ntp') })
    await answer(kid, 5, { seq: 12, minutes: 2 })
    await answer(kid, 5, { seq: 10, results: failed('language') })
    expect(await resultsOf(kid)).toEqual([{ section: 'proxy', outcome: 'failed', version: 5 }])
    expect((await f.state(kid)).config_version).toBe(5)
    // One that was emptied says so in its hello.
    await greet(kid, undefined, 3)
    expect((await f.state(kid)).config_version).toBe(0)
    await answer(kid, 1, { seq: 13, minutes: 4, results: failed('ntp') })
    expect(await resultsOf(kid)).toEqual([{ section: 'ntp', outcome: 'failed', version: 1 }])
  })

  it('is shown as failed, not as if nobody had answered', async () => {
    const kid = await newDevice()
    const caller = { ...testActor(f.deps, f.account_kid), may: () => true }
    const place = { ltscope: ltscopes.terminal, terminal_kid: kid }
    await f.connect(kid)
    await edits.save(caller, { ...place, time_zone: { zone_id: 'Europe/Paris' } })
    await f.deps.clock.advance(10_000)
    const { version } = f.edge.sent.findLast((each) => each.kid === kid && each.topic.endsWith('/config'))!.payload
    await greet(kid, version, 3)
    await answer(kid, version, { seq: 10, minutes: 1, results: failed('time_zone') })
    const { delivery, time_zone } = await current(caller, place)
    expect([delivery?.state, time_zone]).toMatchObject(['failed', { result: { outcome: 'failed' } }])
  })
})
