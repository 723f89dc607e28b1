import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/**
 * Profiles: named sets of sections at a level of their own (ltscope 35) between groups and devices, and where they are used: by groups
 * with all below them, by dynamic groups, by devices.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await schema.execute(db)
}

const levelled = (table: string) => sql`
  ALTER TABLE ${sql.raw(table)} ADD COLUMN profile_kid uuid REFERENCES config_profile ON DELETE CASCADE;
  CREATE INDEX ${sql.raw(`${table}_profile`)} ON ${sql.raw(table)} (profile_kid) WHERE profile_kid IS NOT NULL;
  DO $$
  DECLARE of_levels name;
  BEGIN
    SELECT conname INTO STRICT of_levels FROM pg_constraint
      WHERE conrelid = ${sql.lit(table)}::regclass AND contype = 'c' AND pg_get_constraintdef(oid) LIKE '%account_kid IS NULL%';
    EXECUTE format('ALTER TABLE %I DROP CONSTRAINT %I', ${sql.lit(table)}, of_levels);
  END $$;
  ALTER TABLE ${sql.raw(table)} ADD CONSTRAINT ${sql.raw(`${table}_ltscope_check`)}
    CHECK (ltscope IN (10, 20, 30, 35, 40) AND (ltscope = 10) = (account_kid IS NULL) AND (ltscope = 35) = (profile_kid IS NOT NULL));
`

const schema = sql`
  CREATE TABLE config_profile (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL REFERENCES account ON DELETE CASCADE,
    name text NOT NULL,
    description text NOT NULL,
    created_by_kid uuid NOT NULL,
    created_by text NOT NULL,
    created_at timestamptz NOT NULL
  );
  CREATE UNIQUE INDEX config_profile_name ON config_profile (account_kid, lower(name));

  -- Of the profiles of a device, the one with the lowest position comes first.
  CREATE TABLE config_profile_use (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL REFERENCES account ON DELETE CASCADE,
    profile_kid uuid NOT NULL REFERENCES config_profile ON DELETE CASCADE,
    position integer NOT NULL,
    terminal_group_kid uuid REFERENCES terminal_group ON DELETE CASCADE,
    terminal_dynamic_group_kid uuid REFERENCES terminal_dynamic_group ON DELETE CASCADE,
    terminal_kid uuid REFERENCES terminal ON DELETE CASCADE,
    created_by_kid uuid NOT NULL,
    created_by text NOT NULL,
    created_at timestamptz NOT NULL,
    CHECK (num_nonnulls(terminal_group_kid, terminal_dynamic_group_kid, terminal_kid) = 1)
  );
  CREATE UNIQUE INDEX config_profile_use_place ON config_profile_use
    (profile_kid, COALESCE(terminal_group_kid, terminal_dynamic_group_kid, terminal_kid));
  CREATE INDEX config_profile_use_account ON config_profile_use (account_kid);
  CREATE INDEX config_profile_use_group ON config_profile_use (terminal_group_kid);
  CREATE INDEX config_profile_use_dynamic ON config_profile_use (terminal_dynamic_group_kid);
  CREATE INDEX config_profile_use_terminal ON config_profile_use (terminal_kid);

  -- The devices that a dynamic group had when it was looked at last. Rows of a use that is gone are worked off like those that left.
  CREATE TABLE config_profile_member (
    profile_use_kid uuid NOT NULL,
    terminal_kid uuid NOT NULL REFERENCES terminal ON DELETE CASCADE,
    account_kid uuid NOT NULL,
    PRIMARY KEY (profile_use_kid, terminal_kid)
  );
  CREATE INDEX config_profile_member_terminal ON config_profile_member (terminal_kid);

  ${levelled('terminal_config')}
  ${levelled('configuration')}
  DROP INDEX terminal_config_place;
  CREATE UNIQUE INDEX terminal_config_place ON terminal_config
    (account_kid, section, COALESCE(terminal_kid, profile_kid, terminal_group_kid, account_kid));
  DROP INDEX configuration_place;
  CREATE UNIQUE INDEX configuration_place ON configuration
    (account_kid, type, COALESCE(terminal_kid, profile_kid, terminal_group_kid, account_kid)) NULLS NOT DISTINCT;
  ALTER TABLE configuration_change ADD COLUMN profile_kid uuid;
  ALTER TABLE terminal_config_queue ADD COLUMN profile_kid uuid;

  -- Profiles that groups use come and go with the group as well.
  CREATE OR REPLACE FUNCTION terminal_config_regrouped() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO terminal_config_delivery (terminal_kid, account_kid, send_at)
      SELECT f.kid, f.account_kid, 'epoch'::timestamptz FROM fresh f JOIN gone o USING (kid)
      WHERE f.terminal_group_kid IS DISTINCT FROM o.terminal_group_kid
        AND EXISTS (SELECT FROM terminal_config c WHERE c.account_kid = f.account_kid AND c.ltscope IN (30, 35))
      ON CONFLICT (terminal_kid) DO UPDATE SET is_dirty = true, sends = 0, send_at = 'epoch'::timestamptz;
    RETURN NULL;
  END $$;
  CREATE OR REPLACE FUNCTION terminal_config_replanted() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF NOT EXISTS (
      SELECT FROM fresh f JOIN gone o USING (kid) JOIN terminal_config c ON c.account_kid = f.account_kid
      WHERE f.parent_kid IS DISTINCT FROM o.parent_kid AND c.ltscope IN (30, 35)
    ) THEN RETURN NULL; END IF;
    INSERT INTO terminal_config_delivery (terminal_kid, account_kid, send_at)
      WITH RECURSIVE below AS (
        SELECT f.kid FROM fresh f JOIN gone o USING (kid) WHERE f.parent_kid IS DISTINCT FROM o.parent_kid
        UNION SELECT g.kid FROM terminal_group g JOIN below b ON g.parent_kid = b.kid
      )
      SELECT t.kid, t.account_kid, 'epoch'::timestamptz FROM terminal t JOIN below b ON b.kid = t.terminal_group_kid
      ON CONFLICT (terminal_kid) DO UPDATE SET is_dirty = true, sends = 0, send_at = 'epoch'::timestamptz;
    RETURN NULL;
  END $$;
`
