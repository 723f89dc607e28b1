import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** OS packages for the updaters of others, what those say of themselves, and which of them a device can apply. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    ALTER TABLE os_package
      ADD COLUMN format text NOT NULL DEFAULT 'zip' CHECK (format IN ('zip', 'swu', 'raucb', 'mender')),
      ADD COLUMN said_version text, ADD COLUMN hardware text[] NOT NULL DEFAULT '{}', ADD COLUMN sha1 text
  `.execute(db)
  await sql`ALTER TABLE terminal ADD COLUMN os_formats text[]`.execute(db)
}
