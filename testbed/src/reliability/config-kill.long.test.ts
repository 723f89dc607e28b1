import { startAgent } from '@mdm/agent/agent.ts'
import { simulatedBody } from '@mdm/agent/body/simulated.ts'
import { memoryStore } from '@mdm/agent/store.ts'
import { expect, test } from 'vitest'
import { registerByCode } from '../enrol.ts'
import { until } from '../until.ts'
import { killableServer } from './killable.ts'
import type { Killable } from './killable.ts'

const minute = 60_000

/** A device that tells what it is configured with, and when it is asked. */
async function connected(server: Killable, sn: string, seed: number) {
  const body = simulatedBody({ sn, seed, faults: { slow_ms: 40 } })
  const asked: string[] = []
  const done: string[] = []
  const configure = body.configure.bind(body)
  body.configure = async (section, value, signal) => {
    const { server: clock } = value as { server: string }
    if (section === 'ntp') asked.push(clock)
    const outcome = await configure(section, value, signal)
    if (section === 'ntp') done.push(clock)
    return outcome
  }
  const agent = startAgent({ server: server.url, body, store: memoryStore(), reconnect: { base_ms: 50, cap_ms: 500 } })
  const kid = await registerByCode(server.customer, agent)
  return { kid, agent, asked, done }
}

test(
  'a configuration reaches every device, wherever between owed and applied the server is killed',
  async () => {
    await using server = await killableServer()
    const { kid } = await server.customer.terminalGroup.insert({ name: 'Killed docks', parent_kid: 'ROOT' })
    const devices = await Promise.all([1, 2, 3].map((n) => connected(server, `CONFIG-KILL-${n}`, n)))
    const terminal_kids = devices.map((device) => device.kid)
    await server.customer.terminal.move_group_batch({ terminal_kids, terminal_group_kid: kid })
    const place = { ltscope: 30, terminal_group_kid: kid }
    const moments = ['owed', 'asked', 'done', 'confirmed', 'owed'] as const
    for (const [round, moment] of moments.entries()) {
      const clock = `clock-${round}.example.com`
      await server.customer.terminalConfig.save({ ...place, ntp: { server: clock, every_hours: 1 } })
      if (moment === 'asked' || moment === 'done')
        await until(`a device to be ${moment}`, () => devices.some((device) => device[moment].includes(clock)))
      if (moment === 'confirmed')
        await until('a device to confirm', async () => {
          const [change] = (await server.customer.terminalConfig.change_paging(place)).items
          return change!.progress.applied > 0
        })
      await server.killAndRestart()
    }
    const last = `clock-${moments.length - 1}.example.com`
    const [change] = await until(
      'every device to go by the last one',
      async () => {
        const { items } = await server.customer.terminalConfig.change_paging(place)
        return items[0]!.progress.applied === devices.length && items
      },
      180,
    )
    expect(change!.progress).toMatchObject({ devices: 3, applied: 3, waiting: 0, failed: 0, is_queuing: false })
    for (const device of devices) {
      expect(device.done.at(-1)).toBe(last)
      const { ntp, delivery } = await server.customer.terminalConfig.current_config({
        ltscope: 40,
        terminal_kid: device.kid,
      })
      expect(ntp).toMatchObject({ value: { server: last }, result: { outcome: 'applied' } })
      expect(delivery).toMatchObject({ state: 'applied' })
    }
    for (const { agent } of devices) await agent.stop()
  },
  4 * minute,
)
