import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Configuration of devices: what is set at which level, and what each device holds of it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await schema.execute(db)
}

const schema = sql`
  -- What is set. Levels (ltscope): 10 the platform, whose rows have no account, 20 an account, 30 a group, 40 a device.

  -- A section is set whole at one level. Section 'fence' is set by the calls of fences: {"fence_kid": ... or null}.
  CREATE TABLE terminal_config (
    kid uuid PRIMARY KEY,
    account_kid uuid REFERENCES account ON DELETE CASCADE,
    section text NOT NULL,
    ltscope smallint NOT NULL,
    terminal_group_kid uuid REFERENCES terminal_group ON DELETE CASCADE,
    terminal_kid uuid REFERENCES terminal ON DELETE CASCADE,
    -- Secrets in it are sealed.
    value jsonb NOT NULL,
    updated_by_kid uuid NOT NULL,
    updated_by text NOT NULL,
    updated_by_token_kid uuid,
    updated_at timestamptz NOT NULL,
    CONSTRAINT terminal_config_ltscope_check CHECK (ltscope IN (10, 20, 30, 40) AND (ltscope = 10) = (account_kid IS NULL)),
    CHECK ((ltscope = 30) = (terminal_group_kid IS NOT NULL) AND (ltscope = 40) = (terminal_kid IS NOT NULL))
  );
  CREATE UNIQUE INDEX terminal_config_platform ON terminal_config (section) WHERE account_kid IS NULL;
  CREATE UNIQUE INDEX terminal_config_place ON terminal_config
    (account_kid, section, COALESCE(terminal_kid, terminal_group_kid, account_kid));
  CREATE INDEX terminal_config_group ON terminal_config (terminal_group_kid);
  CREATE INDEX terminal_config_terminal ON terminal_config (terminal_kid);
  CREATE INDEX terminal_config_fence ON terminal_config ((value ->> 'fence_kid')) WHERE section = 'fence';

  -- A configuration is all sections of one kind at one level; what is set of them stands in terminal_config.
  CREATE TABLE configuration (
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
  );
  CREATE UNIQUE INDEX configuration_place ON configuration
    (account_kid, type, COALESCE(terminal_kid, terminal_group_kid, account_kid)) NULLS NOT DISTINCT;
  CREATE INDEX configuration_updated ON configuration (account_kid, updated_at, kid);
  CREATE INDEX configuration_group ON configuration (terminal_group_kid);
  CREATE INDEX configuration_terminal ON configuration (terminal_kid);

  -- Each version of one, whole, with what it was before; secrets in it are sealed as where they are set.
  CREATE TABLE configuration_change (
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
    -- Devices that it was for.
    devices integer NOT NULL DEFAULT 0,
    -- Where it goes out in steps. While it is staged, devices whose step has not begun keep what they had.
    push_task_kid uuid,
    is_staged boolean NOT NULL DEFAULT false,
    created_by_kid uuid NOT NULL,
    created_by text NOT NULL,
    created_by_token_kid uuid,
    created_at timestamptz NOT NULL
  );
  CREATE UNIQUE INDEX configuration_change_version ON configuration_change (configuration_kid, version);
  CREATE INDEX configuration_change_created ON configuration_change (account_kid, created_at, kid);
  CREATE INDEX configuration_change_staged ON configuration_change (account_kid) WHERE is_staged;
  CREATE INDEX configuration_change_push ON configuration_change (push_task_kid) WHERE push_task_kid IS NOT NULL;

  -- What was set somewhere, be it by a change or by a fence, that is still owed to devices after this one.
  CREATE TABLE terminal_config_owing (
    kid uuid PRIMARY KEY,
    account_kid uuid REFERENCES account ON DELETE CASCADE,
    ltscope smallint NOT NULL,
    terminal_group_kid uuid,
    terminal_kid uuid,
    sections text[] NOT NULL,
    change_kid uuid,
    after_kid uuid,
    created_at timestamptz NOT NULL
  );
  CREATE INDEX terminal_config_owing_change ON terminal_config_owing (change_kid) WHERE change_kid IS NOT NULL;

  -- Files that configurations refer to; they take of the space of files.
  CREATE TABLE config_file (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL REFERENCES account ON DELETE CASCADE,
    name text NOT NULL,
    description text NOT NULL,
    path text NOT NULL,
    size bigint NOT NULL,
    md5 text NOT NULL,
    sha256 text NOT NULL,
    object text NOT NULL,
    push_count integer NOT NULL DEFAULT 0,
    created_by_kid uuid NOT NULL,
    created_by text NOT NULL,
    created_at timestamptz NOT NULL
  );
  CREATE UNIQUE INDEX config_file_name ON config_file (account_kid, lower(name));
  CREATE INDEX config_file_created ON config_file (account_kid, created_at, kid);
  CREATE FUNCTION config_file_space() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    item config_file := CASE WHEN TG_OP = 'INSERT' THEN NEW ELSE OLD END;
    sign integer := CASE WHEN TG_OP = 'INSERT' THEN 1 ELSE -1 END;
  BEGIN
    UPDATE disk_space SET used_bytes = used_bytes + sign * item.size, item_count = item_count + sign
      WHERE account_kid = item.account_kid AND area = 'file_disk';
    RETURN NULL;
  END $$;
  CREATE TRIGGER config_file_counted AFTER INSERT OR DELETE ON config_file FOR EACH ROW EXECUTE FUNCTION config_file_space();

  -- What a device ought to hold. Without a row that is the platform's, which every device has from the start.
  CREATE TABLE terminal_config_delivery (
    terminal_kid uuid PRIMARY KEY REFERENCES terminal ON DELETE CASCADE,
    account_kid uuid NOT NULL,
    version bigint NOT NULL DEFAULT 0,
    config jsonb,
    -- What it inherits has changed since config was worked out.
    is_dirty boolean NOT NULL DEFAULT true,
    -- It is told again even if it turns out to be the same.
    is_forced boolean NOT NULL DEFAULT false,
    sends integer NOT NULL DEFAULT 0,
    send_at timestamptz,
    sent_at timestamptz,
    -- The newest change that it was told of.
    change_kid uuid
  ) WITH (fillfactor = 80);
  CREATE INDEX terminal_config_delivery_due ON terminal_config_delivery (send_at) WHERE send_at IS NOT NULL;
  CREATE INDEX terminal_config_delivery_change ON terminal_config_delivery (change_kid) WHERE change_kid IS NOT NULL;
  CREATE INDEX terminal_config_delivery_account ON terminal_config_delivery (account_kid);

  -- A device, or a group above it, that moves below another group changes what the device inherits; its hello or the
  -- sender works it out. 'epoch' is due at once, whatever the clock of the server that looks.
  CREATE FUNCTION terminal_config_inserted() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO terminal_config_delivery (terminal_kid, account_kid)
      SELECT f.kid, f.account_kid FROM fresh f
      WHERE EXISTS (SELECT FROM terminal_config c WHERE c.account_kid = f.account_kid OR c.account_kid IS NULL)
      ON CONFLICT DO NOTHING;
    RETURN NULL;
  END $$;
  CREATE FUNCTION terminal_config_regrouped() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO terminal_config_delivery (terminal_kid, account_kid, send_at)
      SELECT f.kid, f.account_kid, 'epoch'::timestamptz FROM fresh f JOIN gone o USING (kid)
      WHERE f.terminal_group_kid IS DISTINCT FROM o.terminal_group_kid
        AND EXISTS (SELECT FROM terminal_config c WHERE c.account_kid = f.account_kid AND c.ltscope = 30)
      ON CONFLICT (terminal_kid) DO UPDATE SET is_dirty = true, sends = 0, send_at = 'epoch'::timestamptz;
    RETURN NULL;
  END $$;
  CREATE FUNCTION terminal_config_replanted() RETURNS trigger LANGUAGE plpgsql AS $$
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
      SELECT t.kid, t.account_kid, 'epoch'::timestamptz FROM terminal t JOIN below b ON b.kid = t.terminal_group_kid
      ON CONFLICT (terminal_kid) DO UPDATE SET is_dirty = true, sends = 0, send_at = 'epoch'::timestamptz;
    RETURN NULL;
  END $$;
  CREATE TRIGGER terminal_config_inserted AFTER INSERT ON terminal REFERENCING NEW TABLE AS fresh
    FOR EACH STATEMENT EXECUTE FUNCTION terminal_config_inserted();
  CREATE TRIGGER terminal_config_regrouped AFTER UPDATE ON terminal REFERENCING OLD TABLE AS gone NEW TABLE AS fresh
    FOR EACH STATEMENT EXECUTE FUNCTION terminal_config_regrouped();
  CREATE TRIGGER terminal_config_replanted AFTER UPDATE ON terminal_group REFERENCING OLD TABLE AS gone NEW TABLE AS fresh
    FOR EACH STATEMENT EXECUTE FUNCTION terminal_config_replanted();

  -- What a device said of the sections of the version that it holds.
  CREATE TABLE terminal_config_result (
    terminal_kid uuid NOT NULL REFERENCES terminal ON DELETE CASCADE,
    account_kid uuid NOT NULL,
    section text NOT NULL,
    outcome text NOT NULL CHECK (outcome IN ('applied', 'failed', 'not_supported')),
    reason text,
    message text,
    version bigint NOT NULL,
    at timestamptz NOT NULL,
    PRIMARY KEY (terminal_kid, section)
  );
  CREATE INDEX terminal_config_result_bad ON terminal_config_result (account_kid, outcome) WHERE outcome <> 'applied';
`
