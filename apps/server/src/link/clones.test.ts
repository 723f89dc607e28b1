import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newKid } from '../lib/ids.ts'
import { liftQuarantine, standing } from '../modules/fleet/enrolment/index.ts'
import { detailOf } from '../modules/devices/terminal/index.ts'
import { testActor } from '../testing/actor.ts'
import { fleet, hello, secret_of_all, seedDevices } from '../testing/fleet.ts'
import type { Fleet } from '../testing/fleet.ts'
import { areTwoMachines, withSign } from './clones.ts'
import type { Sign } from './clones.ts'
import { authenticateDevice } from './credentials.ts'

let f: Fleet
beforeAll(async () => void (f = await fleet(0)))
afterAll(() => f.close())

const newDevice = async () => (await seedDevices(f.deps, 1, f.account_kid)).kids[0]!
const isLetIn = async (kid: string) => (await authenticateDevice(f.deps, kid, secret_of_all)) !== undefined
const wasKicked = (kid: string) => f.edge.kicked.some((kick) => kick.kid === kid)
/** Asked of the device after its hello; undefined when it was not asked. */
const pingsOf = (kid: string) => f.edge.sent.filter(({ kid: to, payload }) => to === kid && payload.method === 'ping')

type Machine = { boot_id: string; boot_at?: number; says?: 'no uptime' | 'nothing' }
/** One machine connects, takes over from whoever was connected, and answers what it is asked. */
async function connect(kid: string, { boot_id, boot_at, says }: Machine, address = '10.0.0.1') {
  const epoch = newKid()
  f.edge.callbacks.connected({ kid, epoch, address, transport: 'mqtt' })
  const asked = pingsOf(kid).length
  await f.say(kid, 'hello', hello(f.deps, { epoch, boot_id }))
  const ping = pingsOf(kid)[asked]
  if (!ping || says === 'nothing') return
  const device_time = f.deps.clock.now().toISOString()
  const uptime = (f.deps.clock.now().getTime() - (boot_at ?? 0)) / 1000
  const data = { device_time, boot_id, ...(says !== 'no uptime' && { uptime }) }
  await f.say(kid, 'reply', { id: ping.payload.id, ok: true, data })
  // The answer is judged in a transaction of its own; what is said after it is committed later.
  await f.deps.db.selectFrom('terminal_state').select('machines').where('terminal_kid', '=', kid).execute()
  await new Promise((resolve) => setImmediate(resolve))
}
const settle = async (kid: string) => {
  for (let i = 0; i < 20; i += 1) await f.deps.db.selectFrom('terminal').select('kid').where('kid', '=', kid).execute()
}
const nowMs = () => f.deps.clock.now().getTime()

describe('a device is not taken for two', () => {
  it('because it walks between networks while its older connections are half-open', async () => {
    const kid = await newDevice()
    const walker = { boot_id: 'a', boot_at: nowMs() - 3_600_000 }
    for (let i = 0; i < 12; i += 1) await connect(kid, walker, `10.0.0.${i % 3}`)
    await settle(kid)
    expect([await isLetIn(kid), wasKicked(kid)]).toEqual([true, false])
  })

  it('because a boot comes back', async () => {
    const kid = await newDevice()
    // Two slots of a system, each with a boot id that it was installed with.
    for (const boot_id of ['a', 'b', 'a', 'b', 'a', 'b']) {
      await f.deps.clock.advance(15_000)
      await connect(kid, { boot_id, boot_at: nowMs() - 5_000 })
    }
    await settle(kid)
    expect([await isLetIn(kid), wasKicked(kid), pingsOf(kid).length]).toEqual([true, false, 4])
  })

  it('because it answers nothing', async () => {
    const kid = await newDevice()
    for (const boot_id of ['a', 'b', 'a', 'b', 'a', 'b']) await connect(kid, { boot_id, says: 'nothing' })
    await settle(kid)
    expect(await isLetIn(kid)).toBe(true)
  })
})

