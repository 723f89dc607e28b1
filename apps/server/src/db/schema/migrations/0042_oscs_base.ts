import { sql } from 'kysely'
import type { Kysely } from 'kysely'

const statements = [
  `CREATE TABLE oscs_model (
    kid uuid PRIMARY KEY,
    code text NOT NULL,
    name text NOT NULL,
    uid_kid uuid NOT NULL REFERENCES os_uid,
    remark text NOT NULL,
    created_by_kid uuid NOT NULL,
    created_by text NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
  )`,
  `CREATE UNIQUE INDEX oscs_model_code ON oscs_model (lower(code))`,
  `CREATE INDEX oscs_model_by_uid ON oscs_model (uid_kid)`,
  `CREATE TABLE oscs_base (
    kid uuid PRIMARY KEY,
    model_kid uuid NOT NULL REFERENCES oscs_model,
    base_os_version text NOT NULL,
    version_code bigint NOT NULL,
    remark text NOT NULL,
    created_by_kid uuid NOT NULL,
    created_by text NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
  )`,
  `CREATE UNIQUE INDEX oscs_base_version ON oscs_base (lower(base_os_version))`,
  `CREATE INDEX oscs_base_by_model ON oscs_base (model_kid)`,
  // The platform package of a model; the OS package and the configuration of a base version.
  `CREATE TABLE oscs_file (
    kid uuid PRIMARY KEY,
    kind text NOT NULL CHECK (kind IN ('sum', 'os', 'config')),
    model_kid uuid REFERENCES oscs_model ON DELETE CASCADE,
    base_kid uuid REFERENCES oscs_base ON DELETE CASCADE,
    file_name text NOT NULL,
    object text NOT NULL,
    size bigint NOT NULL,
    md5 text NOT NULL,
    sha256 text NOT NULL,
    state text NOT NULL CHECK (state IN ('checking', 'ready', 'failed')),
    fault jsonb,
    worked_until timestamptz,
    created_by_kid uuid NOT NULL,
    created_by text NOT NULL,
    created_at timestamptz NOT NULL,
    CHECK (CASE kind WHEN 'sum' THEN model_kid IS NOT NULL AND base_kid IS NULL ELSE base_kid IS NOT NULL AND model_kid IS NULL END)
  )`,
  `CREATE UNIQUE INDEX oscs_file_of_model ON oscs_file (model_kid) WHERE model_kid IS NOT NULL`,
  `CREATE UNIQUE INDEX oscs_file_of_base ON oscs_file (base_kid, kind) WHERE base_kid IS NOT NULL`,
  `CREATE INDEX oscs_file_to_do ON oscs_file (created_at) WHERE state = 'checking'`,
]

/** What custom operating systems are built on: models and their base versions. All are the provider's. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
