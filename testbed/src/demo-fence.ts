import { ltscopes } from '@mdm/contract'
import { places } from '@mdm/agent/body/simulated-models.ts'
import type { Caller } from './caller.ts'
import { findOrMake } from './demo-callers.ts'
import type { DemoCallers } from './demo-callers.ts'
import { until } from './until.ts'

const [city] = places
/** Beside the place that devices walk around, so that their ways lead across its edge. */
const depot = { name: 'Depot Hanoi', latitude: city.latitude, longitude: city.longitude + 0.0067, radius: 1_200 }
/** Degrees around the city in which a device belongs to the depot. */
const reach = 0.05

/** A fence around the depot, in force for devices that are near it. */
export async function setFenceForDemo({ customer: call }: DemoCallers): Promise<void> {
  const { kid } = await findOrMake(
    call.electronicFence.paging({ text: depot.name }),
    (row) => row.name === depot.name,
    () => call.electronicFence.insert(depot),
  )
  if ((await call.electronicFence.list_places({ kid })).length > 0) return
  const near = await until('a device near the depot', () => nearDepot(call))
  await call.electronicFence.save_places({
    fence_kid: kid,
    places: near.map((terminal_kid) => ({ ltscope: ltscopes.terminal, terminal_kid })),
  })
}

async function nearDepot(call: Caller): Promise<string[] | undefined> {
  const { latitude, longitude } = city
  const bounds = {
    west: longitude - reach,
    east: longitude + reach,
    south: latitude - reach,
    north: latitude + reach,
  }
  const { devices } = await call.terminalLocation.list({ bounds, zoom: 12, is_clustered: false })
  return devices.length > 0 ? devices.map(({ kid }) => kid) : undefined
}

const rules = [
  { name: 'Left the depot', watch: { kind: 'fence', params: {} }, severity: 'critical' },
  { name: 'Charge the handheld', watch: { kind: 'battery', params: { percent: 20 } } },
] as const

/** Rules for what happens in every fleet: devices leave their fence, and batteries run low. */
export async function addAlertRulesForDemo({ customer: call }: DemoCallers): Promise<void> {
  for (const rule of rules)
    await findOrMake(
      call.alertRule.paging({ text: rule.name }),
      (row) => row.name === rule.name,
      () => call.alertRule.insert(rule),
    )
}
