import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { records } from '../../db/records.ts'
import { publishCoalesced } from '../coalesce.ts'
import { clampDeviceTime, isBelievable } from './clock.ts'
import { eventsLeft, tooMany, weightOf } from './hourly.ts'
import type { Batch, ItemOf } from './items.ts'
import { refused } from './refused.ts'
import { writeUsage } from './usage.ts'
import type { NewUsage } from './usage.ts'

export type NewEvent = {
  kid: string
  account_kid: string
  terminal_kid: string
  type: string
  at: Date
  received_at: Date
  detail: Record<string, unknown>
  /** Dated by the server: a repeat has another time, so it is looked for over a day. */
  is_dated_here?: boolean
}

/** The same happening always gets the same id, so that a repeated message adds nothing. */
export function eventKid(...of: (string | number)[]): string {
  const hex = createHash('sha256').update(JSON.stringify(of)).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

export const bootKid = (terminal_kid: string, at: Date): string => eventKid(terminal_kid, 'boot', at.toISOString())

export async function event(batch: Batch, items: ItemOf<'event'>[]): Promise<void> {
  const rows: NewEvent[] = []
  const used: NewUsage[] = []
  const over = []
  for (const item of items) {
    const { kid, at: received_at, body } = item
    const device = batch.devices.get(kid)
    if (!device) continue
    device.last_contact_at = received_at
    // Late is what waited for a connection; what cannot have been is a clock that is wrong.
    if (!isBelievable(body.device_time, received_at)) device.clock_is_off = true
    const left = eventsLeft(batch, kid, body.events.map(weightOf))
    if (left < body.events.length) over.push(tooMany(item, left))
    body.events.slice(0, left).forEach(({ type, at: said, detail }, index) => {
      if (type === 'usage') return void used.push({ kid, account_kid: device.account_kid, received_at, detail })
      const { at } = clampDeviceTime(said, received_at)
      const is_dated_here = !isBelievable(said, received_at)
      // A boot is also seen in hello: told by its time, both are one row.
      const is_boot = type === 'boot'
      rows.push({
        kid: is_boot ? bootKid(kid, at) : eventKid(kid, body.seq, body.device_time, index, type, said),
        account_kid: device.account_kid,
        terminal_kid: kid,
        type,
        at,
        received_at,
        detail: is_dated_here ? { ...detail, said_at: said } : (detail ?? {}),
        is_dated_here,
      })
    })
  }
  await insertEvents(batch, rows)
  await writeUsage(batch, used)
  await refused(batch, over)
}

/** Looked for under its own time first, which is where a repeat lies in the index. */
export async function insertEvents(batch: Pick<Batch, 'trx' | 'deps' | 'after'>, rows: NewEvent[]): Promise<void> {
  if (rows.length === 0) return
  const unique = [...new Map(rows.map((row) => [row.kid, row])).values()]
  await sql`
    INSERT INTO terminal_event (kid, account_kid, terminal_kid, type, at, received_at, detail)
    SELECT r.kid, r.account_kid, r.terminal_kid, r.type, r.at, r.received_at, r.detail
    FROM ${records(unique).as(`r(kid uuid, account_kid uuid, terminal_kid uuid, type text, at timestamptz,
      received_at timestamptz, detail jsonb, is_dated_here boolean)`)}
    WHERE NOT EXISTS (
      SELECT FROM terminal_event e WHERE e.account_kid = r.account_kid AND e.terminal_kid = r.terminal_kid AND e.kid = r.kid
        AND e.at <= r.at AND e.at >= CASE WHEN r.is_dated_here THEN r.at - interval '1 day' ELSE r.at END)
  `.execute(batch.trx)
  const accounts = new Map(unique.map((row) => [row.terminal_kid, row.account_kid]))
  batch.after(() => {
    for (const [kid, account_kid] of accounts)
      publishCoalesced(batch.deps, `event ${kid}`, account_kid, { type: 'terminal_event', kid })
  })
}
