import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/**
 * What devices report over time, and what is fetched from them. Tables PARTITION BY RANGE are partitioned by month:
 * retention drops whole partitions (partitionedTables of tables.ts says after how many).
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await schema.execute(db)
}

const schema = sql`
  -- What a device reported

  CREATE TABLE terminal_report (
    account_kid uuid NOT NULL,
    terminal_kid uuid NOT NULL,
    received_at timestamptz NOT NULL,
    device_time timestamptz NOT NULL,
    seq bigint NOT NULL,
    battery_level real,
    cpu real,
    memory_used bigint,
    memory_total bigint,
    storage_used bigint,
    storage_total bigint,
    parts jsonb NOT NULL
  ) PARTITION BY RANGE (received_at);
  CREATE INDEX terminal_report_terminal ON terminal_report (terminal_kid, received_at);

  CREATE TABLE terminal_event (
    kid uuid NOT NULL,
    account_kid uuid NOT NULL,
    terminal_kid uuid NOT NULL,
    type text NOT NULL,
    at timestamptz NOT NULL,
    received_at timestamptz NOT NULL,
    detail jsonb NOT NULL
  ) PARTITION BY RANGE (received_at);
  CREATE INDEX terminal_event_terminal ON terminal_event (terminal_kid, at, kid);
  -- What happened to the devices of one fence is read by the fence. A device may say anything of 1,000 characters where
  -- the kid of its fence belongs, and an entry of an index must be shorter: the kid is the first 36.
  CREATE INDEX terminal_event_fence ON terminal_event (account_kid, "left"(detail ->> 'fence_kid', 36), at, kid)
    WHERE type IN ('fence_in', 'fence_out', 'fence_action');

  -- Where it has been: a row for every step that was far enough.
  CREATE TABLE terminal_track (
    account_kid uuid NOT NULL,
    terminal_kid uuid NOT NULL,
    longitude double precision NOT NULL,
    latitude double precision NOT NULL,
    accuracy real,
    provider text,
    at timestamptz NOT NULL,
    received_at timestamptz NOT NULL
  ) PARTITION BY RANGE (received_at);
  CREATE INDEX terminal_track_terminal ON terminal_track (terminal_kid, at);

  -- Totals of a day as the device counts days; a report that comes again or late changes nothing.
  CREATE TABLE terminal_usage (
    account_kid uuid NOT NULL,
    terminal_kid uuid NOT NULL,
    day date NOT NULL,
    app text NOT NULL,
    network text NOT NULL CHECK (network IN ('wifi', 'mobile', 'ethernet')),
    received bigint NOT NULL,
    sent bigint NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (terminal_kid, day, app, network)
  ) PARTITION BY RANGE (day);

  -- The last messages of which the server did not take over all; the device is told the same.
  CREATE TABLE terminal_refusal (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL,
    terminal_kid uuid NOT NULL REFERENCES terminal ON DELETE CASCADE,
    at timestamptz NOT NULL,
    name text NOT NULL,
    is_whole boolean NOT NULL,
    parts jsonb NOT NULL
  );
  CREATE INDEX terminal_refusal_terminal ON terminal_refusal (terminal_kid, at, kid);

  -- Connections

  CREATE TABLE terminal_session (
    epoch text NOT NULL,
    account_kid uuid NOT NULL,
    terminal_kid uuid NOT NULL,
    node_kid uuid NOT NULL,
    address text NOT NULL,
    connected_at timestamptz NOT NULL,
    disconnected_at timestamptz,
    -- Its server was gone: the end is when that was last known to live.
    is_lost boolean NOT NULL DEFAULT false
  ) PARTITION BY RANGE (connected_at);
  CREATE INDEX terminal_session_terminal ON terminal_session (terminal_kid, connected_at);
  CREATE INDEX terminal_session_open ON terminal_session (node_kid) WHERE disconnected_at IS NULL;

  -- How many devices of a group, or of none, were online at a moment of the last day.
  CREATE TABLE online_sample (
    account_kid uuid NOT NULL REFERENCES account ON DELETE CASCADE,
    terminal_group_kid uuid,
    at timestamptz NOT NULL,
    online integer NOT NULL
  );
  CREATE INDEX online_sample_of ON online_sample (account_kid, at);
  CREATE INDEX online_sample_old ON online_sample (at);

  -- What is fetched from a device

  -- What a device last said of its apps (path '') and of each part of a folder, for when it is offline.
  CREATE TABLE device_listing (
    terminal_kid uuid NOT NULL REFERENCES terminal ON DELETE CASCADE,
    account_kid uuid NOT NULL REFERENCES account ON DELETE CASCADE,
    kind text NOT NULL CHECK (kind IN ('apps', 'folder')),
    path text NOT NULL,
    after text NOT NULL,
    items jsonb NOT NULL,
    next text,
    reported_at timestamptz NOT NULL,
    PRIMARY KEY (terminal_kid, kind, path, after)
  );
  CREATE INDEX device_listing_old ON device_listing (reported_at);

  -- Files and logs on their way. Without a foreign key to the device: when that is deregistered the row still knows
  -- which bytes have to be removed.
  CREATE TABLE device_transfer (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL,
    terminal_kid uuid NOT NULL,
    kind text NOT NULL CHECK (kind IN ('download', 'upload', 'log')),
    path text NOT NULL DEFAULT '',
    name text NOT NULL,
    size bigint,
    state text NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'completed', 'failed', 'canceled')),
    progress integer NOT NULL DEFAULT 0,
    code text,
    message text,
    object text,
    sha256 text,
    created_by_kid uuid NOT NULL,
    created_by text NOT NULL,
    created_at timestamptz NOT NULL,
    touched_at timestamptz NOT NULL,
    finished_at timestamptz,
    expires_at timestamptz NOT NULL
  );
  CREATE INDEX device_transfer_files ON device_transfer (terminal_kid, created_at, kid) WHERE kind <> 'log';
  CREATE INDEX device_transfer_logs ON device_transfer (terminal_kid, created_at, kid) WHERE kind = 'log';
  CREATE INDEX device_transfer_account ON device_transfer (account_kid) INCLUDE (state, size);
  CREATE INDEX device_transfer_running ON device_transfer (touched_at) WHERE state = 'running';
  CREATE INDEX device_transfer_expires ON device_transfer (expires_at);

  -- Devices as a file. Without a foreign key: when the account goes, the row still knows which bytes have to be removed.
  CREATE TABLE terminal_export (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL,
    request jsonb NOT NULL,
    language text NOT NULL,
    -- What the person could reach who asked; null: everything.
    group_kids uuid[],
    state text NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'done', 'canceled', 'failed')),
    total integer NOT NULL DEFAULT 0,
    done integer NOT NULL DEFAULT 0,
    -- Tells a server that was given up from the one that took over.
    attempt integer NOT NULL DEFAULT 0,
    -- The server that writes it (db/claim.ts); a time says only that it is not to be tried again before it.
    worked_by uuid,
    next_at timestamptz,
    object text,
    size bigint,
    created_by_kid uuid NOT NULL,
    created_by text NOT NULL,
    created_at timestamptz NOT NULL,
    finished_at timestamptz,
    expires_at timestamptz NOT NULL
  );
  CREATE UNIQUE INDEX terminal_export_one ON terminal_export (account_kid) WHERE state = 'running';
  CREATE INDEX terminal_export_next ON terminal_export (created_at) WHERE state = 'running';
  CREATE INDEX terminal_export_recent ON terminal_export (account_kid, created_at, kid);
  CREATE INDEX terminal_export_expires ON terminal_export (expires_at);
`
