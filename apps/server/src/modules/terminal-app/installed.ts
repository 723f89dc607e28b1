import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Tables } from '../../db/schema/tables.ts'

export type InstalledApps = {
  terminal_kid: string
  packages: readonly { name: string; version: string }[]
}

/**
 * Keeps which apps devices have, each of which said all that it has. What did not change is not written: a list is told at
 * every connection, and nearly always the same.
 */
export async function keepInstalled(db: Kysely<Tables>, devices: readonly InstalledApps[]): Promise<void> {
  if (devices.length === 0) return
  const said = sql`(
    SELECT DISTINCT ON (d.terminal_kid, p.name) d.terminal_kid, t.account_kid, p.name AS package, COALESCE(p.version, '') AS version
    FROM jsonb_to_recordset(${JSON.stringify(devices)}::jsonb) AS d(terminal_kid uuid, packages jsonb)
    JOIN terminal t ON t.kid = d.terminal_kid
    CROSS JOIN LATERAL jsonb_to_recordset(d.packages) AS p(name text, version text)
    ORDER BY d.terminal_kid, p.name, p.version DESC
  )`
  const kids = devices.map(({ terminal_kid }) => terminal_kid)
  await sql`
    DELETE FROM terminal_app a WHERE a.terminal_kid = ANY(${kids}::uuid[])
      AND NOT EXISTS (SELECT FROM ${said} AS said WHERE said.terminal_kid = a.terminal_kid AND said.package = a.package)
  `.execute(db)
  await sql`
    INSERT INTO terminal_app (terminal_kid, account_kid, package, version)
    SELECT terminal_kid, account_kid, package, version FROM ${said} AS said
    ON CONFLICT (terminal_kid, package) DO UPDATE SET version = excluded.version
    WHERE terminal_app.version IS DISTINCT FROM excluded.version
  `.execute(db)
}
