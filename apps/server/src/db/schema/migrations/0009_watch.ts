import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Electronic fences, alerts and their compliance. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await schema.execute(db)
}

const schema = sql`
  -- Fences. Where one is set is configuration like any other: section 'fence' of terminal_config.

  CREATE TABLE electronic_fence (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL REFERENCES account ON DELETE CASCADE,
    name text NOT NULL,
    is_on boolean NOT NULL,
    longitude double precision NOT NULL CHECK (longitude BETWEEN -180 AND 180),
    latitude double precision NOT NULL CHECK (latitude BETWEEN -90 AND 90),
    radius integer NOT NULL CHECK (radius > 0),
    -- How long a device must stay on the other side before it counts.
    duration integer NOT NULL CHECK (duration >= 0),
    accuracy text NOT NULL CHECK (accuracy IN ('common', 'high', 'adaptive')),
    alarm_seconds integer,
    is_locking boolean NOT NULL,
    password_sealed text,
    version integer NOT NULL DEFAULT 1,
    -- Why the last push that it ordered was not made.
    last_error jsonb,
    created_at timestamptz NOT NULL,
    updated_by_kid uuid NOT NULL,
    updated_by text NOT NULL,
    updated_by_token_kid uuid,
    updated_at timestamptz NOT NULL,
    CHECK (NOT is_locking OR password_sealed IS NOT NULL)
  );
  CREATE UNIQUE INDEX electronic_fence_name ON electronic_fence (account_kid, lower(name));

  -- The fence in force for a device, as last worked out, and what is known of the device: read for every position. Its
  -- fence may be gone: with a foreign key, deleting a fence and working this out would wait for each other.
  CREATE TABLE terminal_fence (
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
  ) WITH (fillfactor = 80);
  CREATE INDEX terminal_fence_of ON terminal_fence (fence_kid, state);
  CREATE INDEX terminal_fence_settle ON terminal_fence (settle_at) WHERE settle_at IS NOT NULL;

  -- Devices whose fence has to be worked out again. Whatever makes a device's configuration stale may have changed it.
  CREATE TABLE fence_due (
    terminal_kid uuid PRIMARY KEY REFERENCES terminal ON DELETE CASCADE,
    account_kid uuid NOT NULL
  );
  CREATE FUNCTION fence_marked() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO fence_due (terminal_kid, account_kid)
    SELECT f.terminal_kid, f.account_kid FROM fresh f
    WHERE f.is_dirty AND (
      EXISTS (SELECT FROM terminal_config c WHERE c.account_kid = f.account_kid AND c.section = 'fence')
      OR EXISTS (SELECT FROM terminal_fence t WHERE t.terminal_kid = f.terminal_kid))
    ORDER BY f.terminal_kid ON CONFLICT DO NOTHING;
    RETURN NULL;
  END $$;
  CREATE TRIGGER fence_marked_new AFTER INSERT ON terminal_config_delivery REFERENCING NEW TABLE AS fresh
    FOR EACH STATEMENT EXECUTE FUNCTION fence_marked();
  CREATE TRIGGER fence_marked_again AFTER UPDATE ON terminal_config_delivery REFERENCING NEW TABLE AS fresh
    FOR EACH STATEMENT EXECUTE FUNCTION fence_marked();

  -- What is done to a device that has left, where it cannot do that itself: pushes still to be made.
  CREATE TABLE fence_action (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL REFERENCES account ON DELETE CASCADE,
    terminal_kid uuid NOT NULL REFERENCES terminal ON DELETE CASCADE,
    fence_kid uuid NOT NULL,
    at timestamptz NOT NULL
  );
  CREATE INDEX fence_action_at ON fence_action (at);

  -- Alerts

  -- What is watched. Which groups a rule watches is asked of its maker each time it is judged.
  CREATE TABLE alert_rule (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL REFERENCES account ON DELETE CASCADE,
    name text NOT NULL,
    kind text NOT NULL,
    params jsonb NOT NULL,
    severity text NOT NULL CHECK (severity IN ('info', 'warning', 'critical')),
    is_on boolean NOT NULL,
    match jsonb,
    -- How long the condition must last, and how long it must be over.
    for_seconds integer NOT NULL,
    calm_seconds integer NOT NULL,
    emails text[] NOT NULL,
    language text NOT NULL,
    is_noncompliant boolean NOT NULL,
    action_type text CHECK (action_type IN ('message', 'lock', 'move')),
    -- It may hold a password.
    action_sealed text,
    silenced_until timestamptz,
    last_error text,
    -- When mails were last left out because the account had sent too many within an hour.
    mails_cut_at timestamptz,
    created_by_kid uuid NOT NULL,
    created_by text NOT NULL,
    created_by_token_kid uuid,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    CHECK ((action_type IS NULL) = (action_sealed IS NULL))
  );
  CREATE UNIQUE INDEX alert_rule_name ON alert_rule (account_kid, lower(name));

  -- One from the first device on until the last one is calm: many devices at once are one alert with a count.
  CREATE TABLE alert (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL REFERENCES account ON DELETE CASCADE,
    rule_kid uuid NOT NULL,
    name text NOT NULL,
    kind text NOT NULL,
    severity text NOT NULL,
    created_by_kid uuid NOT NULL,
    count integer NOT NULL DEFAULT 0,
    peak integer NOT NULL DEFAULT 0,
    -- Devices that had been told of by told_at.
    told integer NOT NULL DEFAULT 0,
    told_at timestamptz,
    opened_at timestamptz NOT NULL,
    acknowledged_by text,
    acknowledged_at timestamptz,
    resolved_by text,
    resolved_at timestamptz
  );
  CREATE UNIQUE INDEX alert_open ON alert (rule_kid) WHERE resolved_at IS NULL;
  CREATE INDEX alert_recent ON alert (account_kid, opened_at, kid);
  CREATE INDEX alert_ended ON alert (resolved_at) WHERE resolved_at IS NOT NULL;

  -- Devices for which a rule is true: since when, and from when on it fires. A dismissed one counts again when it was over.
  CREATE TABLE alert_terminal (
    rule_kid uuid NOT NULL REFERENCES alert_rule ON DELETE CASCADE,
    terminal_kid uuid NOT NULL REFERENCES terminal ON DELETE CASCADE,
    account_kid uuid NOT NULL,
    since timestamptz NOT NULL,
    fired_at timestamptz,
    calm_since timestamptz,
    is_dismissed boolean NOT NULL DEFAULT false,
    -- It fires, and its rule says that such devices are not compliant.
    is_marked boolean NOT NULL DEFAULT false,
    PRIMARY KEY (rule_kid, terminal_kid)
  ) WITH (fillfactor = 80);
  CREATE INDEX alert_terminal_device ON alert_terminal (terminal_kid);
  CREATE INDEX alert_terminal_marked ON alert_terminal (account_kid, terminal_kid) WHERE is_marked;
  -- A rule looks for those that wait and those that are calm each time, among many that simply go on.
  CREATE INDEX alert_terminal_waiting ON alert_terminal (rule_kid) WHERE fired_at IS NULL;
  CREATE INDEX alert_terminal_calm ON alert_terminal (rule_kid, calm_since) WHERE calm_since IS NOT NULL;

  -- For the history: which devices an alert was about.
  CREATE TABLE alert_device (
    alert_kid uuid NOT NULL REFERENCES alert ON DELETE CASCADE,
    terminal_kid uuid NOT NULL,
    account_kid uuid NOT NULL,
    sn text NOT NULL,
    name text NOT NULL,
    fired_at timestamptz NOT NULL,
    cleared_at timestamptz,
    PRIMARY KEY (alert_kid, terminal_kid)
  );
  CREATE INDEX alert_device_fired ON alert_device (alert_kid, fired_at, terminal_kid);
  CREATE INDEX alert_device_terminal ON alert_device (terminal_kid) WHERE cleared_at IS NULL;

  -- What is done to devices for which a rule fires: rows still to be worked off.
  CREATE TABLE alert_action (
    rule_kid uuid NOT NULL REFERENCES alert_rule ON DELETE CASCADE,
    terminal_kid uuid NOT NULL REFERENCES terminal ON DELETE CASCADE,
    account_kid uuid NOT NULL,
    at timestamptz NOT NULL,
    PRIMARY KEY (rule_kid, terminal_kid)
  );

  -- Mails that wait for the mail server.
  CREATE TABLE alert_mail (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL REFERENCES account ON DELETE CASCADE,
    -- Its rule says when a mail does not arrive. A rule that was deleted still tells that it is over.
    rule_kid uuid,
    address text NOT NULL,
    subject text NOT NULL,
    body text NOT NULL,
    attempts integer NOT NULL DEFAULT 0,
    next_at timestamptz,
    sent_at timestamptz,
    error text,
    created_at timestamptz NOT NULL
  );
  CREATE INDEX alert_mail_due ON alert_mail (next_at) WHERE next_at IS NOT NULL;
  CREATE INDEX alert_mail_hourly ON alert_mail (account_kid, created_at);
  CREATE INDEX alert_mail_rule ON alert_mail (rule_kid, address, created_at) WHERE rule_kid IS NOT NULL;
`
