import { sql } from 'kysely'
import type { Kysely } from 'kysely'

const statements = [
  `ALTER TABLE terminal ADD COLUMN work_order text`,
  // Many rows that are worked off in the background. The job belongs to `owner_kid`, who asked for it: the account itself or
  // the provider; its devices go to `account_kid`. `is_ready` is set once all rows are there.
  `CREATE TABLE batch_job (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL REFERENCES account ON DELETE CASCADE,
    owner_kid uuid NOT NULL REFERENCES account ON DELETE CASCADE,
    kind text NOT NULL CHECK (kind IN ('terminal_registered')),
    schedule_version text NOT NULL,
    terminal_group_kid uuid,
    state text NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'done', 'canceled', 'failed')),
    is_ready boolean NOT NULL DEFAULT false,
    total integer NOT NULL,
    done integer NOT NULL DEFAULT 0,
    ok integer NOT NULL DEFAULT 0,
    failed integer NOT NULL DEFAULT 0,
    created_by_kid uuid NOT NULL,
    created_by text NOT NULL,
    created_at timestamptz NOT NULL,
    touched_at timestamptz NOT NULL,
    finished_at timestamptz,
    CONSTRAINT batch_job_version UNIQUE (owner_kid, schedule_version),
    CONSTRAINT batch_job_counts CHECK (done = ok + failed AND done <= total)
  )`,
  `CREATE UNIQUE INDEX batch_job_one ON batch_job (account_kid) WHERE state = 'running'`,
  `CREATE INDEX batch_job_next ON batch_job (touched_at) WHERE state = 'running'`,
  `CREATE INDEX batch_job_recent ON batch_job (owner_kid, created_at, kid)`,
  `CREATE INDEX batch_job_old ON batch_job (created_at)`,
  // Kept as long as the result: it is written from these rows, in the language of whoever downloads it.
  `CREATE TABLE batch_row (
    batch_job_kid uuid NOT NULL REFERENCES batch_job ON DELETE CASCADE,
    n integer NOT NULL,
    account_kid uuid NOT NULL,
    sheet_row integer NOT NULL,
    sn text NOT NULL,
    work_order text NOT NULL,
    verification_code text NOT NULL,
    name text NOT NULL,
    outcome text,
    details jsonb,
    PRIMARY KEY (batch_job_kid, n)
  )`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
