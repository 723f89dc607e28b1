import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Sessions that carry files, and how often the person at a device has refused lately. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    ALTER TABLE remote_session DROP CONSTRAINT remote_session_kind_check;
    ALTER TABLE remote_session ADD CONSTRAINT remote_session_kind_check
      CHECK (kind IN ('desktop', 'terminal', 'log', 'files'));

    -- Goes when that person agrees; the pause before the next question grows with each refusal.
    CREATE TABLE remote_refusal (
      terminal_kid uuid PRIMARY KEY REFERENCES terminal ON DELETE CASCADE,
      account_kid uuid NOT NULL REFERENCES account ON DELETE CASCADE,
      refusals integer NOT NULL CHECK (refusals > 0),
      refused_at timestamptz NOT NULL
    );
    CREATE INDEX remote_refusal_account ON remote_refusal (account_kid);
  `.execute(db)
}
