import { clampDeviceTime, rawDeviceTime } from './clock.ts'
import { configConfirmed } from './config.ts'
import type { HeldVersion } from './config.ts'
import { mergeParts } from './device.ts'
import type { Device } from './device.ts'
import { mayReport, tooMany } from './hourly.ts'
import type { Batch, ItemOf } from './items.ts'
import { saidOf } from './location.ts'
import { refused } from './refused.ts'
import { insertReports, reportOf, storedAmong } from './report.ts'

/**
 * Reports become history rows and the device's current state; a report that was committed before is only acknowledged. Behind an
 * external broker a report can be overtaken by a later one: it goes into the histories alone.
 */
export async function state(batch: Batch, items: ItemOf<'state'>[]): Promise<void> {
  const rows = []
  const over = []
  const held = new Map<string, HeldVersion>()
  const stored = await storedAmong(batch, items.filter(mayBeStored(batch)))
  for (const item of items) {
    const { kid, at, body } = item
    const device = batch.devices.get(kid)
    if (!device) continue
    device.last_contact_at = at
    const { seq, device_time, config_version, config_results, ...parts } = body
    const said = rawDeviceTime(device_time)
    const is_past = isPast(device, seq, said)
    if (config_version !== undefined && isByVersion(device, config_version, is_past)) {
      device.config_version = config_version
      device.has_said_config = true
      const before = held.get(kid)
      const results = config_results ?? (before?.version === config_version ? before.results : undefined)
      held.set(kid, { version: config_version, results })
    }
    if (!stored.isNew(item)) continue
    const { at: clamped, is_off } = clampDeviceTime(device_time, at)
    const is_kept = mayReport(batch, kid)
    const has_parts = Object.keys(parts).length > 0
    // A report that only confirms a configuration is no measurement: it adds no row to the histories.
    if (is_kept && has_parts) rows.push(reportOf(device, { received_at: at, device_time: clamped, seq, parts }))
    if (!is_kept) over.push(tooMany(item))
    if (is_past || isOlder(device, said)) {
      if (parts.location && is_kept) device.locations.push(saidOf(device, parts.location, at, clamped))
      continue
    }
    device.last_seq = seq
    device.device_time = said
    device.clock_is_off = is_off
    if (has_parts) mergeParts(device, parts, { at, reported_at: clamped, is_kept })
  }
  await configConfirmed(batch, held)
  await insertReports(batch, rows)
  await refused(batch, over)
}

/**
 * Whether a report was made before the last that was heard: it is sent again, or was overtaken. A device counts up for as long as it
 * remembers where it was. A lower number alone may be one that forgot, after a reinstallation.
 */
const isPast = (device: Pick<Device, 'last_seq' | 'device_time'>, seq: number, said: Date): boolean =>
  device.last_seq !== null && seq <= device.last_seq && device.device_time !== null && said <= device.device_time

/** For each in its turn, whether it may be past once those before it have been heard. Nearly all are not. */
function mayBeStored({ devices }: Batch): (item: ItemOf<'state'>) => boolean {
  const highest = new Map<string, Pick<Device, 'last_seq' | 'device_time'>>()
  return ({ kid, body }) => {
    const { last_seq = null, device_time = null } = highest.get(kid) ?? devices.get(kid) ?? {}
    const said = rawDeviceTime(body.device_time)
    highest.set(kid, {
      last_seq: Math.max(body.seq, last_seq ?? 0),
      device_time: device_time && device_time > said ? device_time : said,
    })
    return isPast({ last_seq, device_time }, body.seq, said)
  }
}

/**
 * Which answer to a configuration is the latest is told by its version: it may leave the device before a hello and arrive
 * after it, because applying it has cut the connection or set the clock. Hello alone goes back to an older one.
 */
const isByVersion = ({ config_version }: Device, version: number, is_past: boolean): boolean =>
  version > (config_version ?? 0) || (version === (config_version ?? 0) && !is_past)

/** Sent again after a hello that was made later: it was so then, and is no more. A clock that was off tells nothing. */
const isOlder = (device: Device, said: Date): boolean =>
  !device.clock_is_off && device.device_time !== null && said < device.device_time
