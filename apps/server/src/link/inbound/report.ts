import type { Up } from '@mdm/device-link'
import { sql } from 'kysely'
import { records } from '../../db/records.ts'
import type { Device } from './device.ts'
import type { Batch } from './items.ts'

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
