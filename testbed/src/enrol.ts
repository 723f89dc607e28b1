import { startAgent } from '@mdm/agent/agent.ts'
import type { Agent } from '@mdm/agent/agent.ts'
import { qrToken } from '@mdm/agent/cli.ts'
import { simulatedBody } from '@mdm/agent/body/simulated.ts'
import type { SimulatedBody } from '@mdm/agent/body/simulated.ts'
import { memoryStore } from '@mdm/agent/store.ts'
import type { Caller } from './caller.ts'
import { until } from './until.ts'

export type Device = { sn: string; kid: string; agent: Agent; body: SimulatedBody }
type Options = { sn: string; seed?: number; group_kid?: string; body?: Partial<Parameters<typeof simulatedBody>[0]> }

/** A real agent with a simulated body, registered for the account that `call` acts for, and online when this answers. */
export async function enrol(call: Caller, options: Options): Promise<Device> {
  const { sn, seed = 1, group_kid = 'NO_GROUP', body: given = {} } = options
  const body = simulatedBody({ sn, seed, faults: {}, ...given })
  const { agent, kid } = await registerByQr(call, sn, group_kid, (qrcode) =>
    startAgent({ server: call.url, body, store: memoryStore(), qrcode, reconnect: { base_ms: 50, cap_ms: 500 } }),
  )
  await agent.reached('online')
  await until(`${sn} online`, async () => (await call.terminal.get({ kid })).is_online)
  return { sn, kid, agent, body }
}

/** By the code that the device shows, as a person does who stands before it. Its `kid`, when it is online. */
export async function registerByCode(call: Caller, agent: Agent): Promise<string> {
  await agent.reached('waiting')
  const { kid } = await call.terminal.manual_registered({
    sn: agent.sn!,
    registration_code: agent.registration_code!,
  })
  agent.askRegistered()
  await agent.reached('online')
  return kid
}

/** By QR code: a device that waits for its code to be typed asks again and again, and many of one address are slowed down. */
export async function registerByQr(
  call: Caller,
  sn: string,
  terminal_group_kid: string,
  start: (qrcode: string) => Agent,
): Promise<{ agent: Agent; kid: string }> {
  const { qrcode_kid, content } = await call.terminal.qrcode_registered_cache({ terminal_group_kid })
  const agent = start(qrToken(content))
  const kid = await until(
    `${sn} registered`,
    async () => (await call.terminal.get_scan_result({ qrcode_kid })).terminal_kid,
  )
  return { agent, kid }
}
