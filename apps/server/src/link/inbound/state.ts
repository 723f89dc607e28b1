import type { Up } from '@mdm/device-link'
import { clampDeviceTime, rawDeviceTime } from './clock.ts'
import { configConfirmed } from './config.ts'
import type { HeldVersion } from './config.ts'
import { mergeParts } from './device.ts'
import type { Device } from './device.ts'
import { mayReport, tooMany } from './hourly.ts'
import type { Batch, ItemOf } from './items.ts'
import { saidOf } from './location.ts'
import { refused } from './refused.ts'
import { insertReports, notStored, reportOf } from './report.ts'

type Report = { item: ItemOf<'state'>; device: Device; parts: Omit<Up['state'], 'seq' | 'device_time'> }

/**
 * Reports become history rows and the device's current state; a report that was committed before is only acknowledged. Behind an
 * external broker a report can be overtaken by a later one: it goes into the histories alone.
 */
export async function state(batch: Batch, items: ItemOf<'state'>[]): Promise<void> {
  const rows: ReturnType<typeof reportOf>[] = []
  const over: ReturnType<typeof tooMany>[] = []
  const past: Report[] = []
  const held = new Map<string, HeldVersion>()
  /** Whether the hour has room for it. A report that only confirms a configuration is no measurement: it adds no row. */
  const keep = ({ item, device, parts }: Report, device_time: Date): boolean => {
    const is_kept = mayReport(batch, item.kid)
    if (!is_kept) over.push(tooMany(item))
    else if (hasParts(parts))
      rows.push(reportOf(device, { received_at: item.at, device_time, seq: item.body.seq, parts }))
    return is_kept
  }
  const keepAsHistory = (report: Report): void => {
    const { item, device, parts } = report
    const { at: clamped } = clampDeviceTime(item.body.device_time, item.at)
    if (keep(report, clamped) && parts.location) device.locations.push(saidOf(device, parts.location, item.at, clamped))
  }
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
    const report = { item, device, parts }
    if (is_past) {
      if (hasParts(parts)) past.push(report)
    } else if (isOlder(device, said)) keepAsHistory(report)
    else {
      const { at: clamped, is_off } = clampDeviceTime(device_time, at)
      const is_kept = keep(report, clamped)
      device.last_seq = seq
      device.device_time = said
      device.clock_is_off = is_off
      if (hasParts(parts)) mergeParts(device, parts, { at, reported_at: clamped, is_kept })
    }
  }
  await configConfirmed(batch, held)
  await insertReports(batch, rows.splice(0))
  // Those of this batch are in the histories by now.
  for (const report of await notStored(batch, past)) keepAsHistory(report)
  await insertReports(batch, rows)
  await refused(batch, over)
}

const hasParts = (parts: Report['parts']): boolean => Object.keys(parts).length > 0

/**
 * Whether a report was made before the last that was heard: it is sent again, or was overtaken. A device counts up for as long as it
 * remembers where it was. A lower number alone may be one that forgot, after a reinstallation.
 */
const isPast = (device: Device, seq: number, said: Date): boolean =>
  device.last_seq !== null && seq <= device.last_seq && device.device_time !== null && said <= device.device_time

/**
 * Which answer to a configuration is the latest is told by its version: it may leave the device before a hello and arrive
 * after it, because applying it has cut the connection or set the clock. Hello alone goes back to an older one.
 */
const isByVersion = ({ config_version }: Device, version: number, is_past: boolean): boolean =>
  version > (config_version ?? 0) || (version === (config_version ?? 0) && !is_past)

/** Sent again after a hello that was made later: it was so then, and is no more. A clock that was off tells nothing. */
const isOlder = (device: Device, said: Date): boolean =>
  !device.clock_is_off && device.device_time !== null && said < device.device_time
