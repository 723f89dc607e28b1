import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** The system itself: what was done on it, what it tells others, its servers and their settings. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await schema.execute(db)
}

const schema = sql`
  -- What people did, partitioned by month (partitionedTables of tables.ts).
  CREATE TABLE operation_log (
    kid uuid NOT NULL,
    account_kid uuid,
    account_name text,
    operator_kid uuid,
    operator_name text NOT NULL,
    operator_username text NOT NULL,
    module_code text NOT NULL,
    action_code text NOT NULL,
    ip text NOT NULL,
    -- What fills the sentence of a refusal stands in message_details: each reader gets it in their own language.
    result integer NOT NULL,
    message text NOT NULL,
    message_details jsonb,
    duration_ms integer NOT NULL,
    created_at timestamptz NOT NULL,
    client jsonb NOT NULL,
    request jsonb NOT NULL,
    response jsonb NOT NULL,
    tracks jsonb NOT NULL DEFAULT '[]',
    remark text NOT NULL DEFAULT '',
    search text GENERATED ALWAYS AS (lower(operator_name || ' ' || operator_username || ' ' || module_code || ' ' || action_code || ' ' || message)) STORED
  ) PARTITION BY RANGE (created_at);
  CREATE INDEX operation_log_account ON operation_log (account_kid, created_at, kid);
  CREATE INDEX operation_log_created ON operation_log (created_at, kid);
  CREATE INDEX operation_log_kid ON operation_log (kid);
  CREATE INDEX operation_log_operator ON operation_log (operator_kid, created_at);
  CREATE INDEX operation_log_failed_sign_in ON operation_log (created_at) WHERE module_code = 'login' AND result <> 1;

  -- What a download of a list will say; kept until it is fetched.
  CREATE TABLE list_export (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL REFERENCES account ON DELETE CASCADE,
    session_kid uuid NOT NULL,
    request jsonb NOT NULL,
    language text NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL
  );
  CREATE INDEX list_export_expires ON list_export (expires_at);

  -- Webhooks. account_kid is the provider's for those that hear everything.

  CREATE TABLE webhook (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL REFERENCES account ON DELETE CASCADE,
    name text NOT NULL,
    url text NOT NULL,
    events text[] NOT NULL,
    -- Sealed.
    secret text NOT NULL,
    is_enabled boolean NOT NULL DEFAULT true,
    failing_since timestamptz,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
  );
  CREATE UNIQUE INDEX webhook_name ON webhook (account_kid, lower(name));

  CREATE TABLE webhook_delivery (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL,
    webhook_kid uuid NOT NULL REFERENCES webhook ON DELETE CASCADE,
    event text NOT NULL,
    payload text NOT NULL,
    state text NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'delivered', 'failed')),
    attempts integer NOT NULL DEFAULT 0,
    next_at timestamptz,
    response_status integer,
    error text,
    duration_ms integer,
    created_at timestamptz NOT NULL,
    delivered_at timestamptz
  );
  CREATE INDEX webhook_delivery_list ON webhook_delivery (webhook_kid, created_at, kid);
  CREATE INDEX webhook_delivery_state ON webhook_delivery (webhook_kid, state, created_at, kid);
  CREATE INDEX webhook_delivery_due ON webhook_delivery (next_at) WHERE next_at IS NOT NULL;
  CREATE INDEX webhook_delivery_old ON webhook_delivery (created_at);

  -- Servers and their work

  CREATE TABLE setting (key text PRIMARY KEY, value jsonb NOT NULL);

  CREATE TABLE node (
    kid uuid PRIMARY KEY,
    started_at timestamptz NOT NULL,
    -- Its last sign of life, by its own clock, and by the database's, which all servers share.
    seen_at timestamptz NOT NULL,
    heard_at timestamptz NOT NULL DEFAULT now(),
    clock_doubt jsonb
  );

  -- What the clock of a server that could be believed last read: a start with a wrong clock is known by it.
  CREATE TABLE clock_seen (is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only), at timestamptz NOT NULL);

  CREATE TABLE job (
    name text PRIMARY KEY,
    run_at timestamptz NOT NULL,
    -- The server that runs it.
    worked_by uuid,
    last_started_at timestamptz,
    last_finished_at timestamptz,
    last_error text
  );

  -- Sessions that servers have at an external broker, by the kid of the server: the broker keeps messages for a server
  -- that is gone. Another one takes the session over and is then its worked_by.
  CREATE TABLE broker_session (
    kid uuid PRIMARY KEY,
    state text NOT NULL DEFAULT 'open',
    worked_by uuid,
    next_at timestamptz,
    opened_at timestamptz NOT NULL
  );

  -- Answers of devices on their way from the server that they reached to the one that asked: nothing that outlives a crash.
  CREATE UNLOGGED TABLE link_reply (
    kid uuid PRIMARY KEY,
    terminal_kid uuid NOT NULL,
    body text NOT NULL,
    at timestamptz NOT NULL DEFAULT now()
  );
`
