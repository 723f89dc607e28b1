import { clampDeviceTime, rawDeviceTime } from './clock.ts'
import { configConfirmed } from './config.ts'
import type { HeldVersion } from './config.ts'
import { mergeParts } from './device.ts'
import type { Device } from './device.ts'
import { mayReport, tooMany } from './hourly.ts'
import type { Batch, ItemOf } from './items.ts'
import { saidOf } from './location.ts'
import { refused } from './refused.ts'
import { insertReports, reportOf } from './report.ts'

/** Reports become history rows and the device's current state; a report that was committed before is only acknowledged. */
export async function state(batch: Batch, items: ItemOf<'state'>[]): Promise<void> {
  const rows = []
  const over = []
  const held = new Map<string, HeldVersion>()
  for (const item of items) {
    const { kid, at, body } = item
    const device = batch.devices.get(kid)
    if (!device) continue
    device.last_contact_at = at
    const { seq, device_time, config_version, config_results, ...parts } = body
    const said = rawDeviceTime(device_time)
    const is_repeat = isRepeat(device, seq, said)
    if (config_version !== undefined && isByVersion(device, config_version, is_repeat)) {
      device.config_version = config_version
      device.has_said_config = true
      const before = held.get(kid)
      const results = config_results ?? (before?.version === config_version ? before.results : undefined)
      held.set(kid, { version: config_version, results })
    }
    if (is_repeat) continue
    const { at: clamped, is_off } = clampDeviceTime(device_time, at)
    const is_kept = mayReport(batch, kid)
    const has_parts = Object.keys(parts).length > 0
    // A report that only confirms a configuration is no measurement: it adds no row to the histories.
    if (is_kept && has_parts) rows.push(reportOf(device, { received_at: at, device_time: clamped, seq, parts }))
    if (!is_kept) over.push(tooMany(item))
    if (isOlder(device, said)) {
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
 * A device counts up for as long as it remembers where it was. A lower number alone may be one that forgot, after a
 * reinstallation; a repeat also carries the time it carried before.
 */
const isRepeat = (device: Device, seq: number, said: Date): boolean =>
  device.last_seq !== null && seq <= device.last_seq && device.device_time !== null && said <= device.device_time

/**
 * Which answer to a configuration is the latest is told by its version: it may leave the device before a hello and arrive
 * after it, because applying it has cut the connection or set the clock. Hello alone goes back to an older one.
 */
const isByVersion = ({ config_version }: Device, version: number, is_repeat: boolean): boolean =>
  version > (config_version ?? 0) || (version === (config_version ?? 0) && !is_repeat)

/** Sent again after a hello that was made later: it was so then, and is no more. A clock that was off tells nothing. */
const isOlder = (device: Device, said: Date): boolean =>
  !device.clock_is_off && device.device_time !== null && said < device.device_time
