import { sql } from 'kysely'
import type { Kysely } from 'kysely'

const claimed = ['os_build', 'os_package', 'oscs_file']

/**
 * A row that a server works on is that server's for as long as the server lives, rather than until a time: what a server
 * that is gone had begun is free at once. A time says only that it is not to be tried again before it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const statements = [
    ...claimed.map((table) => `ALTER TABLE ${table} RENAME COLUMN worked_until TO next_at`),
    ...claimed.map((table) => `UPDATE ${table} SET next_at = NULL WHERE next_at IS NOT NULL`),
    `ALTER TABLE os_package ADD COLUMN worked_by uuid`,
    `ALTER TABLE oscs_file ADD COLUMN worked_by uuid`,
    `ALTER TABLE terminal_export ADD COLUMN worked_by uuid, ADD COLUMN next_at timestamptz, DROP COLUMN touched_at`,
    `ALTER TABLE job RENAME COLUMN locked_by TO worked_by`,
    `ALTER TABLE job DROP COLUMN locked_until`,
    // What every server looks after by itself has no row any more.
    `DELETE FROM job`,
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
