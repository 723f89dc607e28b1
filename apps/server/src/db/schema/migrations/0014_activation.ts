import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Private deployments: the codes that the provider issues, and the one that this server holds. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await schema.execute(db)
}

const schema = sql`
  CREATE TABLE activation (
    kid uuid PRIMARY KEY,
    name text NOT NULL,
    max_accounts integer NOT NULL,
    max_devices bigint NOT NULL,
    macs text[] NOT NULL DEFAULT '{}',
    state text NOT NULL CHECK (state IN ('activating', 'activated', 'expired', 'eliminated', 'error')),
    fault text,
    issue integer NOT NULL DEFAULT 1,
    code text NOT NULL,
    starts_at timestamptz NOT NULL,
    ends_at timestamptz NOT NULL,
    reported_at timestamptz,
    remark text NOT NULL DEFAULT '',
    created_by text NOT NULL,
    created_at timestamptz NOT NULL
  );
  CREATE INDEX activation_created ON activation (created_at, kid);
  CREATE INDEX activation_name ON activation (lower(name), kid);
  CREATE INDEX activation_ends ON activation (ends_at, kid);

  CREATE TABLE activation_here (
    is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
    code text NOT NULL,
    entered_at timestamptz NOT NULL,
    -- The latest time that the server has known: a clock that is set back gains nothing.
    latest_at timestamptz NOT NULL,
    ended_at timestamptz,
    -- The receipt that the provider has.
    reported text,
    reported_at timestamptz,
    report_error text
  );
`
