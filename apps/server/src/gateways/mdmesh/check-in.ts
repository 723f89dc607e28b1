import type { Deps } from '../../deps.ts'
import { visitForCommands } from '../shared/commands.ts'
import type { KeptOfCommands, Turn as TurnOf } from '../shared/commands.ts'
import { mdmeshTrade } from './commands.ts'
import { configure, locate } from './config.ts'
import { answerOf, answerRequest } from './requests.ts'
import type { Said } from './said.ts'
import { deviceTimeOf, inventoryOf, packagesOf, stateOf, uptimeOf } from './telemetry.ts'

/** It comes every 10 to 15 minutes when nobody wakes it. */
const silent_ms = 20 * 60_000
type Kept = KeptOfCommands & {
  agent_version?: string
  /** It was asked for a fresh fix, and looks for its place at each check-in until it is told not to. */
  is_locating?: boolean
  /** So its configuration wants it. */
  is_location_on?: boolean
  has_kiosk?: boolean
}
export type Turn = TurnOf<Kept>

/** What a device says at a check-in, translated for the link, and what the link has for it, translated for the agent. */
export function checkIn(deps: Deps, kid: string, said: Said, at: { address: string; origin: string }) {
  const inventory = inventoryOf(said)
  const packages = said.results
    .flatMap(({ id, detail }) => (/^(list|request\.app_list)\./.test(id) ? [packagesOf(detail)] : []))
    .findLast((each) => each !== undefined)
  return visitForCommands<Kept>(deps, kid, {
    ...{ kind: 'mdmesh', address: at.address, silent_ms, fresh: { open: [], boots: [] } },
    ...{ hardware_id: said.hardware_id, serial: said.serial, results: said.results },
    ...{ uptime_ms: uptimeOf(said.dynamic), device_time: deviceTimeOf(said), state: stateOf(said) },
    trade: mdmeshTrade({ origin: at.origin, sdk: inventory.sdk, agent_version: said.agent_version }),
    inventoryOf: ({ agent_version: service_version }) => ({
      ...{ ...inventory, ...(service_version && { service_version }) },
      ...(packages && { packages }),
    }),
    before(turn) {
      if (said.agent_version !== undefined) turn.kept.agent_version = said.agent_version
      const { kept, now } = turn
      if (said.results.some(({ id, status }) => id.startsWith('passive.') && status === 'done')) delete kept.is_locating
      if (kept.is_locating && !kept.is_location_on) turn.hand(`passive.${now}`, locate(false))
      for (const event of said.events) turn.say('event', event)
    },
    configure: (turn, wanted) => configure(turn, wanted, said.policies),
    ask: answerRequest,
    answerOf,
  })
}
