import { sql } from 'kysely'
import type { Kysely } from 'kysely'

const statements = [
  // Who undoes a scrapping wants to know what it was and who did it.
  `ALTER TABLE scrapped_sn
    ADD COLUMN kid uuid NOT NULL UNIQUE DEFAULT gen_random_uuid(),
    ADD COLUMN name text NOT NULL DEFAULT '',
    ADD COLUMN model text NOT NULL DEFAULT '',
    ADD COLUMN scrapped_by text NOT NULL DEFAULT '',
    ADD COLUMN search text GENERATED ALWAYS AS (lower(sn || ' ' || name)) STORED`,
  `CREATE INDEX scrapped_sn_recent ON scrapped_sn (scrapped_at, kid)`,
  `CREATE INDEX scrapped_sn_account ON scrapped_sn (account_kid, scrapped_at)`,
  `CREATE INDEX scrapped_sn_search ON scrapped_sn USING gin (search gin_trgm_ops)`,

  // The provider's own: no tenant sees policies.
  `CREATE TABLE policy (
    kid uuid PRIMARY KEY,
    name text NOT NULL,
    days integer NOT NULL CHECK (days > 0),
    remark text NOT NULL DEFAULT '',
    terminal_count integer NOT NULL DEFAULT 0 CHECK (terminal_count >= 0),
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
  )`,
  `CREATE UNIQUE INDEX policy_name ON policy (lower(name))`,
  `CREATE TABLE terminal_policy (
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
  )`,
  `CREATE INDEX terminal_policy_of_sn ON terminal_policy (sn, kid)`,
  `CREATE INDEX terminal_policy_recent ON terminal_policy (created_at, kid)`,
  `CREATE INDEX terminal_policy_ends ON terminal_policy (ends_at, kid)`,
  `CREATE INDEX terminal_policy_of_recent ON terminal_policy (policy_kid, created_at, kid)`,
  `CREATE INDEX terminal_policy_of_ends ON terminal_policy (policy_kid, ends_at, kid)`,
  `CREATE INDEX terminal_policy_search ON terminal_policy USING gin (search gin_trgm_ops)`,

  `ALTER TABLE batch_job DROP CONSTRAINT batch_job_kind_check`,
  `ALTER TABLE batch_job
    ADD CONSTRAINT batch_job_kind_check CHECK (kind IN ('terminal_registered', 'policy_sheet', 'policy_mes')),
    ADD COLUMN policy_kid uuid REFERENCES policy ON DELETE CASCADE,
    ADD CONSTRAINT batch_job_policy CHECK ((kind = 'terminal_registered') = (policy_kid IS NULL))`,
  `CREATE INDEX batch_job_of_policy ON batch_job (policy_kid, created_at, kid) WHERE policy_kid IS NOT NULL`,
  `CREATE INDEX batch_job_for ON batch_job (account_kid, created_at, kid)`,
  `ALTER TABLE batch_row ADD COLUMN production_date text NOT NULL DEFAULT ''`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
