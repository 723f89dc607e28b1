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

/** Of these reports those that the histories lack, each once. One that the server had to date is known by its number alone, for a day. */
export async function notStored<R extends { item: ItemOf<'state'>; device: Device }>(
  { trx }: Pick<Batch, 'trx'>,
  reports: readonly R[],
): Promise<R[]> {
  if (reports.length === 0) return []
  const keyOf = ({ kid, body }: ItemOf<'state'>) => `${kid} ${body.seq} ${rawDeviceTime(body.device_time).getTime()}`
  const wanted = new Map(reports.map((report) => [keyOf(report.item), report]))
  const rows = [...wanted].map(([key, { item, device }]) => {
    const { at, body } = item
    const said = rawDeviceTime(body.device_time)
    const is_dated = isBelievable(body.device_time, at)
    const since = new Date(
      is_dated ? Math.min(said.getTime(), at.getTime()) - clock_tolerance_ms : at.getTime() - day_ms,
    )
    return { key, k: item.kid, a: device.account_kid, q: body.seq, d: is_dated ? said : null, since }
  })
  const first = new Date(Math.min(...rows.map(({ since }) => since.getTime())))
  const { rows: stored } = await sql<{ key: string }>`
    SELECT r.key FROM ${records(rows).as('r(key text, k uuid, a uuid, q bigint, d timestamptz, since timestamptz)')}
    WHERE EXISTS (
      SELECT FROM terminal_report t WHERE t.account_kid = r.a AND t.terminal_kid = r.k AND t.received_at >= ${first}
        AND t.received_at >= r.since AND t.seq = r.q AND (r.d IS NULL OR t.device_time = r.d))
  `.execute(trx)
  for (const { key } of stored) wanted.delete(key)
  return [...wanted.values()]
}
