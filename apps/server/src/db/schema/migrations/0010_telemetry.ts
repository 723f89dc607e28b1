import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Due at once, whatever the clock of the server that looks. */
const due = `'epoch'::timestamptz`

const statements = [
  // A section is set whole at one level: of the account, of a group, of a device.
  `CREATE TABLE terminal_config (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL REFERENCES account ON DELETE CASCADE,
    section text NOT NULL,
    ltscope smallint NOT NULL CHECK (ltscope IN (20, 30, 40)),
    terminal_group_kid uuid REFERENCES terminal_group ON DELETE CASCADE,
    terminal_kid uuid REFERENCES terminal ON DELETE CASCADE,
    value jsonb NOT NULL,
    updated_by_kid uuid NOT NULL,
    updated_by text NOT NULL,
    updated_at timestamptz NOT NULL,
    CHECK ((ltscope = 30) = (terminal_group_kid IS NOT NULL) AND (ltscope = 40) = (terminal_kid IS NOT NULL))
  )`,
  `CREATE UNIQUE INDEX terminal_config_place ON terminal_config
    (account_kid, section, COALESCE(terminal_kid, terminal_group_kid, account_kid))`,
  `CREATE INDEX terminal_config_group ON terminal_config (terminal_group_kid)`,
  `CREATE INDEX terminal_config_terminal ON terminal_config (terminal_kid)`,
  // What a device ought to hold. Without a row that is the platform's, which every device has from the start.
  `CREATE TABLE terminal_config_delivery (
    terminal_kid uuid PRIMARY KEY REFERENCES terminal ON DELETE CASCADE,
    account_kid uuid NOT NULL,
    version bigint NOT NULL DEFAULT 0,
    config jsonb,
    is_dirty boolean NOT NULL DEFAULT true,
    sends integer NOT NULL DEFAULT 0,
    send_at timestamptz,
    sent_at timestamptz
  ) WITH (fillfactor = 80)`,
  `CREATE INDEX terminal_config_delivery_due ON terminal_config_delivery (send_at) WHERE send_at IS NOT NULL`,
  // Whatever puts a device below another group changes what it inherits; hello or the sender works it out.
  `CREATE FUNCTION terminal_config_inserted() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO terminal_config_delivery (terminal_kid, account_kid)
      SELECT f.kid, f.account_kid FROM fresh f
      WHERE EXISTS (SELECT FROM terminal_config c WHERE c.account_kid = f.account_kid)
      ON CONFLICT DO NOTHING;
    RETURN NULL;
  END $$`,
  `CREATE FUNCTION terminal_config_regrouped() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO terminal_config_delivery (terminal_kid, account_kid, send_at)
      SELECT f.kid, f.account_kid, ${due} FROM fresh f JOIN gone o USING (kid)
      WHERE f.terminal_group_kid IS DISTINCT FROM o.terminal_group_kid
        AND EXISTS (SELECT FROM terminal_config c WHERE c.account_kid = f.account_kid AND c.ltscope = 30)
      ON CONFLICT (terminal_kid) DO UPDATE SET is_dirty = true, sends = 0, send_at = ${due};
    RETURN NULL;
  END $$`,
  `CREATE FUNCTION terminal_config_replanted() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF NOT EXISTS (
      SELECT FROM fresh f JOIN gone o USING (kid) JOIN terminal_config c ON c.account_kid = f.account_kid
      WHERE f.parent_kid IS DISTINCT FROM o.parent_kid AND c.ltscope = 30
    ) THEN RETURN NULL; END IF;
    INSERT INTO terminal_config_delivery (terminal_kid, account_kid, send_at)
      WITH RECURSIVE below AS (
        SELECT f.kid FROM fresh f JOIN gone o USING (kid) WHERE f.parent_kid IS DISTINCT FROM o.parent_kid
        UNION SELECT g.kid FROM terminal_group g JOIN below b ON g.parent_kid = b.kid
      )
      SELECT t.kid, t.account_kid, ${due} FROM terminal t JOIN below b ON b.kid = t.terminal_group_kid
      ON CONFLICT (terminal_kid) DO UPDATE SET is_dirty = true, sends = 0, send_at = ${due};
    RETURN NULL;
  END $$`,
  `CREATE TRIGGER terminal_config_inserted AFTER INSERT ON terminal REFERENCING NEW TABLE AS fresh
    FOR EACH STATEMENT EXECUTE FUNCTION terminal_config_inserted()`,
  `CREATE TRIGGER terminal_config_regrouped AFTER UPDATE ON terminal REFERENCING OLD TABLE AS gone NEW TABLE AS fresh
    FOR EACH STATEMENT EXECUTE FUNCTION terminal_config_regrouped()`,
  `CREATE TRIGGER terminal_config_replanted AFTER UPDATE ON terminal_group REFERENCING OLD TABLE AS gone NEW TABLE AS fresh
    FOR EACH STATEMENT EXECUTE FUNCTION terminal_config_replanted()`,

  // Totals of a day as the device counts days; a report that comes again or late changes nothing.
  `CREATE TABLE terminal_usage (
    account_kid uuid NOT NULL,
    terminal_kid uuid NOT NULL,
    day date NOT NULL,
    app text NOT NULL,
    network text NOT NULL CHECK (network IN ('wifi', 'mobile', 'ethernet')),
    received bigint NOT NULL,
    sent bigint NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (terminal_kid, day, app, network)
  ) PARTITION BY RANGE (day)`,
  `ALTER TABLE terminal_session ADD COLUMN is_lost boolean NOT NULL DEFAULT false`,
  `CREATE INDEX terminal_session_open ON terminal_session (node_kid) WHERE disconnected_at IS NULL`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
