import { metresBetween } from '@mdm/agent/changes.ts'
import type { Caller } from './caller.ts'
import type { Device } from './enrol.ts'
import { until } from './until.ts'

export const depot = { longitude: 105.8412, latitude: 21.0245 }
export const radius = 600
/** As a van's tracker recorded it around Hanoi station: out to the river, back, along the edge, and home. */
export const recorded = [
  [105.8412, 21.0245],
  [105.8431, 21.0249],
  [105.8452, 21.0254],
  [105.8468, 21.0258],
  [105.8474, 21.0259],
  [105.847, 21.0261],
  [105.8489, 21.0263],
  [105.8533, 21.0271],
  [105.8581, 21.0289],
  [105.8577, 21.0301],
  [105.8512, 21.0288],
  [105.8478, 21.0262],
  [105.8469, 21.0257],
  [105.8476, 21.0259],
  [105.8458, 21.0252],
  [105.8421, 21.0247],
  [105.8377, 21.0196],
  [105.8351, 21.0168],
  [105.8404, 21.0239],
] as const

/** Drives this way: each position is at the server before the next one is taken. */
export async function follow(call: Caller, device: Device): Promise<void> {
  for (const [longitude, latitude] of recorded) {
    device.body.placed_at = { longitude, latitude, accuracy: 8 }
    await device.agent.sample()
    // Reports that wait melt into one: a tracker is minutes apart, this drive is not.
    await until('the position at the server', async () => {
      const { position } = await call.terminalLocation.get({ terminal_kid: device.kid })
      return position && metresBetween(position, { longitude, latitude }) < 1 ? true : undefined
    })
  }
}
