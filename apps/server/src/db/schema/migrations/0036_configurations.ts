import { sql } from 'kysely'
import type { Kysely } from 'kysely'

const statements = [
  // The platform's own settings are rows without an account.
  `ALTER TABLE terminal_config ALTER COLUMN account_kid DROP NOT NULL`,
  `ALTER TABLE terminal_config DROP CONSTRAINT terminal_config_ltscope_check`,
  `ALTER TABLE terminal_config ADD CONSTRAINT terminal_config_ltscope_check
    CHECK (ltscope IN (10, 20, 30, 40) AND (ltscope = 10) = (account_kid IS NULL))`,
  `CREATE UNIQUE INDEX terminal_config_platform ON terminal_config (section) WHERE account_kid IS NULL`,

  // A configuration is all sections of one kind at one level; what is set of them stands in terminal_config.
  `CREATE TABLE configuration (
    kid uuid PRIMARY KEY,
    account_kid uuid REFERENCES account ON DELETE CASCADE,
    type smallint NOT NULL,
    ltscope smallint NOT NULL CHECK (ltscope IN (10, 20, 30, 40) AND (ltscope = 10) = (account_kid IS NULL)),
    terminal_group_kid uuid REFERENCES terminal_group ON DELETE CASCADE,
    terminal_kid uuid REFERENCES terminal ON DELETE CASCADE,
    name text NOT NULL DEFAULT '',
    description text NOT NULL DEFAULT '',
    version integer NOT NULL DEFAULT 0,
    section_count smallint NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    updated_by_kid uuid NOT NULL,
    updated_by text NOT NULL,
    CHECK ((ltscope = 30) = (terminal_group_kid IS NOT NULL) AND (ltscope = 40) = (terminal_kid IS NOT NULL))
  )`,
  `CREATE UNIQUE INDEX configuration_place ON configuration
    (account_kid, type, COALESCE(terminal_kid, terminal_group_kid, account_kid)) NULLS NOT DISTINCT`,
  `CREATE INDEX configuration_updated ON configuration (account_kid, updated_at, kid)`,
  `CREATE INDEX configuration_group ON configuration (terminal_group_kid)`,
  `CREATE INDEX configuration_terminal ON configuration (terminal_kid)`,
  // Each version of one, whole, with what it was before; secrets in it are sealed as where they are set.
  `CREATE TABLE configuration_change (
    kid uuid PRIMARY KEY,
    configuration_kid uuid NOT NULL REFERENCES configuration ON DELETE CASCADE,
    account_kid uuid,
    type smallint NOT NULL,
    ltscope smallint NOT NULL,
    terminal_group_kid uuid,
    terminal_kid uuid,
    version integer NOT NULL,
    act text NOT NULL CHECK (act IN ('save', 'reset', 'copy', 'revert')),
    sections text[] NOT NULL,
    before jsonb NOT NULL,
    after jsonb NOT NULL,
    devices integer NOT NULL DEFAULT 0,
    is_owing boolean NOT NULL DEFAULT false,
    owed_to uuid,
    created_by_kid uuid NOT NULL,
    created_by text NOT NULL,
    created_at timestamptz NOT NULL
  )`,
  `CREATE UNIQUE INDEX configuration_change_version ON configuration_change (configuration_kid, version)`,
  `CREATE INDEX configuration_change_created ON configuration_change (account_kid, created_at, kid)`,
  `CREATE INDEX configuration_change_owing ON configuration_change (created_at) WHERE is_owing`,
  // What was set before there were configurations.
  `INSERT INTO configuration (kid, account_kid, type, ltscope, terminal_group_kid, terminal_kid, version, section_count,
      created_at, updated_at, updated_by_kid, updated_by)
    SELECT gen_random_uuid(), c.account_kid, CASE c.section WHEN 'collection' THEN 2 ELSE 1 END, c.ltscope, c.terminal_group_kid,
      c.terminal_kid, 1, count(*), min(c.updated_at), max(c.updated_at),
      (array_agg(c.updated_by_kid ORDER BY c.updated_at DESC))[1], (array_agg(c.updated_by ORDER BY c.updated_at DESC))[1]
    FROM terminal_config c
    GROUP BY c.account_kid, CASE c.section WHEN 'collection' THEN 2 ELSE 1 END, c.ltscope, c.terminal_group_kid, c.terminal_kid`,

  // The newest change that a device was told of.
  `ALTER TABLE terminal_config_delivery ADD COLUMN change_kid uuid`,
  // It is told again even if it turns out to be the same.
  `ALTER TABLE terminal_config_delivery ADD COLUMN is_forced boolean NOT NULL DEFAULT false`,
  `CREATE INDEX terminal_config_delivery_change ON terminal_config_delivery (change_kid) WHERE change_kid IS NOT NULL`,
  `CREATE INDEX terminal_config_delivery_account ON terminal_config_delivery (account_kid)`,
  // What a device said of the sections of the version that it holds.
  `CREATE TABLE terminal_config_result (
    terminal_kid uuid NOT NULL REFERENCES terminal ON DELETE CASCADE,
    account_kid uuid NOT NULL,
    section text NOT NULL,
    outcome text NOT NULL CHECK (outcome IN ('applied', 'failed', 'not_supported')),
    reason text,
    message text,
    version bigint NOT NULL,
    at timestamptz NOT NULL,
    PRIMARY KEY (terminal_kid, section)
  )`,
  `CREATE INDEX terminal_config_result_bad ON terminal_config_result (account_kid, outcome) WHERE outcome <> 'applied'`,
  `ALTER TABLE terminal ADD COLUMN config_sections text[]`,

  `CREATE OR REPLACE FUNCTION terminal_config_inserted() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO terminal_config_delivery (terminal_kid, account_kid)
      SELECT f.kid, f.account_kid FROM fresh f
      WHERE EXISTS (SELECT FROM terminal_config c WHERE c.account_kid = f.account_kid OR c.account_kid IS NULL)
      ON CONFLICT DO NOTHING;
    RETURN NULL;
  END $$`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
