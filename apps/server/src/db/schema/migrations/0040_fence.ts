import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Of the devices in `fresh`: those whose fence may be another one now. */
const mark = `
  INSERT INTO fence_due (terminal_kid, account_kid)
    SELECT f.terminal_kid, f.account_kid FROM fresh f
    WHERE f.is_dirty AND (
      EXISTS (SELECT FROM terminal_config c WHERE c.account_kid = f.account_kid AND c.section = 'fence')
      OR EXISTS (SELECT FROM terminal_fence t WHERE t.terminal_kid = f.terminal_kid))
    ORDER BY f.terminal_kid ON CONFLICT DO NOTHING`

const statements = [
  // Where it is set is configuration like any other: section 'fence' of terminal_config, {"fence_kid": … or null}.
  `CREATE TABLE electronic_fence (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL REFERENCES account ON DELETE CASCADE,
    name text NOT NULL,
    is_on boolean NOT NULL,
    longitude double precision NOT NULL CHECK (longitude BETWEEN -180 AND 180),
    latitude double precision NOT NULL CHECK (latitude BETWEEN -90 AND 90),
    radius integer NOT NULL CHECK (radius > 0),
    duration integer NOT NULL CHECK (duration >= 0),
    accuracy text NOT NULL CHECK (accuracy IN ('common', 'high', 'adaptive')),
    alarm_seconds integer,
    is_locking boolean NOT NULL,
    password_sealed text,
    version integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL,
    updated_by_kid uuid NOT NULL,
    updated_by text NOT NULL,
    updated_at timestamptz NOT NULL,
    CHECK (NOT is_locking OR password_sealed IS NOT NULL)
  )`,
  `CREATE UNIQUE INDEX electronic_fence_name ON electronic_fence (account_kid, lower(name))`,
  `CREATE INDEX terminal_config_fence ON terminal_config ((value ->> 'fence_kid')) WHERE section = 'fence'`,
  // The fence in force for a device, as last worked out, and what is known of the device: read for every position. Its fence
  // may be gone: a foreign key would make who deletes a fence and who works this out wait for each other.
  `CREATE TABLE terminal_fence (
    terminal_kid uuid PRIMARY KEY REFERENCES terminal ON DELETE CASCADE,
    account_kid uuid NOT NULL,
    fence_kid uuid NOT NULL,
    fence_version integer NOT NULL,
    state text CHECK (state IN ('inside', 'outside')),
    since timestamptz,
    judged_at timestamptz,
    crossing jsonb,
    settle_at timestamptz,
    is_by_device boolean NOT NULL DEFAULT false
  ) WITH (fillfactor = 80)`,
  `CREATE INDEX terminal_fence_of ON terminal_fence (fence_kid, state)`,
  `CREATE INDEX terminal_fence_settle ON terminal_fence (settle_at) WHERE settle_at IS NOT NULL`,
  // Devices whose fence has to be worked out again. Whatever makes a device's configuration stale may have changed it.
  `CREATE TABLE fence_due (terminal_kid uuid PRIMARY KEY REFERENCES terminal ON DELETE CASCADE, account_kid uuid NOT NULL)`,
  `CREATE FUNCTION fence_marked() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    ${mark};
    RETURN NULL;
  END $$`,
  `CREATE TRIGGER fence_marked_new AFTER INSERT ON terminal_config_delivery REFERENCING NEW TABLE AS fresh
    FOR EACH STATEMENT EXECUTE FUNCTION fence_marked()`,
  `CREATE TRIGGER fence_marked_again AFTER UPDATE ON terminal_config_delivery REFERENCING NEW TABLE AS fresh
    FOR EACH STATEMENT EXECUTE FUNCTION fence_marked()`,
  // What a device does that has left, where it cannot do that itself: pushes still to be made.
  `CREATE TABLE fence_action (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL REFERENCES account ON DELETE CASCADE,
    terminal_kid uuid NOT NULL REFERENCES terminal ON DELETE CASCADE,
    fence_kid uuid NOT NULL,
    at timestamptz NOT NULL
  )`,
  `CREATE INDEX fence_action_at ON fence_action (at)`,
  `ALTER TABLE terminal ADD judges_fence boolean NOT NULL DEFAULT false`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
