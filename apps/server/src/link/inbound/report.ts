import type { Up } from '@mdm/device-link'
import { sql } from 'kysely'
import { records } from '../../db/records.ts'
import { clock_tolerance_ms, isBelievable, rawDeviceTime } from './clock.ts'
import type { Device } from './device.ts'
import type { Batch, ItemOf } from './items.ts'

/** A row of the histories: what a device said of its state, in a report or in hello. */
export const reportOf = (
  device: Device,
  said: { received_at: Date; device_time: Date; seq: number; parts: NonNullable<Up['hello']['state']> },
) => {
  const { battery, run } = said.parts
  return {
    a: device.account_kid,
    k: device.terminal_kid,
    r: said.received_at,
    d: said.device_time,
    q: said.seq,
    b: battery?.level,
    c: run?.cpu,
    mu: run?.memory_used,
    mt: run?.memory_total,
    su: run?.storage_used,
    st: run?.storage_total,
    p: said.parts,
  }
}

export async function insertReports({ trx }: Pick<Batch, 'trx'>, rows: ReturnType<typeof reportOf>[]): Promise<void> {
  if (rows.length === 0) return
  await sql`
    INSERT INTO terminal_report (account_kid, terminal_kid, received_at, device_time, seq, battery_level, cpu, memory_used,
      memory_total, storage_used, storage_total, parts)
    SELECT * FROM ${records(rows).as(`r(a uuid, k uuid, r timestamptz, d timestamptz, q bigint, b real, c real,
      mu bigint, mt bigint, su bigint, st bigint, p jsonb)`)}
  `.execute(trx)
}

const day_ms = 86_400_000

/**
 * Which reports are new, where these may be in the histories already, or twice in the batch: the first for which `isNew` is asked
 * is. A report that the server had to date is known by its number alone, for a day.
 */
export async function storedAmong(
  { trx, devices }: Pick<Batch, 'trx' | 'devices'>,
  items: readonly ItemOf<'state'>[],
): Promise<{ isNew(item: ItemOf<'state'>): boolean }> {
  const keyOf = ({ kid, body }: ItemOf<'state'>) => `${kid} ${body.seq} ${rawDeviceTime(body.device_time).getTime()}`
  if (items.length === 0) return { isNew: () => true }
  const asked = items.map((item) => {
    const { kid, at, body } = item
    const is_dated = isBelievable(body.device_time, at)
    const said = rawDeviceTime(body.device_time)
    const since = new Date(
      is_dated ? Math.min(said.getTime(), at.getTime()) - clock_tolerance_ms : at.getTime() - day_ms,
    )
    return { key: keyOf(item), k: kid, a: devices.get(kid)?.account_kid, q: body.seq, d: is_dated ? said : null, since }
  })
  const first = new Date(Math.min(...asked.map(({ since }) => since.getTime())))
  const { rows } = await sql<{ key: string }>`
      SELECT r.key FROM ${records(asked).as('r(key text, k uuid, a uuid, q bigint, d timestamptz, since timestamptz)')}
      WHERE EXISTS (
        SELECT FROM terminal_report t WHERE t.account_kid = r.a AND t.terminal_kid = r.k AND t.received_at >= ${first}
          AND t.received_at >= r.since AND t.seq = r.q AND (r.d IS NULL OR t.device_time = r.d))
    `.execute(trx)
  const stored = new Set(rows.map(({ key }) => key))
  return {
    isNew(item) {
      const key = keyOf(item)
      if (stored.has(key)) return false
      stored.add(key)
      return true
    },
  }
}
