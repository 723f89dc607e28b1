import { sql } from 'kysely'
import type { Kysely, RawBuilder } from 'kysely'
import { records } from '../../../db/records.ts'
import type { Tables } from '../../../db/schema/tables.ts'

export type InstalledApps = {
  terminal_kid: string
  packages: readonly { name: string; version: string; version_code?: number | undefined }[]
}

type Version = { code: unknown; name: unknown }
/**
 * Whether a device's version of an app is below another (or at least that), as everything compares them: by their codes where both
 * are known, or by the numbers in their names. `key` is the version_key of the device's. False of no version at all.
 */
export function comparesVersion(
  has: { code: unknown; key: unknown },
  compared: '<' | '>=',
  { code, name }: Version,
): RawBuilder<boolean> {
  const by_key = sql<boolean>`${has.key} ${sql.raw(compared)} version_key(${name})`
  // Of a name alone PostgreSQL finds the devices by an index.
  if (code === undefined || code === null) return by_key
  return sql<boolean>`coalesce(${has.code} ${sql.raw(compared)} ${code}, ${by_key}, false)`
}

/**
 * Keeps which apps devices have, each of which said all that it has. What did not change is not written: a list is told at
 * every connection, and nearly always the same.
 */
export async function keepInstalled(db: Kysely<Tables>, devices: readonly InstalledApps[]): Promise<void> {
  if (devices.length === 0) return
  const said = sql`(
    SELECT DISTINCT ON (d.terminal_kid, p.name) d.terminal_kid, t.account_kid, p.name AS package, COALESCE(p.version, '') AS version,
      p.version_code
    FROM ${records(devices).as('d(terminal_kid uuid, packages jsonb)')}
    JOIN terminal t ON t.kid = d.terminal_kid
    CROSS JOIN LATERAL jsonb_to_recordset(d.packages) AS p(name text, version text, version_code bigint)
    ORDER BY d.terminal_kid, p.name, p.version DESC
  )`
  const kids = devices.map(({ terminal_kid }) => terminal_kid)
  await sql`
    DELETE FROM terminal_app a WHERE a.terminal_kid = ANY(${kids}::uuid[])
      AND NOT EXISTS (SELECT FROM ${said} AS said WHERE said.terminal_kid = a.terminal_kid AND said.package = a.package)
  `.execute(db)
  await sql`
    INSERT INTO terminal_app (terminal_kid, account_kid, package, version, version_code)
    SELECT terminal_kid, account_kid, package, version, version_code FROM ${said} AS said
    ON CONFLICT (terminal_kid, package) DO UPDATE SET version = excluded.version, version_code = excluded.version_code
    WHERE terminal_app.version IS DISTINCT FROM excluded.version
      OR terminal_app.version_code IS DISTINCT FROM excluded.version_code
  `.execute(db)
}

type Said = { terminal_kid: string; apps: readonly { package: string; version?: string | undefined }[] }
/** Keeps what devices say of some of their apps, once a push has changed them; one without a version is not there. */
export async function keepSaid(db: Kysely<Tables>, devices: readonly Said[]): Promise<void> {
  if (devices.length === 0) return
  const said = sql`(
    SELECT DISTINCT ON (d.terminal_kid, p.package) d.terminal_kid, t.account_kid, p.package, p.version, p.version_code
    FROM ${records(devices).as('d(terminal_kid uuid, apps jsonb)')}
    JOIN terminal t ON t.kid = d.terminal_kid
    CROSS JOIN LATERAL jsonb_to_recordset(d.apps) AS p(package text, version text, version_code bigint)
    ORDER BY d.terminal_kid, p.package
  )`
  await sql`
    DELETE FROM terminal_app a USING ${said} AS said
    WHERE a.terminal_kid = said.terminal_kid AND a.package = said.package AND said.version IS NULL
  `.execute(db)
  await sql`
    INSERT INTO terminal_app (terminal_kid, account_kid, package, version, version_code)
    SELECT terminal_kid, account_kid, package, version, version_code FROM ${said} AS said WHERE version IS NOT NULL
    ON CONFLICT (terminal_kid, package) DO UPDATE SET version = excluded.version, version_code = excluded.version_code
  `.execute(db)
  // The whole list has changed with them: the next one that the device tells is compared with this.
  await sql`
    UPDATE terminal_inventory i SET packages = COALESCE((
        SELECT jsonb_agg(p) FROM jsonb_array_elements(i.packages) AS p
        WHERE NOT EXISTS (SELECT FROM ${said} AS said WHERE said.terminal_kid = i.terminal_kid AND said.package = p->>'name')
      ), '[]') || COALESCE((
        SELECT jsonb_agg(jsonb_strip_nulls(jsonb_build_object('name', said.package, 'version', said.version,
          'version_code', said.version_code)))
        FROM ${said} AS said WHERE said.terminal_kid = i.terminal_kid AND said.version IS NOT NULL), '[]')
    WHERE i.terminal_kid = ANY(${devices.map(({ terminal_kid }) => terminal_kid)}::uuid[])
      AND jsonb_typeof(i.packages) = 'array'
  `.execute(db)
}
