import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** How devices come and go: registration, imports, policies for remote service, scrapping. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await schema.execute(db)
}

const schema = sql`
  -- Devices that wait to be registered. An SN may be claimed several times, each claim with a code of its own: the
  -- first device to announce an SN need not be the one that has it.
  CREATE TABLE announcement (
    sn text NOT NULL,
    claim_hash bytea NOT NULL,
    registration_code text NOT NULL,
    wrong_codes integer NOT NULL DEFAULT 0,
    device jsonb NOT NULL,
    address text NOT NULL,
    announced_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (sn, claim_hash)
  );
  CREATE INDEX announcement_expires ON announcement (expires_at);
  CREATE INDEX announcement_address ON announcement (address);
  -- When there are too many, those go that were not heard of for longest.
  CREATE INDEX announcement_announced ON announcement (announced_at);

  -- Enrolment by QR code. A permanent code ends by being revoked alone. It is shown again and again, so its token is
  -- sealed beside the hash; its used_at, terminal_kid and sn are those of its last use.
  CREATE TABLE qrcode (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL REFERENCES account,
    terminal_group_kid uuid REFERENCES terminal_group ON DELETE SET NULL,
    is_permanent boolean NOT NULL DEFAULT false,
    token_hash bytea NOT NULL UNIQUE,
    token_sealed text,
    host text,
    created_by_kid uuid NOT NULL,
    created_by text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz,
    revoked_at timestamptz,
    used_at timestamptz,
    use_count integer NOT NULL DEFAULT 0,
    terminal_kid uuid,
    sn text,
    CONSTRAINT qrcode_life CHECK (is_permanent = (expires_at IS NULL))
  );
  CREATE INDEX qrcode_permanent ON qrcode (account_kid, created_at, kid) WHERE is_permanent;

  -- The agent that a QR code has devices install. A row of an account that is gone waits without it until its bytes
  -- are removed.
  CREATE TABLE enrolment_apk (
    kid uuid PRIMARY KEY,
    account_kid uuid REFERENCES account ON DELETE SET NULL,
    name text NOT NULL,
    size bigint NOT NULL,
    sha256 text NOT NULL,
    object text NOT NULL,
    signature_checksum text NOT NULL,
    signature_scheme text NOT NULL,
    created_by_kid uuid NOT NULL,
    created_by text NOT NULL,
    created_at timestamptz NOT NULL
  );
  CREATE UNIQUE INDEX enrolment_apk_content ON enrolment_apk (account_kid, sha256);
  CREATE INDEX enrolment_apk_ownerless ON enrolment_apk (kid) WHERE account_kid IS NULL;

  -- Policies: entitlements for remote service. They are the provider's own: no tenant sees them.

  CREATE TABLE policy (
    kid uuid PRIMARY KEY,
    name text NOT NULL,
    days integer NOT NULL CHECK (days > 0),
    remark text NOT NULL DEFAULT '',
    terminal_count integer NOT NULL DEFAULT 0 CHECK (terminal_count >= 0),
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
  );
  CREATE UNIQUE INDEX policy_name ON policy (lower(name));

  CREATE TABLE terminal_policy (
    kid uuid PRIMARY KEY,
    policy_kid uuid NOT NULL REFERENCES policy,
    sn text NOT NULL,
    work_order text NOT NULL,
    source text NOT NULL CHECK (source IN ('sheet', 'mes')),
    starts_at timestamptz NOT NULL,
    ends_at timestamptz NOT NULL,
    created_by text NOT NULL,
    created_at timestamptz NOT NULL,
    search text GENERATED ALWAYS AS (lower(sn || ' ' || work_order)) STORED,
    CONSTRAINT terminal_policy_sn UNIQUE (policy_kid, sn)
  );
  CREATE INDEX terminal_policy_of_sn ON terminal_policy (sn, kid);
  CREATE INDEX terminal_policy_recent ON terminal_policy (created_at, kid);
  CREATE INDEX terminal_policy_ends ON terminal_policy (ends_at, kid);
  CREATE INDEX terminal_policy_of_recent ON terminal_policy (policy_kid, created_at, kid);
  CREATE INDEX terminal_policy_of_ends ON terminal_policy (policy_kid, ends_at, kid);
  CREATE INDEX terminal_policy_search ON terminal_policy USING gin (search gin_trgm_ops);

  -- Imports: many rows that are worked off in the background

  -- The job belongs to owner_kid, who asked for it: the account itself or the provider; its devices go to account_kid.
  CREATE TABLE batch_job (
    kid uuid PRIMARY KEY,
    owner_kid uuid NOT NULL REFERENCES account ON DELETE CASCADE,
    account_kid uuid NOT NULL REFERENCES account ON DELETE CASCADE,
    kind text NOT NULL CHECK (kind IN ('terminal_registered', 'policy_sheet', 'policy_mes')),
    policy_kid uuid REFERENCES policy ON DELETE CASCADE,
    terminal_group_kid uuid,
    schedule_version text NOT NULL,
    state text NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'done', 'canceled', 'failed')),
    -- All rows are there.
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
    CONSTRAINT batch_job_counts CHECK (done = ok + failed AND done <= total),
    CONSTRAINT batch_job_policy CHECK ((kind = 'terminal_registered') = (policy_kid IS NULL))
  );
  CREATE UNIQUE INDEX batch_job_one ON batch_job (account_kid) WHERE state = 'running';
  CREATE INDEX batch_job_next ON batch_job (touched_at) WHERE state = 'running';
  CREATE INDEX batch_job_recent ON batch_job (owner_kid, created_at, kid);
  CREATE INDEX batch_job_for ON batch_job (account_kid, created_at, kid);
  CREATE INDEX batch_job_of_policy ON batch_job (policy_kid, created_at, kid) WHERE policy_kid IS NOT NULL;
  CREATE INDEX batch_job_old ON batch_job (created_at);

  -- Kept as long as the result: it is written from these rows, in the language of the person who downloads it.
  CREATE TABLE batch_row (
    batch_job_kid uuid NOT NULL REFERENCES batch_job ON DELETE CASCADE,
    n integer NOT NULL,
    account_kid uuid NOT NULL,
    sheet_row integer NOT NULL,
    sn text NOT NULL,
    work_order text NOT NULL,
    verification_code text NOT NULL,
    name text NOT NULL,
    -- As 2026-01-31, or empty.
    production_date text NOT NULL DEFAULT '',
    -- 'ok', or the name of the refusal; null while it waits.
    outcome text,
    details jsonb,
    PRIMARY KEY (batch_job_kid, n)
  );

  -- Scrapping

  -- Devices that were scrapped may not come back; the row says what to undo.
  CREATE TABLE scrapped_sn (
    kid uuid NOT NULL UNIQUE DEFAULT gen_random_uuid(),
    sn text PRIMARY KEY,
    account_kid uuid NOT NULL REFERENCES account,
    name text NOT NULL DEFAULT '',
    model text NOT NULL DEFAULT '',
    scrapped_by text NOT NULL DEFAULT '',
    scrapped_at timestamptz NOT NULL,
    search text GENERATED ALWAYS AS (lower(sn || ' ' || name)) STORED
  );
  CREATE INDEX scrapped_sn_recent ON scrapped_sn (scrapped_at, kid);
  CREATE INDEX scrapped_sn_account ON scrapped_sn (account_kid, scrapped_at);
  CREATE INDEX scrapped_sn_search ON scrapped_sn USING gin (search gin_trgm_ops);

  -- Devices that wait to be scrapped.
  CREATE TABLE scrap_schedule (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL REFERENCES account ON DELETE CASCADE,
    terminal_kids uuid[] NOT NULL,
    -- Groups that the person who asked was limited to; null: to none.
    visible_groups uuid[],
    -- Groups in which the devices were then, null when one was in none: they decide which limited users see the row.
    group_kids uuid[],
    state text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'done', 'canceled', 'failed')),
    total integer NOT NULL,
    scrapped integer NOT NULL DEFAULT 0,
    created_by_kid uuid NOT NULL,
    created_by text NOT NULL,
    -- The API token that ordered it; it may be gone by now, and then the order says why it stopped. So in all orders.
    created_by_token_kid uuid,
    created_at timestamptz NOT NULL,
    due_at timestamptz NOT NULL,
    canceled_by text,
    finished_at timestamptz,
    CHECK ((state = 'waiting') = (finished_at IS NULL))
  );
  CREATE INDEX scrap_schedule_due ON scrap_schedule (due_at) WHERE state = 'waiting';
  CREATE INDEX scrap_schedule_recent ON scrap_schedule (account_kid, created_at, kid);
  CREATE INDEX scrap_schedule_ended ON scrap_schedule (finished_at) WHERE state <> 'waiting';

  -- Devices that destructive calls hit within the last hour.
  CREATE TABLE destruction (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL REFERENCES account ON DELETE CASCADE,
    at timestamptz NOT NULL,
    devices integer NOT NULL,
    -- Of these, devices that a person took alone, without a second one; counted with what that person pushed.
    alone integer NOT NULL DEFAULT 0,
    user_kid uuid
  );
  CREATE INDEX destruction_lately ON destruction (account_kid, at);
`
