import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Devices that are lost, and a note about any device. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    ALTER TABLE terminal ADD COLUMN note text NOT NULL DEFAULT '';

    -- By the serial number: a device that was reset, moved, or deregistered and registered again is still lost.
    CREATE TABLE terminal_lost (
      account_kid uuid NOT NULL REFERENCES account ON DELETE CASCADE,
      sn text NOT NULL,
      -- The device as it was registered when this was last changed, and the first version of its configuration that says so.
      terminal_kid uuid NOT NULL,
      since_version bigint NOT NULL,
      message text NOT NULL,
      phone text NOT NULL,
      lost_at timestamptz NOT NULL,
      lost_by text NOT NULL,
      found_at timestamptz,
      found_by text,
      -- What was pushed for it. Without foreign keys: old pushes go, and this row stays.
      ring_kid uuid,
      lock_kid uuid,
      message_kid uuid,
      wipe_kid uuid,
      PRIMARY KEY (account_kid, sn)
    );

    -- A lost device that is registered again is told so with its first configuration.
    CREATE OR REPLACE FUNCTION terminal_config_inserted() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO terminal_config_delivery (terminal_kid, account_kid)
        SELECT f.kid, f.account_kid FROM fresh f
        WHERE EXISTS (SELECT FROM terminal_config c WHERE c.account_kid = f.account_kid OR c.account_kid IS NULL)
          OR EXISTS (SELECT FROM terminal_lost l WHERE l.account_kid = f.account_kid AND l.sn = f.sn AND l.found_at IS NULL)
        ON CONFLICT DO NOTHING;
      RETURN NULL;
    END $$;

    -- Whoever may lock and ring devices may do both to a lost one.
    UPDATE role SET permissions = permissions || '{deviceDetailInfo:lost}'
      WHERE permissions @> '{deviceDetailInfo:lock,deviceDetailInfo:find}'
        AND NOT permissions @> '{deviceDetailInfo:lost}';
  `.execute(db)
}
