import { sql } from 'kysely'
import type { Kysely } from 'kysely'

const statements = [
  // Fields that an account gives its devices.
  `CREATE TABLE custom_field (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL REFERENCES account ON DELETE CASCADE,
    name text NOT NULL,
    kind text NOT NULL CHECK (kind IN ('text', 'number', 'date', 'choice', 'yes_no')),
    choices text[] NOT NULL DEFAULT '{}',
    sort integer NOT NULL,
    created_at timestamptz NOT NULL
  )`,
  `CREATE UNIQUE INDEX custom_field_name ON custom_field (account_kid, lower(name))`,
  `ALTER TABLE terminal
    ADD fields jsonb NOT NULL DEFAULT '{}',
    ADD tags text[] NOT NULL DEFAULT '{}' CONSTRAINT terminal_tags_max CHECK (cardinality(tags) <= 20)`,
  // Of all operators of jsonb: which devices have a field at all is asked as well as which have a value in it.
  `CREATE INDEX terminal_fields ON terminal USING gin (fields)`,
  `CREATE INDEX terminal_tags ON terminal USING gin (tags)`,
  // Which tags an account has ever used, in one spelling each: finding them on the devices would read every device.
  `CREATE TABLE terminal_tag (
    account_kid uuid NOT NULL REFERENCES account ON DELETE CASCADE,
    name text NOT NULL
  )`,
  `CREATE UNIQUE INDEX terminal_tag_name ON terminal_tag (account_kid, lower(name))`,
  `CREATE TABLE terminal_dynamic_group (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL REFERENCES account ON DELETE CASCADE,
    name text NOT NULL,
    "where" jsonb NOT NULL,
    created_at timestamptz NOT NULL
  )`,
  `CREATE UNIQUE INDEX terminal_dynamic_group_name ON terminal_dynamic_group (account_kid, lower(name))`,

  // What the list filters by. These columns change far less often than what they are made of, and only a change of an
  // indexed column costs a report more than its row: an index over the signal itself would be written by most reports.
  `ALTER TABLE terminal_state
    ADD is_metered boolean NOT NULL GENERATED ALWAYS AS (COALESCE(network @> '{"is_metered": true}', false)) STORED,
    ADD is_roaming boolean NOT NULL GENERATED ALWAYS AS (COALESCE(network @> '{"is_roaming": true}', false)) STORED,
    ADD has_foreground_app boolean NOT NULL GENERATED ALWAYS AS (COALESCE(foreground_app, '') <> '') STORED,
    ADD signal_tens smallint GENERATED ALWAYS AS (floor(signal / 10)::smallint) STORED`,
  `CREATE INDEX terminal_state_metered ON terminal_state (account_kid, is_metered, terminal_kid)`,
  `CREATE INDEX terminal_state_roaming ON terminal_state (account_kid, is_roaming, terminal_kid)`,
  `CREATE INDEX terminal_state_foreground ON terminal_state (account_kid, has_foreground_app, terminal_kid)`,
  `CREATE INDEX terminal_state_signal ON terminal_state (account_kid, signal_tens, terminal_kid)`,
  `CREATE INDEX terminal_state_network_type ON terminal_state (account_kid, network_type, terminal_kid)`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
