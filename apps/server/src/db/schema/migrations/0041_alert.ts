import { sql } from 'kysely'
import type { Kysely } from 'kysely'

const statements = [
  // What is watched. `reach` are the groups that its maker was limited to; the action is sealed, for it may hold a password.
  `CREATE TABLE alert_rule (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL REFERENCES account ON DELETE CASCADE,
    name text NOT NULL,
    kind text NOT NULL,
    params jsonb NOT NULL,
    severity text NOT NULL CHECK (severity IN ('info', 'warning', 'critical')),
    is_on boolean NOT NULL,
    match jsonb,
    for_seconds integer NOT NULL,
    calm_seconds integer NOT NULL,
    emails text[] NOT NULL,
    language text NOT NULL,
    is_noncompliant boolean NOT NULL,
    action_type text CHECK (action_type IN ('message', 'lock', 'move')),
    action_sealed text,
    reach uuid[],
    silenced_until timestamptz,
    last_error text,
    created_by_kid uuid NOT NULL,
    created_by text NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    CHECK ((action_type IS NULL) = (action_sealed IS NULL))
  )`,
  `CREATE UNIQUE INDEX alert_rule_name ON alert_rule (account_kid, lower(name))`,
  // One from the first device on until the last one is calm: many devices at once are one alert with a count.
  `CREATE TABLE alert (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL REFERENCES account ON DELETE CASCADE,
    rule_kid uuid NOT NULL,
    name text NOT NULL,
    kind text NOT NULL,
    severity text NOT NULL,
    reach uuid[],
    created_by_kid uuid NOT NULL,
    count integer NOT NULL DEFAULT 0,
    peak integer NOT NULL DEFAULT 0,
    told integer NOT NULL DEFAULT 0,
    told_at timestamptz,
    opened_at timestamptz NOT NULL,
    acknowledged_by text,
    acknowledged_at timestamptz,
    resolved_by text,
    resolved_at timestamptz
  )`,
  `CREATE UNIQUE INDEX alert_open ON alert (rule_kid) WHERE resolved_at IS NULL`,
  `CREATE INDEX alert_recent ON alert (account_kid, opened_at, kid)`,
  `CREATE INDEX alert_ended ON alert (resolved_at) WHERE resolved_at IS NOT NULL`,
  // Devices for which a rule is true: since when, and from when on it fires. A dismissed one counts again when it was over.
  `CREATE TABLE alert_terminal (
    rule_kid uuid NOT NULL REFERENCES alert_rule ON DELETE CASCADE,
    terminal_kid uuid NOT NULL REFERENCES terminal ON DELETE CASCADE,
    account_kid uuid NOT NULL,
    since timestamptz NOT NULL,
    fired_at timestamptz,
    calm_since timestamptz,
    is_dismissed boolean NOT NULL DEFAULT false,
    is_marked boolean NOT NULL DEFAULT false,
    PRIMARY KEY (rule_kid, terminal_kid)
  ) WITH (fillfactor = 80)`,
  `CREATE INDEX alert_terminal_device ON alert_terminal (terminal_kid)`,
  `CREATE INDEX alert_terminal_marked ON alert_terminal (account_kid, terminal_kid) WHERE is_marked`,
  // For the history: which devices an alert was about.
  `CREATE TABLE alert_device (
    alert_kid uuid NOT NULL REFERENCES alert ON DELETE CASCADE,
    terminal_kid uuid NOT NULL,
    account_kid uuid NOT NULL,
    sn text NOT NULL,
    name text NOT NULL,
    fired_at timestamptz NOT NULL,
    cleared_at timestamptz,
    PRIMARY KEY (alert_kid, terminal_kid)
  )`,
  `CREATE INDEX alert_device_fired ON alert_device (alert_kid, fired_at, terminal_kid)`,
  `CREATE INDEX alert_device_terminal ON alert_device (terminal_kid) WHERE cleared_at IS NULL`,
  // What is done to devices for which a rule fires: rows still to be worked off.
  `CREATE TABLE alert_action (
    rule_kid uuid NOT NULL REFERENCES alert_rule ON DELETE CASCADE,
    terminal_kid uuid NOT NULL REFERENCES terminal ON DELETE CASCADE,
    account_kid uuid NOT NULL,
    at timestamptz NOT NULL,
    PRIMARY KEY (rule_kid, terminal_kid)
  )`,
  // Mails that wait for the mail server.
  `CREATE TABLE alert_mail (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL REFERENCES account ON DELETE CASCADE,
    address text NOT NULL,
    subject text NOT NULL,
    body text NOT NULL,
    attempts integer NOT NULL DEFAULT 0,
    next_at timestamptz,
    sent_at timestamptz,
    error text,
    created_at timestamptz NOT NULL
  )`,
  `CREATE INDEX alert_mail_due ON alert_mail (next_at) WHERE next_at IS NOT NULL`,
  `CREATE INDEX alert_mail_hourly ON alert_mail (account_kid, created_at)`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
