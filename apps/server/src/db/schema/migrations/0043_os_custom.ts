import { sql } from 'kysely'
import type { Kysely } from 'kysely'

const statements = [
  `CREATE TABLE os_custom (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL REFERENCES account ON DELETE CASCADE,
    name text NOT NULL,
    base_kid uuid NOT NULL REFERENCES oscs_base,
    uid_kid uuid NOT NULL REFERENCES os_uid,
    state text NOT NULL CHECK (state IN ('enabled', 'abandoned', 'abnormal')),
    -- Names stand beside the kids: what is gone by the time of a build is still called something.
    apps jsonb NOT NULL,
    files jsonb NOT NULL,
    configuration jsonb,
    picture jsonb,
    picture_bytes bigint NOT NULL DEFAULT 0,
    remark text NOT NULL,
    build_count integer NOT NULL DEFAULT 0,
    created_by_kid uuid NOT NULL,
    created_by text NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
  )`,
  `CREATE UNIQUE INDEX os_custom_name ON os_custom (account_kid, lower(name))`,
  `CREATE UNIQUE INDEX os_custom_uid ON os_custom (uid_kid)`,
  `CREATE INDEX os_custom_updated ON os_custom (account_kid, updated_at, kid)`,
  `CREATE INDEX os_custom_by_base ON os_custom (base_kid)`,

  // A version that was built for an account is operated by that account alone.
  `ALTER TABLE os_version ADD COLUMN built_for_kid uuid REFERENCES account ON DELETE CASCADE`,
  `CREATE INDEX os_version_built_for ON os_version (built_for_kid) WHERE built_for_kid IS NOT NULL`,

  `CREATE TABLE os_build (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL REFERENCES account ON DELETE CASCADE,
    os_custom_kid uuid NOT NULL REFERENCES os_custom ON DELETE CASCADE,
    number integer NOT NULL,
    state text NOT NULL CHECK (state IN ('waiting', 'running', 'completed', 'failed', 'canceled')),
    step text NOT NULL CHECK (step IN ('downloading', 'preparing', 'packaging', 'uploading', 'launching')),
    progress smallint NOT NULL DEFAULT 0,
    -- Everything that goes into it, by value.
    inputs jsonb NOT NULL,
    os_version text NOT NULL,
    version_code bigint NOT NULL,
    ver bigint NOT NULL,
    file_name text NOT NULL,
    size bigint,
    md5 text,
    sha256 text,
    held_bytes bigint NOT NULL DEFAULT 0,
    os_version_kid uuid REFERENCES os_version ON DELETE SET NULL,
    fault jsonb,
    worked_until timestamptz,
    worked_by uuid,
    created_by_kid uuid NOT NULL,
    created_by text NOT NULL,
    created_at timestamptz NOT NULL,
    started_at timestamptz,
    ended_at timestamptz,
    CHECK (state <> 'completed' OR (size > 0 AND md5 IS NOT NULL AND sha256 IS NOT NULL))
  )`,
  `CREATE UNIQUE INDEX os_build_number ON os_build (os_custom_kid, number)`,
  // One of an account at a time, and one of a custom OS that is not over.
  `CREATE UNIQUE INDEX os_build_running ON os_build (account_kid) WHERE state = 'running'`,
  `CREATE UNIQUE INDEX os_build_open ON os_build (os_custom_kid) WHERE state IN ('waiting', 'running')`,
  `CREATE INDEX os_build_to_do ON os_build (created_at) WHERE state IN ('waiting', 'running')`,
  `CREATE INDEX os_build_created ON os_build (account_kid, created_at, kid)`,
  `CREATE INDEX os_build_version ON os_build (os_version_kid) WHERE os_version_kid IS NOT NULL`,
  `CREATE TABLE os_build_line (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL REFERENCES account ON DELETE CASCADE,
    os_build_kid uuid NOT NULL REFERENCES os_build ON DELETE CASCADE,
    at timestamptz NOT NULL,
    step text NOT NULL,
    event text NOT NULL,
    details jsonb NOT NULL
  )`,
  `CREATE INDEX os_build_line_of ON os_build_line (os_build_kid, kid)`,
  // What counts against the hourly limit; it outlives the build.
  `CREATE TABLE os_build_start (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL REFERENCES account ON DELETE CASCADE,
    at timestamptz NOT NULL
  )`,
  `CREATE INDEX os_build_start_of ON os_build_start (account_kid, at)`,

  // Results and boot pictures take of the space of files.
  `CREATE FUNCTION os_custom_space() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    before bigint := 0;
    after bigint := 0;
  BEGIN
    IF TG_TABLE_NAME = 'os_build' THEN
      IF TG_OP <> 'INSERT' THEN before := OLD.held_bytes; END IF;
      IF TG_OP <> 'DELETE' THEN after := NEW.held_bytes; END IF;
    ELSE
      IF TG_OP <> 'INSERT' THEN before := OLD.picture_bytes; END IF;
      IF TG_OP <> 'DELETE' THEN after := NEW.picture_bytes; END IF;
    END IF;
    IF before <> after THEN
      UPDATE disk_space SET used_bytes = used_bytes + after - before
        WHERE account_kid = CASE WHEN TG_OP = 'DELETE' THEN OLD.account_kid ELSE NEW.account_kid END AND area = 'file_disk';
    END IF;
    RETURN NULL;
  END $$`,
  `CREATE TRIGGER os_build_counted AFTER INSERT OR UPDATE OF held_bytes OR DELETE ON os_build
    FOR EACH ROW EXECUTE FUNCTION os_custom_space()`,
  `CREATE TRIGGER os_custom_counted AFTER INSERT OR UPDATE OF picture_bytes OR DELETE ON os_custom
    FOR EACH ROW EXECUTE FUNCTION os_custom_space()`,
]

/** Custom operating systems of customers, and how they are built. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
