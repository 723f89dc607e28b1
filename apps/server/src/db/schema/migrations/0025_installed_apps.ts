import { sql } from 'kysely'
import type { Kysely } from 'kysely'

const statements = [
  // The numbers of a version from left to right, so that 1.10 comes after 1.9; what else stands in it does not count.
  `CREATE FUNCTION version_key(version text) RETURNS numeric[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT COALESCE(array_agg(part[1]::numeric ORDER BY place), '{}')
    FROM regexp_matches(version, '[0-9]+', 'g') WITH ORDINALITY AS found(part, place)
  $$`,
  // Which app is on which device, as devices last said: found by the app, not by the device.
  `CREATE TABLE terminal_app (
    terminal_kid uuid NOT NULL REFERENCES terminal ON DELETE CASCADE,
    account_kid uuid NOT NULL,
    package text NOT NULL,
    version text NOT NULL,
    version_key numeric[] GENERATED ALWAYS AS (version_key(version)) STORED,
    PRIMARY KEY (terminal_kid, package)
  )`,
  `CREATE INDEX terminal_app_found ON terminal_app (package, account_kid, version_key, terminal_kid)`,
  `INSERT INTO terminal_app (terminal_kid, account_kid, package, version)
    SELECT DISTINCT ON (i.terminal_kid, p.name) i.terminal_kid, i.account_kid, p.name, COALESCE(p.version, '')
    FROM terminal_inventory i, jsonb_to_recordset(i.packages) AS p(name text, version text)
    WHERE p.name IS NOT NULL`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
