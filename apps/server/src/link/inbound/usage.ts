import { Usage } from '@mdm/device-link'
import { sql } from 'kysely'
import { records } from '../../db/records.ts'
import { count } from '../stats.ts'
import { device_data_ms } from './clock.ts'
import type { Batch } from './items.ts'

export type NewUsage = { kid: string; account_kid: string; received_at: Date; detail: unknown }

const day_ms = 86_400_000

/**
 * Totals of a day so far: they only grow, so what comes again, late or out of order changes nothing, and of two reports
 * the higher one holds. Days that are past their retention, or have begun nowhere on earth yet, are not believed.
 */
export async function writeUsage({ trx }: Pick<Batch, 'trx'>, said: NewUsage[]): Promise<void> {
  const totals = new Map<string, Usage & { k: string; a: string; at: Date; app: string }>()
  for (const { kid, account_kid, received_at, detail } of said) {
    const usage = Usage.safeParse(detail).data
    if (!usage || !isBelievable(usage.day, received_at)) {
      count('usage_refused')
      continue
    }
    const { app = '', day, network } = usage
    const key = `${kid} ${day} ${network} ${app}`
    const before = totals.get(key)
    totals.set(key, {
      ...usage,
      k: kid,
      a: account_kid,
      app,
      at: received_at,
      received: Math.max(usage.received, before?.received ?? 0),
      sent: Math.max(usage.sent, before?.sent ?? 0),
    })
  }
  if (totals.size === 0) return
  await sql`
    INSERT INTO terminal_usage AS u (account_kid, terminal_kid, day, app, network, received, sent, updated_at)
    SELECT r.a, r.k, r.day, r.app, r.network, r.received, r.sent, r.at
    FROM ${records([...totals.values()]).as(`r(a uuid, k uuid, day date, app text, network text, received bigint,
      sent bigint, at timestamptz)`)}
    ON CONFLICT (terminal_kid, day, app, network) DO UPDATE SET received = GREATEST(u.received, excluded.received),
      sent = GREATEST(u.sent, excluded.sent), updated_at = excluded.updated_at
      WHERE excluded.received > u.received OR excluded.sent > u.sent
  `.execute(trx)
}

function isBelievable(day: string, received_at: Date): boolean {
  const begins = Date.parse(`${day}T00:00:00Z`)
  const age = received_at.getTime() - begins
  return age > -day_ms && age < device_data_ms
}
