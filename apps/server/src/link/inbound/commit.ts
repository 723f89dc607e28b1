import type { Deps } from '../../deps.ts'
import { publishCoalesced } from '../coalesce.ts'
import { groupBy } from '../group-by.ts'
import { count } from '../stats.ts'
import { endRowsOfConfirmed } from './config.ts'
import { lockDevices, writeDevices } from './device.ts'
import type { Device } from './device.ts'
import { event, insertEvents } from './event.ts'
import { hello } from './hello.ts'
import type { Batch, Item, ItemOf, Kind } from './items.ts'
import { checkedIn, connected, disconnected } from './presence.ts'
import { keepLocations, publishLocations } from './location.ts'
import { refused } from './refused.ts'
import { state } from './state.ts'
import { task } from './task.ts'

/**
 * One transaction for everything that arrived together. Kinds are worked off in this order whatever their order of arrival:
 * a connection comes before what is said over it, and its end is told by its epoch.
 */
const handlers: { [K in Kind]: (batch: Batch, items: ItemOf<K>[]) => Promise<void> } = {
  connected,
  checked_in: checkedIn,
  hello,
  state,
  event,
  task,
  refused,
  disconnected,
}

export async function commitItems(deps: Deps, items: Item[], outbound: Batch['outbound']): Promise<() => void> {
  const effects: (() => void)[] = []
  const byKind = groupBy(items, (item) => item.kind)
  const kids = [...new Set(items.map((item) => item.kid))]
  const is_full = ['connected', 'checked_in', 'disconnected', 'hello'].some((kind) => byKind.has(kind as Kind))
  const is_alone = deps.database.kind === 'embedded'
  const devices = await deps.db.transaction().execute(async (trx) => {
    const batch: Batch = {
      deps,
      trx,
      devices: await lockDevices(trx, kids, { is_full, is_alone }),
      after: (effect) => void effects.push(effect),
      outbound,
    }
    for (const [kind, handle] of Object.entries(handlers)) {
      const mine = byKind.get(kind as Kind)
      if (mine) await (handle as (batch: Batch, items: Item[]) => Promise<void>)(batch, mine)
    }
    await writeDevices(trx, batch.devices.values())
    await endRowsOfConfirmed(batch)
    const moved = await keepLocations(
      trx,
      [...batch.devices.values()].flatMap(({ locations }) => locations),
    )
    batch.after(() => publishLocations(deps, moved))
    askUnknown(batch, items)
    await judgeFences(batch)
    return batch.devices
  })
  return () => {
    count('messages_committed', items.length)
    if (devices.size < kids.length)
      count('messages_of_unknown_devices', items.filter(({ kid }) => !devices.has(kid)).length)
    for (const effect of effects) effect()
    for (const device of devices.values()) if (device.is_shown) publishState(deps, device)
  }
}

/** The embedded broker knows who is connected; behind another one, what a device says shows that it is. */
function askUnknown({ devices, after, outbound }: Batch, items: Item[]): void {
  for (const { kid, kind } of items)
    if (kind === 'state' || kind === 'event' || kind === 'task') {
      if (devices.get(kid)?.is_online === false) after(() => outbound.unknown(kid))
    }
}

/** Every position counts for a fence, also one that is too near to the last for a step of the track. */
async function judgeFences(batch: Batch): Promise<void> {
  const { deps, trx, devices } = batch
  const heard = [...devices.values()].flatMap(({ terminal_kid, locations, fence: status }) => {
    if (locations.length === 0 && !status) return []
    const positions = locations.map(({ location, at }) => ({ ...location, at: at.getTime() }))
    return [{ terminal_kid, positions, status }]
  })
  if (heard.length === 0) return
  const outcome = await deps.features.fences.judgeHeard(trx, heard, deps.clock.now())
  await insertEvents(batch, outcome.events)
  batch.after(() => deps.features.fences.publishFences(deps, outcome))
}

function publishState(deps: Deps, device: Device): void {
  const {
    terminal_kid: kid,
    account_kid,
    is_online,
    is_asleep,
    last_online_at,
    battery_level,
    network_type,
    signal,
  } = device
  publishCoalesced(deps, `state ${kid}`, account_kid, {
    type: 'terminal_state',
    kid,
    is_online,
    is_asleep,
    last_online_at: last_online_at?.toISOString() ?? null,
    battery_level,
    network_type,
    signal,
  })
}
