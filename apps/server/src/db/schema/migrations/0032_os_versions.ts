import { sql } from 'kysely'
import type { Kysely } from 'kysely'

const statements = [
  `CREATE TABLE os_key (
    kid uuid PRIMARY KEY,
    public_key text NOT NULL,
    private_key_sealed text NOT NULL,
    -- How the key before says that this one takes its place; NULL of the first.
    statement text,
    signature text,
    is_active boolean NOT NULL,
    is_revoked boolean NOT NULL DEFAULT false,
    created_by text NOT NULL,
    created_at timestamptz NOT NULL,
    CHECK ((statement IS NULL) = (signature IS NULL))
  )`,
  `CREATE UNIQUE INDEX os_key_active ON os_key (is_active) WHERE is_active`,
  `CREATE UNIQUE INDEX os_key_first ON os_key ((statement IS NULL)) WHERE statement IS NULL`,

  `CREATE TABLE os_version (
    kid uuid PRIMARY KEY,
    uid_kid uuid NOT NULL REFERENCES os_uid,
    os_version text NOT NULL,
    version_code bigint NOT NULL,
    ver bigint NOT NULL CHECK (ver > 0),
    description text NOT NULL,
    remaining_problems text NOT NULL,
    state text NOT NULL CHECK (state IN ('draft', 'pre_released', 'launched', 'offline')),
    -- For whom: chosen in the third step, in force from the release on.
    mode text CHECK (mode IN ('launched', 'pre_released')),
    is_for_all boolean NOT NULL DEFAULT false,
    -- What was signed, as it goes to devices; of no use while packages change.
    manifest text,
    signature text,
    key_kid uuid REFERENCES os_key,
    is_cancelling boolean NOT NULL DEFAULT false,
    created_by_kid uuid NOT NULL,
    created_by text NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    released_at timestamptz,
    CHECK (state IN ('draft', 'offline') OR (manifest IS NOT NULL AND mode IS NOT NULL))
  )`,
  `CREATE INDEX os_version_by_uid ON os_version (uid_kid)`,
  `CREATE INDEX os_version_updated ON os_version (updated_at, kid)`,
  `CREATE INDEX os_version_cancelling ON os_version (kid) WHERE is_cancelling`,
  `CREATE TABLE os_version_account (
    os_version_kid uuid NOT NULL REFERENCES os_version ON DELETE CASCADE,
    account_kid uuid NOT NULL REFERENCES account ON DELETE CASCADE,
    terminal_group_kids uuid[],
    PRIMARY KEY (os_version_kid, account_kid)
  )`,
  `CREATE INDEX os_version_account_of ON os_version_account (account_kid)`,

  `CREATE TABLE os_package (
    kid uuid PRIMARY KEY,
    os_version_kid uuid NOT NULL REFERENCES os_version ON DELETE CASCADE,
    -- Of a difference, by value: the version that it leads from may be deleted.
    from_build jsonb,
    file_name text NOT NULL,
    url text,
    state text NOT NULL CHECK (state IN ('fetching', 'checking', 'ready', 'failed')),
    size bigint,
    received bigint NOT NULL DEFAULT 0,
    etag text,
    object text,
    md5 text,
    sha256 text,
    fault jsonb,
    worked_until timestamptz,
    created_by_kid uuid NOT NULL,
    created_by text NOT NULL,
    created_at timestamptz NOT NULL,
    CHECK (state <> 'ready' OR (object IS NOT NULL AND size > 0 AND md5 IS NOT NULL AND sha256 IS NOT NULL))
  )`,
  `CREATE UNIQUE INDEX os_package_one ON os_package (os_version_kid, from_build) NULLS NOT DISTINCT`,
  `CREATE INDEX os_package_to_do ON os_package (created_at) WHERE state IN ('fetching', 'checking')`,

  `CREATE TABLE os_version_event (
    kid uuid PRIMARY KEY,
    os_version_kid uuid NOT NULL REFERENCES os_version ON DELETE CASCADE,
    event text NOT NULL,
    at timestamptz NOT NULL,
    by_name text NOT NULL,
    detail text NOT NULL
  )`,
  `CREATE INDEX os_version_event_of ON os_version_event (os_version_kid, at DESC)`,
]

/** OS versions, their packages, who may have them, and the keys that sign them. All are the provider's. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
