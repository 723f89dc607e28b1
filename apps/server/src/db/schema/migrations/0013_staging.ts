import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Codes that set devices up: the key of each account, and what became of a configuration on the devices that scanned it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
  CREATE TABLE staging_key (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL REFERENCES account ON DELETE CASCADE,
    -- Ed25519 as PEM, and the AES key of secret fields as base64; both sealed.
    private_key_sealed text NOT NULL,
    secret_sealed text NOT NULL,
    created_at timestamptz NOT NULL
  );
  CREATE UNIQUE INDEX staging_key_account ON staging_key (account_kid);

  -- A device may say anything of 1,000 characters there; the kid of a configuration is the first 36.
  CREATE INDEX terminal_event_staging ON terminal_event (account_kid, "left"(detail ->> 'config', 36), at, kid)
    WHERE type = 'staging';
  `.execute(db)
}
