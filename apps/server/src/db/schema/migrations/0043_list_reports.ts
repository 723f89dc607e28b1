import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Lists that are mailed as files again and again, and files in mails. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await schema.execute(db)
}

const schema = sql`
  CREATE TABLE list_report (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL REFERENCES account ON DELETE CASCADE,
    -- Who gets it, and with whose rights it is made.
    user_kid uuid NOT NULL REFERENCES user_account ON DELETE CASCADE,
    name text NOT NULL,
    request jsonb NOT NULL,
    language text NOT NULL,
    every text NOT NULL CHECK (every IN ('day', 'week', 'month')),
    hour integer NOT NULL,
    weekday integer NOT NULL,
    day integer NOT NULL,
    zone_id text NOT NULL,
    state text NOT NULL DEFAULT 'on' CHECK (state IN ('on', 'paused')),
    attempts integer NOT NULL DEFAULT 0,
    worked_by uuid,
    next_at timestamptz,
    last_at timestamptz,
    -- Until when a report that holds only what is new has told of everything.
    sent_at timestamptz,
    last_outcome text CHECK (last_outcome IN ('mailed', 'linked', 'failed')),
    last_rows integer,
    last_error jsonb,
    created_at timestamptz NOT NULL
  );
  CREATE INDEX list_report_due ON list_report (next_at) WHERE state = 'on';
  CREATE INDEX list_report_user ON list_report (user_kid, account_kid);

  -- Of a report, until the mail is sent or given up.
  ALTER TABLE mail ADD COLUMN attachment bytea;
  ALTER TABLE mail ADD COLUMN attachment_name text;
`
