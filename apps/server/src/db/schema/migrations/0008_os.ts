import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/**
 * Operating systems: their UIDs, versions and keys, which are the provider's, and the custom systems that customers have
 * built. Rows with worked_by are claimed (db/claim.ts): by that server for as long as it lives. next_at says only that a
 * row is not to be tried again before it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await schema.execute(db)
}

const schema = sql`
  -- UIDs, and the lists that they are made of

  CREATE TABLE os_information (
    kid uuid PRIMARY KEY,
    list text NOT NULL CHECK (list IN ('solution', 'hardware', 'rom_memory', 'ram_memory', 'screen', 'extended', 'language', 'client_code')),
    code text NOT NULL,
    name text NOT NULL,
    total_capacity text,
    chip_model text,
    supplier text,
    bom_code text,
    remark text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
  );
  CREATE UNIQUE INDEX os_information_code ON os_information (list, lower(code));
  CREATE UNIQUE INDEX os_information_name ON os_information (list, lower(name));

  CREATE TABLE os_uid (
    kid uuid PRIMARY KEY,
    code text NOT NULL,
    display_name text NOT NULL,
    type text NOT NULL CHECK (type IN ('standard', 'custom')),
    solution_kid uuid NOT NULL REFERENCES os_information,
    hardware_kid uuid NOT NULL REFERENCES os_information,
    rom_memory_kid uuid NOT NULL REFERENCES os_information,
    ram_memory_kid uuid NOT NULL REFERENCES os_information,
    screen_kid uuid NOT NULL REFERENCES os_information,
    extended_kid uuid NOT NULL REFERENCES os_information,
    language_kid uuid NOT NULL REFERENCES os_information,
    client_code_kid uuid NOT NULL REFERENCES os_information,
    reserve_code text NOT NULL,
    -- Of a custom one: what it is derived from.
    base_uid_kid uuid REFERENCES os_uid,
    base_os_version text,
    remark text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    CONSTRAINT os_uid_base CHECK ((type = 'custom') = (base_uid_kid IS NOT NULL AND base_os_version IS NOT NULL))
  );
  CREATE UNIQUE INDEX os_uid_code ON os_uid (lower(code));
  CREATE UNIQUE INDEX os_uid_display_name ON os_uid (lower(display_name));
  CREATE INDEX os_uid_by_base ON os_uid (base_uid_kid) WHERE base_uid_kid IS NOT NULL;
  CREATE INDEX os_uid_by_solution ON os_uid (solution_kid);
  CREATE INDEX os_uid_by_hardware ON os_uid (hardware_kid);
  CREATE INDEX os_uid_by_rom_memory ON os_uid (rom_memory_kid);
  CREATE INDEX os_uid_by_ram_memory ON os_uid (ram_memory_kid);
  CREATE INDEX os_uid_by_screen ON os_uid (screen_kid);
  CREATE INDEX os_uid_by_extended ON os_uid (extended_kid);
  CREATE INDEX os_uid_by_language ON os_uid (language_kid);
  CREATE INDEX os_uid_by_client_code ON os_uid (client_code_kid);

  -- Versions, their packages, who may have them, and the keys that sign them

  CREATE TABLE os_key (
    kid uuid PRIMARY KEY,
    public_key text NOT NULL,
    -- Null: the server never had it.
    private_key_sealed text,
    -- How the key before says that this one takes its place; null of the first.
    statement text,
    signature text,
    is_active boolean NOT NULL,
    is_revoked boolean NOT NULL DEFAULT false,
    created_by text NOT NULL,
    created_at timestamptz NOT NULL,
    CHECK ((statement IS NULL) = (signature IS NULL))
  );
  CREATE UNIQUE INDEX os_key_public ON os_key (public_key);
  CREATE UNIQUE INDEX os_key_active ON os_key (is_active) WHERE is_active;
  CREATE UNIQUE INDEX os_key_first ON os_key ((statement IS NULL)) WHERE statement IS NULL;

  CREATE TABLE os_version (
    kid uuid PRIMARY KEY,
    uid_kid uuid NOT NULL REFERENCES os_uid,
    os_version text NOT NULL,
    version_code bigint NOT NULL,
    ver bigint NOT NULL CHECK (ver > 0),
    description text NOT NULL,
    remaining_problems text NOT NULL,
    state text NOT NULL CHECK (state IN ('draft', 'pre_released', 'launched', 'offline')),
    -- The account that had it built and alone operates it; null: the provider's.
    built_for_kid uuid REFERENCES account ON DELETE CASCADE,
    -- For whom: chosen in the third step, in force from the release on.
    mode text CHECK (mode IN ('launched', 'pre_released')),
    is_for_all boolean NOT NULL DEFAULT false,
    -- What was signed, as it goes to devices; of no use while packages change.
    manifest text,
    signature text,
    key_kid uuid REFERENCES os_key,
    -- Pushes of it are still being canceled: those of these accounts, which may not have it any more; null: all of them.
    is_cancelling boolean NOT NULL DEFAULT false,
    cancel_account_kids uuid[],
    created_by_kid uuid NOT NULL,
    created_by text NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    released_at timestamptz,
    CHECK (state IN ('draft', 'offline') OR (manifest IS NOT NULL AND mode IS NOT NULL))
  );
  CREATE INDEX os_version_by_uid ON os_version (uid_kid);
  CREATE INDEX os_version_updated ON os_version (updated_at, kid);
  CREATE INDEX os_version_built_for ON os_version (built_for_kid) WHERE built_for_kid IS NOT NULL;
  CREATE INDEX os_version_cancelling ON os_version (kid) WHERE is_cancelling;

  CREATE TABLE os_version_account (
    os_version_kid uuid NOT NULL REFERENCES os_version ON DELETE CASCADE,
    account_kid uuid NOT NULL REFERENCES account ON DELETE CASCADE,
    -- Null: all of its devices.
    terminal_group_kids uuid[],
    PRIMARY KEY (os_version_kid, account_kid)
  );
  CREATE INDEX os_version_account_of ON os_version_account (account_kid);

  CREATE TABLE os_package (
    kid uuid PRIMARY KEY,
    os_version_kid uuid NOT NULL REFERENCES os_version ON DELETE CASCADE,
    -- Of a difference, by value: the version that it leads from may be deleted.
    from_build jsonb,
    -- The server makes it from full packages: of this version, and of the one that it leads from, from_kid while it is
    -- being made.
    is_made boolean NOT NULL DEFAULT false,
    from_kid uuid,
    file_name text NOT NULL,
    url text,
    state text NOT NULL CHECK (state IN ('fetching', 'checking', 'making', 'ready', 'failed')),
    -- Of what is being made, in percent.
    progress smallint NOT NULL DEFAULT 0,
    size bigint,
    received bigint NOT NULL DEFAULT 0,
    -- Of what is being fetched: a file that changed meanwhile is begun anew.
    etag text,
    object text,
    md5 text,
    sha256 text,
    fault jsonb,
    worked_by uuid,
    next_at timestamptz,
    created_by_kid uuid NOT NULL,
    created_by text NOT NULL,
    created_at timestamptz NOT NULL,
    CHECK (state <> 'ready' OR (object IS NOT NULL AND size > 0 AND md5 IS NOT NULL AND sha256 IS NOT NULL))
  );
  CREATE UNIQUE INDEX os_package_one ON os_package (os_version_kid, from_build) NULLS NOT DISTINCT;
  CREATE INDEX os_package_to_do ON os_package (created_at) WHERE state IN ('fetching', 'checking');
  CREATE INDEX os_package_to_make ON os_package (created_at) WHERE state = 'making';

  CREATE TABLE os_version_event (
    kid uuid PRIMARY KEY,
    os_version_kid uuid NOT NULL REFERENCES os_version ON DELETE CASCADE,
    event text NOT NULL,
    at timestamptz NOT NULL,
    by_name text NOT NULL,
    detail text NOT NULL
  );
  CREATE INDEX os_version_event_of ON os_version_event (os_version_kid, at DESC);

  -- How many devices of an account ran what at the end of a day.
  CREATE TABLE os_version_day (
    account_kid uuid NOT NULL REFERENCES account ON DELETE CASCADE,
    day date NOT NULL,
    os_version text NOT NULL,
    devices integer NOT NULL,
    PRIMARY KEY (account_kid, day, os_version)
  );

  -- What custom operating systems are built on: models and their base versions

  CREATE TABLE oscs_model (
    kid uuid PRIMARY KEY,
    code text NOT NULL,
    name text NOT NULL,
    uid_kid uuid NOT NULL REFERENCES os_uid,
    remark text NOT NULL,
    created_by_kid uuid NOT NULL,
    created_by text NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
  );
  CREATE UNIQUE INDEX oscs_model_code ON oscs_model (lower(code));
  CREATE INDEX oscs_model_by_uid ON oscs_model (uid_kid);

  CREATE TABLE oscs_base (
    kid uuid PRIMARY KEY,
    model_kid uuid NOT NULL REFERENCES oscs_model,
    base_os_version text NOT NULL,
    version_code bigint NOT NULL,
    remark text NOT NULL,
    created_by_kid uuid NOT NULL,
    created_by text NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
  );
  CREATE UNIQUE INDEX oscs_base_version ON oscs_base (lower(base_os_version));
  CREATE INDEX oscs_base_by_model ON oscs_base (model_kid);

  -- The platform package of a model (sum); the OS package and the configuration of a base version.
  CREATE TABLE oscs_file (
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
    worked_by uuid,
    next_at timestamptz,
    created_by_kid uuid NOT NULL,
    created_by text NOT NULL,
    created_at timestamptz NOT NULL,
    CHECK (CASE kind WHEN 'sum' THEN model_kid IS NOT NULL AND base_kid IS NULL ELSE base_kid IS NOT NULL AND model_kid IS NULL END)
  );
  CREATE UNIQUE INDEX oscs_file_of_model ON oscs_file (model_kid) WHERE model_kid IS NOT NULL;
  CREATE UNIQUE INDEX oscs_file_of_base ON oscs_file (base_kid, kind) WHERE base_kid IS NOT NULL;
  CREATE INDEX oscs_file_to_do ON oscs_file (created_at) WHERE state = 'checking';

  -- Custom operating systems of customers, and how they are built

  CREATE TABLE os_custom (
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
  );
  CREATE UNIQUE INDEX os_custom_name ON os_custom (account_kid, lower(name));
  CREATE UNIQUE INDEX os_custom_uid ON os_custom (uid_kid);
  CREATE INDEX os_custom_updated ON os_custom (account_kid, updated_at, kid);
  CREATE INDEX os_custom_by_base ON os_custom (base_kid);

  CREATE TABLE os_build (
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
    -- What it takes of the account's space.
    held_bytes bigint NOT NULL DEFAULT 0,
    os_version_kid uuid REFERENCES os_version ON DELETE SET NULL,
    fault jsonb,
    worked_by uuid,
    next_at timestamptz,
    created_by_kid uuid NOT NULL,
    created_by text NOT NULL,
    created_at timestamptz NOT NULL,
    started_at timestamptz,
    ended_at timestamptz,
    CHECK (state <> 'completed' OR (size > 0 AND md5 IS NOT NULL AND sha256 IS NOT NULL))
  );
  CREATE UNIQUE INDEX os_build_number ON os_build (os_custom_kid, number);
  -- One of an account at a time, and one of a custom OS that is not over.
  CREATE UNIQUE INDEX os_build_running ON os_build (account_kid) WHERE state = 'running';
  CREATE UNIQUE INDEX os_build_open ON os_build (os_custom_kid) WHERE state IN ('waiting', 'running');
  CREATE INDEX os_build_to_do ON os_build (created_at) WHERE state IN ('waiting', 'running');
  CREATE INDEX os_build_created ON os_build (account_kid, created_at, kid);
  CREATE INDEX os_build_version ON os_build (os_version_kid) WHERE os_version_kid IS NOT NULL;

  CREATE TABLE os_build_line (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL REFERENCES account ON DELETE CASCADE,
    os_build_kid uuid NOT NULL REFERENCES os_build ON DELETE CASCADE,
    at timestamptz NOT NULL,
    step text NOT NULL,
    event text NOT NULL,
    details jsonb NOT NULL
  );
  CREATE INDEX os_build_line_of ON os_build_line (os_build_kid, kid);

  -- What counts against the hourly limit; it outlives the build.
  CREATE TABLE os_build_start (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL REFERENCES account ON DELETE CASCADE,
    at timestamptz NOT NULL
  );
  CREATE INDEX os_build_start_of ON os_build_start (account_kid, at);

  -- Results and boot pictures take of the space of files.
  CREATE FUNCTION os_custom_space() RETURNS trigger LANGUAGE plpgsql AS $$
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
  END $$;
  CREATE TRIGGER os_build_counted AFTER INSERT OR UPDATE OF held_bytes OR DELETE ON os_build
    FOR EACH ROW EXECUTE FUNCTION os_custom_space();
  CREATE TRIGGER os_custom_counted AFTER INSERT OR UPDATE OF picture_bytes OR DELETE ON os_custom
    FOR EACH ROW EXECUTE FUNCTION os_custom_space();
`
