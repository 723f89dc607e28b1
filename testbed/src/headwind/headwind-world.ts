import { gatewayWorld } from '../mdmesh/gateway-world.ts'
import { HeadwindAgent } from './agent.ts'
import type { HeadwindOptions } from './agent.ts'

/** The server with this gateway turned on. */
export async function headwindWorld() {
  const w = await gatewayWorld()
  w.deps.config.gateways.headwind = true
  await w.http.restart()
  w.deps.config.public_url = w.http.url
  let made = 0
  const agent = (more: Partial<HeadwindOptions> = {}): HeadwindAgent =>
    new HeadwindAgent({
      ...{ server: w.http.url, token: w.token, serial: `HW-${(made += 1)}`, now: () => w.deps.clock.now().getTime() },
      ...more,
    })
  const joined = async (more: Partial<HeadwindOptions> = {}): Promise<HeadwindAgent> => {
    const one = agent(more)
    await one.fetchConfig()
    await w.deps.clock.advance(1_000)
    await one.sync()
    await w.deps.clock.advance(10_000)
    return one
  }
  /** Time passes, and the device looks for news. */
  const later = async (one: HeadwindAgent, ms = 60_000): Promise<boolean> => {
    await w.deps.clock.advance(ms)
    return one.look()
  }
  const rows = () => w.deps.db.selectFrom('terminal').selectAll().where('agent_kind', '=', 'headwind').execute()
  const events = (kid: string | undefined) =>
    w.deps.db.selectFrom('terminal_event').select('type').where('terminal_kid', '=', kid!).execute()
  return { ...w, device: agent, joinedDevice: joined, laterDevice: later, rows, events }
}
export type HeadwindWorld = Awaited<ReturnType<typeof headwindWorld>>
