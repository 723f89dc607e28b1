import { sql } from 'kysely'
import { clampDeviceTime, rawDeviceTime } from './clock.ts'
import { configConfirmed } from './config.ts'
import { mergeParts } from './device.ts'
import type { Device } from './device.ts'
import type { Batch, ItemOf } from './items.ts'

/** Reports become history rows and the device's current state; a report that was committed before is only acknowledged. */
export async function state(batch: Batch, items: ItemOf<'state'>[]): Promise<void> {
  const { trx, devices } = batch
  const rows = []
  const held = new Map<string, number>()
  for (const { kid, at, body } of items) {
    const device = devices.get(kid)
    if (!device) continue
    device.last_contact_at = at
    const { seq, device_time, config_version, ...parts } = body
    const said = rawDeviceTime(device_time)
    if (isRepeat(device, seq, said)) continue
    const { at: clamped, is_off } = clampDeviceTime(device_time, at)
    if (config_version !== undefined) held.set(kid, config_version)
    device.last_seq = seq
    device.device_time = said
    device.clock_is_off = is_off
    mergeParts(device, parts, at, clamped)
    const { battery, run } = parts
    rows.push({
      a: device.account_kid,
      k: kid,
      r: at,
      d: clamped,
      q: seq,
      b: battery?.level,
      c: run?.cpu,
      mu: run?.memory_used,
      mt: run?.memory_total,
      su: run?.storage_used,
      st: run?.storage_total,
      p: parts,
    })
  }
  await configConfirmed(batch, held)
  if (rows.length === 0) return
  await sql`
    INSERT INTO terminal_report (account_kid, terminal_kid, received_at, device_time, seq, battery_level, cpu, memory_used,
      memory_total, storage_used, storage_total, parts)
    SELECT * FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS r(a uuid, k uuid, r timestamptz, d timestamptz, q bigint,
      b real, c real, mu bigint, mt bigint, su bigint, st bigint, p jsonb)
  `.execute(trx)
}

/**
 * A device counts up for as long as it remembers where it was. A lower number alone may be one that forgot, after a
 * reinstallation; a repeat also carries the time it carried before.
 */
const isRepeat = (device: Device, seq: number, said: Date): boolean =>
  device.last_seq !== null && seq <= device.last_seq && device.device_time !== null && said <= device.device_time
