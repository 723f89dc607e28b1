import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Sessions with the screen, the shell or the log of a device, and what was recorded of them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await schema.execute(db)
}

const schema = sql`
  -- Where other servers reach this one; null until it listens.
  ALTER TABLE node ADD COLUMN url text;
  -- Kinds of tunnels that the device has said it can open; null: none.
  ALTER TABLE terminal ADD COLUMN tunnels text[];

  -- A row that is not there is the defaults (remote_settings in modules/devices/terminal-remote).
  CREATE TABLE remote_settings (
    account_kid uuid PRIMARY KEY REFERENCES account ON DELETE CASCADE,
    consent text NOT NULL CHECK (consent IN ('ask', 'notify', 'unattended')),
    clipboard boolean NOT NULL,
    terminal boolean NOT NULL,
    record_desktop boolean NOT NULL,
    recording_days integer NOT NULL CHECK (recording_days > 0),
    recording_bytes bigint NOT NULL CHECK (recording_bytes >= 0)
  );

  -- Kept when the device goes: who had it open is asked for later, too.
  CREATE TABLE remote_session (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL REFERENCES account ON DELETE CASCADE,
    terminal_kid uuid NOT NULL,
    sn text NOT NULL,
    kind text NOT NULL CHECK (kind IN ('desktop', 'terminal', 'log')),
    consent text NOT NULL CHECK (consent IN ('ask', 'notify', 'unattended')),
    created_by text NOT NULL,
    created_by_kid uuid NOT NULL,
    created_at timestamptz NOT NULL,
    ends_at timestamptz NOT NULL,
    ended_at timestamptz,
    end_reason text,
    terminal_policy_kid uuid,
    renewals integer NOT NULL DEFAULT 0 CHECK (renewals >= 0),
    search text GENERATED ALWAYS AS (lower(sn || ' ' || created_by)) STORED,
    CHECK ((ended_at IS NULL) = (end_reason IS NULL))
  );
  CREATE INDEX remote_session_created ON remote_session (account_kid, created_at, kid);
  CREATE INDEX remote_session_ended ON remote_session (account_kid, ended_at, kid);
  CREATE INDEX remote_session_terminal ON remote_session (terminal_kid, created_at, kid);
  CREATE INDEX remote_session_open ON remote_session (ends_at) WHERE ended_at IS NULL;
  CREATE INDEX remote_session_policy ON remote_session (terminal_policy_kid) WHERE ended_at IS NULL;

  -- A browser at one end of a tunnel and the device at the other. Of its tickets only digests are kept, each until it is used.
  CREATE TABLE remote_viewer (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL REFERENCES account ON DELETE CASCADE,
    session_kid uuid NOT NULL REFERENCES remote_session ON DELETE CASCADE,
    terminal_kid uuid NOT NULL,
    user_kid uuid NOT NULL,
    username text NOT NULL,
    -- The sign-in, or the API token, of who asked.
    login_kid uuid NOT NULL,
    has_control boolean NOT NULL,
    created_at timestamptz NOT NULL,
    joined_at timestamptz,
    left_at timestamptz,
    -- The server where the device's end is.
    node_kid uuid,
    device_ticket bytea,
    viewer_ticket bytea,
    node_ticket bytea,
    ticket_ends_at timestamptz NOT NULL
  );
  CREATE INDEX remote_viewer_session ON remote_viewer (session_kid, created_at);
  CREATE INDEX remote_viewer_open ON remote_viewer (account_kid) WHERE left_at IS NULL;

  -- Without a foreign key: when the account goes, the row still knows which bytes have to be removed.
  CREATE TABLE remote_recording (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL,
    session_kid uuid NOT NULL,
    viewer_kid uuid NOT NULL,
    format text NOT NULL CHECK (format IN ('fbs', 'asciicast')),
    bytes bigint NOT NULL,
    seconds double precision NOT NULL,
    started_at timestamptz NOT NULL
  );
  CREATE INDEX remote_recording_session ON remote_recording (session_kid);
  CREATE INDEX remote_recording_account ON remote_recording (account_kid, started_at);
`
