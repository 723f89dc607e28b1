import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Codes with which a device only asks: it waits as an announcement of the account until an operator decides. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`ALTER TABLE qrcode ADD COLUMN needs_approval boolean NOT NULL DEFAULT false`.execute(db)
  await sql`
    ALTER TABLE announcement
      ADD COLUMN kid uuid NOT NULL UNIQUE DEFAULT gen_random_uuid(),
      ADD COLUMN account_kid uuid REFERENCES account ON DELETE CASCADE,
      ADD COLUMN qrcode_kid uuid REFERENCES qrcode ON DELETE CASCADE,
      ADD COLUMN agent_kind text NOT NULL DEFAULT 'mdm',
      ADD COLUMN hardware_hash text,
      ADD COLUMN identity text NOT NULL DEFAULT '',
      ADD COLUMN refused_at timestamptz,
      ADD CONSTRAINT announcement_asks CHECK ((account_kid IS NULL) = (qrcode_kid IS NULL))`.execute(db)
  await sql`CREATE INDEX announcement_account ON announcement (account_kid, announced_at) WHERE account_kid IS NOT NULL`.execute(
    db,
  )
  await sql`CREATE INDEX announcement_qrcode ON announcement (qrcode_kid) WHERE qrcode_kid IS NOT NULL`.execute(db)
}
