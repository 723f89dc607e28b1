import { sql } from 'kysely'
import { records } from '../../db/records.ts'
import { newKid } from '../../lib/ids.ts'
import { limiterOf } from '../../lib/rate-limit.ts'
import { publishCoalesced } from '../coalesce.ts'
import { count } from '../stats.ts'
import type { Batch, ItemOf } from './items.ts'

/** As many of one device are kept: whoever looks wants to know what is wrong, not how often it was. */
const kept = 20
/** One that says nothing right is told this often, and the rest is only counted. */
export const told_refusals = { limit: 20, per_ms: 10 * 60_000 }

export async function refused(batch: Batch, items: ItemOf<'refused'>[]): Promise<void> {
  const { deps, trx, devices, outbound } = batch
  const limiter = limiterOf(deps, 'refusals', told_refusals)
  const known = items.filter(({ kid }) => devices.has(kid) && limiter.take(kid) === 0)
  count('refusals_untold', items.length - known.length)
  if (known.length === 0) return
  const rows = known.map(({ kid, at, body }) => ({
    kid: newKid(),
    account_kid: devices.get(kid)!.account_kid,
    terminal_kid: kid,
    at,
    name: body.name,
    is_whole: body.is_whole,
    parts: body.parts,
  }))
  const kids = [...new Set(rows.map((row) => row.terminal_kid))]
  await sql`
    INSERT INTO terminal_refusal (kid, account_kid, terminal_kid, at, name, is_whole, parts)
    SELECT * FROM ${records(rows).as(`r(kid uuid, account_kid uuid, terminal_kid uuid, at timestamptz, name text,
      is_whole boolean, parts jsonb)`)}
  `.execute(trx)
  await sql`
    DELETE FROM terminal_refusal WHERE kid IN (
      SELECT kid FROM (
        SELECT kid, row_number() OVER (PARTITION BY terminal_kid ORDER BY at DESC, kid DESC) AS n
        FROM terminal_refusal WHERE terminal_kid = ANY(${kids}::uuid[])
      ) r WHERE n > ${kept})
  `.execute(trx)
  batch.after(() => {
    for (const { kid, body } of known) {
      outbound.tell(kid, 'refused', body)
      publishCoalesced(deps, `refused ${kid}`, devices.get(kid)!.account_kid, { type: 'terminal_event', kid })
    }
  })
}
