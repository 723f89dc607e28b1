import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Devices whose agent speaks a protocol of its own, through a gateway: which agent it is, and what the gateway keeps of it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`ALTER TABLE terminal ADD COLUMN agent_kind text NOT NULL DEFAULT 'mdm'`.execute(db)
  await sql`
    CREATE TABLE terminal_agent (
      terminal_kid uuid PRIMARY KEY REFERENCES terminal ON DELETE CASCADE,
      account_kid uuid NOT NULL REFERENCES account ON DELETE CASCADE,
      hardware_hash text,
      generation integer NOT NULL DEFAULT 1,
      enrolled_at timestamptz NOT NULL,
      qrcode_kid uuid,
      reset_due_at timestamptz,
      kept jsonb NOT NULL DEFAULT '{}'
    )`.execute(db)
  // A device that was reset finds its row by it, and racing enrolments end in one.
  await sql`CREATE UNIQUE INDEX terminal_agent_hardware ON terminal_agent (account_kid, hardware_hash)`.execute(db)
  await sql`CREATE INDEX terminal_agent_reset ON terminal_agent (reset_due_at) WHERE reset_due_at IS NOT NULL`.execute(
    db,
  )
}