describe('a copied secret', () => {
  it('is noticed by two machines that run at the same time, from one address too, and however seldom one is there', async () => {
    const kid = await newDevice()
    const one = { boot_id: 'one', boot_at: nowMs() - 86_400_000 }
    const two = { boot_id: 'two', boot_at: nowMs() - 7_200_000 }
    for (const machine of [one, two, one]) await connect(kid, machine)
    await settle(kid)
    expect(await isLetIn(kid)).toBe(true)
    await f.deps.clock.advance(3_600_000, 60_000)
    for (const machine of [two, one]) await connect(kid, machine)
    await expect.poll(() => wasKicked(kid)).toBe(true)
    expect(await isLetIn(kid)).toBe(false)
    const events = await f.deps.db.selectFrom('terminal_event').selectAll().where('terminal_kid', '=', kid).execute()
    expect(events.filter(({ type }) => type === 'cloned_secret')).toMatchObject([
      { detail: { boot_id: 'one', other_boot_id: 'two', quarantined_until: expect.any(String) } },
    ])
    const heard = f.deps.events.map(({ event }) => event.type)
    expect(heard).toEqual(expect.arrayContaining(['terminal_event', 'terminal_info', 'terminal_list_changed']))
    await f.deps.clock.advance(3_600_001, 60_000)
    expect(await isLetIn(kid)).toBe(true)
  })

  it('is noticed in machines that say no uptime, by answers too quick for a boot', async () => {
    const kid = await newDevice()
    for (const boot_id of ['one', 'two', 'one', 'two', 'one']) await connect(kid, { boot_id, says: 'no uptime' })
    await expect.poll(() => wasKicked(kid)).toBe(true)
  })

  it('is told to who has it, and until when; lifting lets the device in again and forgets the evidence', async () => {
    const kid = await newDevice()
    const actor = testActor(f.deps, f.account_kid)
    expect(await liftQuarantine(actor, kid)).toBeUndefined()
    for (const boot_id of ['one', 'two', 'one', 'two', 'one']) await connect(kid, { boot_id, says: 'no uptime' })
    await expect.poll(() => wasKicked(kid)).toBe(true)
    const until = new Date(nowMs() + 3_600_000)
    expect(await standing(f.deps, kid, secret_of_all)).toEqual({
      state: 'quarantined',
      retry_after: 60,
      quarantined_until: until.toISOString(),
    })
    expect(await standing(f.deps, kid, 'b'.repeat(64))).toMatchObject({ state: 'unknown' })
    expect((await detailOf(actor, kid)).quarantined_until).toEqual(until)
    await expect(liftQuarantine(testActor(f.deps, newKid()), kid)).rejects.toThrow()
    expect(await liftQuarantine(actor, kid)).toBe(`SN-${kid}`.toUpperCase())
    expect(await standing(f.deps, kid, secret_of_all)).toMatchObject({ state: 'registered' })
    await connect(kid, { boot_id: 'two', says: 'no uptime' })
    await settle(kid)
    expect(await isLetIn(kid)).toBe(true)
  })
})

describe('the evidence', () => {
  const sign = (boot_id: string, at_s: number, uptime?: number): Sign => ({ boot_id, at: at_s * 1000, uptime })
  it.each<[string, Sign[], boolean]>([
    ['one machine', [sign('a', 0), sign('a', 1), sign('a', 2)], false],
    ['two answers', [sign('a', 0), sign('b', 1)], false],
    ['three boots', [sign('a', 0), sign('b', 1), sign('c', 2)], false],
    ['a boot that runs on', [sign('a', 0, 100), sign('b', 600, 5), sign('a', 1200, 1300)], true],
    ['a boot that began anew', [sign('a', 0, 100), sign('b', 60, 20), sign('a', 120, 30)], false],
    ['no uptime, within seconds', [sign('a', 0), sign('b', 10), sign('a', 20)], true],
    ['no uptime, within minutes', [sign('a', 0), sign('b', 60), sign('a', 120)], false],
    ['the last three', [sign('b', 0), sign('a', 500), sign('b', 510), sign('a', 520)], true],
  ])('of %s', (_what, signs, is_proof) => {
    expect(areTwoMachines(signs.reduce(withSign, [] as Sign[]))).toBe(is_proof)
  })
})
