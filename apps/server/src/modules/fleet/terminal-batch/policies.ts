import type { PolicySource } from '@mdm/contract'
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import { records } from '../../../db/records.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import type { Deps } from '../../../deps.ts'
import { newKid } from '../../../lib/ids.ts'

type Row = { sn: string; work_order: string; production_date: string }
type To = { policy_kid: string; source: PolicySource; by: string; zone: string }

/**
 * Puts SNs, each of which is there once, on a policy within the caller's transaction; those that came. A term begins at
 * midnight of its first day, where whoever imports is, and ends at a midnight too, whatever daylight saving does meanwhile.
 */
export async function importRows(
  trx: Kysely<Tables>,
  { clock }: Deps,
  { policy_kid, source, by, zone }: To,
  rows: readonly Row[],
): Promise<Set<string>> {
  if (rows.length === 0) return new Set()
  const now = clock.now()
  const given = rows.map((row) => ({ kid: newKid(), ...row }))
  const { rows: made } = await sql<{ sn: string }>`
    WITH made AS (
      INSERT INTO terminal_policy (kid, policy_kid, sn, work_order, source, starts_at, ends_at, created_by, created_at)
      SELECT r.kid, p.kid, r.sn, r.work_order, ${source}, d.day::timestamp AT TIME ZONE ${zone}::text,
        (d.day + p.days)::timestamp AT TIME ZONE ${zone}::text, ${by}, ${now}
      FROM policy p,
        ${records(given).as('r(kid uuid, sn text, work_order text, production_date text)')},
        LATERAL (
          SELECT COALESCE(NULLIF(r.production_date, '')::date, (${now}::timestamptz AT TIME ZONE ${zone}::text)::date) AS day
        ) d
      WHERE p.kid = ${policy_kid}
      ON CONFLICT (policy_kid, sn) DO NOTHING
      RETURNING sn
    ), counted AS (
      UPDATE policy SET terminal_count = terminal_count + (SELECT count(*) FROM made) WHERE kid = ${policy_kid}
    )
    SELECT sn FROM made
  `.execute(trx)
  return new Set(made.map(({ sn }) => sn))
}

/** Which of these SNs the policy has already. */
export async function onPolicy(db: Kysely<Tables>, policy_kid: string, sns: readonly string[]): Promise<Set<string>> {
  const found = await db
    .selectFrom('terminal_policy')
    .select('sn')
    .where('policy_kid', '=', policy_kid)
    .where('sn', '=', sql<string>`any(${sns}::text[])`)
    .execute()
  return new Set(found.map(({ sn }) => sn))
}
