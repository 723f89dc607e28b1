import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Files and apps, and the space that they take. Bytes are in the object store; a row is what makes them reachable. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await schema.execute(db)
}

const schema = sql`
  -- What an account may store and stores. The database keeps count and says no, so that nobody can get past it.
  CREATE TABLE disk_space (
    kid uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    account_kid uuid NOT NULL REFERENCES account ON DELETE CASCADE,
    area text NOT NULL CHECK (area IN ('file_disk', 'app_center')),
    -- A sub-account has a share of its customer's space, or none and draws on what is left there.
    max_bytes bigint,
    used_bytes bigint NOT NULL DEFAULT 0,
    item_count integer NOT NULL DEFAULT 0,
    UNIQUE (account_kid, area),
    CONSTRAINT disk_space_within CHECK (used_bytes <= max_bytes)
  );
  -- A customer begins with 10 GiB. What the provider stores is not counted against anything: 4 PiB.
  CREATE FUNCTION account_disk_space() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO disk_space (account_kid, area, max_bytes)
      SELECT NEW.kid, area, CASE NEW.type WHEN 101 THEN 4503599627370496 WHEN 2 THEN NULL ELSE 10737418240 END
      FROM unnest(ARRAY['file_disk', 'app_center']) AS area;
    RETURN NULL;
  END $$;
  CREATE TRIGGER account_inserted AFTER INSERT ON account FOR EACH ROW EXECUTE FUNCTION account_disk_space();

  CREATE TABLE upload (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL REFERENCES account,
    user_kid uuid NOT NULL,
    name text NOT NULL,
    size bigint NOT NULL,
    -- What the browser says of the file, so that the same file, chosen again anywhere, goes on where it stopped.
    fingerprint text NOT NULL DEFAULT '',
    -- What it takes of this space while it is not kept yet: all of its size while it is being sent, which
    -- reserved_until says, or once it has come whole; otherwise what has come of it.
    area text NOT NULL DEFAULT 'file_disk' CHECK (area IN ('file_disk', 'app_center')),
    received bigint NOT NULL DEFAULT 0,
    reserved_until timestamptz,
    object text,
    md5 text,
    sha256 text,
    created_at timestamptz NOT NULL,
    finished_at timestamptz,
    claimed_at timestamptz
  );
  CREATE INDEX upload_created ON upload (created_at);
  CREATE INDEX upload_unkept ON upload (account_kid) WHERE claimed_at IS NULL;

  -- When the bytes of an object were last read and compared, and what was wrong with them, whichever rows refer to it.
  CREATE TABLE object_check (
    object text PRIMARY KEY,
    checked_at timestamptz NOT NULL,
    fault text CHECK (fault IN ('missing', 'changed'))
  );
  CREATE INDEX object_check_faults ON object_check (object) WHERE fault IS NOT NULL;

  -- Files. Folders are rows of the same table, so that a name is unique among both. A folder has no object.
  CREATE TABLE file_cloud (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL REFERENCES account,
    parent_kid uuid REFERENCES file_cloud,
    is_folder boolean NOT NULL DEFAULT false,
    name text NOT NULL,
    size bigint NOT NULL,
    md5 text NOT NULL,
    sha256 text NOT NULL,
    content_type text NOT NULL,
    object text,
    -- Where a folder lies on devices, unless a push says otherwise.
    device_path text,
    is_visible boolean NOT NULL DEFAULT true,
    push_count integer NOT NULL DEFAULT 0,
    created_by_kid uuid NOT NULL,
    created_by text NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT file_cloud_kind CHECK (
      CASE WHEN is_folder THEN object IS NULL AND size = 0 ELSE object IS NOT NULL AND device_path IS NULL END)
  );
  CREATE UNIQUE INDEX file_cloud_name ON file_cloud (account_kid, parent_kid, lower(name)) NULLS NOT DISTINCT;
  CREATE INDEX file_cloud_created ON file_cloud (account_kid, created_at, kid);
  CREATE INDEX file_cloud_object ON file_cloud (object);
  CREATE INDEX file_cloud_parent ON file_cloud (parent_kid) WHERE parent_kid IS NOT NULL;
  -- A folder goes with thousands of files: one count for a statement, not one for each row.
  CREATE FUNCTION file_cloud_space() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    sign integer := CASE WHEN TG_OP = 'INSERT' THEN 1 ELSE -1 END;
  BEGIN
    UPDATE disk_space SET used_bytes = used_bytes + sign * sums.bytes, item_count = item_count + sign * sums.files
      FROM (
        SELECT account_kid, sum(size)::bigint AS bytes, (count(*) FILTER (WHERE NOT is_folder))::integer AS files
        FROM moved GROUP BY account_kid
      ) sums
      WHERE disk_space.account_kid = sums.account_kid AND disk_space.area = 'file_disk';
    RETURN NULL;
  END $$;
  CREATE TRIGGER file_cloud_inserted AFTER INSERT ON file_cloud REFERENCING NEW TABLE AS moved
    FOR EACH STATEMENT EXECUTE FUNCTION file_cloud_space();
  CREATE TRIGGER file_cloud_deleted AFTER DELETE ON file_cloud REFERENCING OLD TABLE AS moved
    FOR EACH STATEMENT EXECUTE FUNCTION file_cloud_space();

  CREATE FUNCTION enrolment_apk_space() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP = 'INSERT' THEN
      UPDATE disk_space SET used_bytes = used_bytes + NEW.size, item_count = item_count + 1
        WHERE account_kid = NEW.account_kid AND area = 'app_center';
    ELSE
      UPDATE disk_space SET used_bytes = used_bytes - OLD.size, item_count = item_count - 1
        WHERE account_kid = OLD.account_kid AND area = 'app_center';
    END IF;
    RETURN NULL;
  END $$;
  CREATE TRIGGER enrolment_apk_counted AFTER INSERT OR DELETE ON enrolment_apk FOR EACH ROW EXECUTE FUNCTION enrolment_apk_space();

  -- The app center

  CREATE TABLE app_category (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL REFERENCES account ON DELETE CASCADE,
    parent_kid uuid REFERENCES app_category,
    name text NOT NULL,
    created_at timestamptz NOT NULL
  );
  CREATE UNIQUE INDEX app_category_name ON app_category (account_kid, parent_kid, lower(name)) NULLS NOT DISTINCT;
  CREATE INDEX app_category_parent ON app_category (parent_kid);

  -- Apps of customers, and of the provider, whose listed ones every customer sees.
  CREATE TABLE app (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL REFERENCES account,
    package text NOT NULL,
    name text NOT NULL,
    developer text NOT NULL,
    intro text NOT NULL,
    category_kid uuid REFERENCES app_category ON DELETE SET NULL,
    state text NOT NULL CHECK (state IN ('listed', 'delisted')),
    is_system_signed boolean NOT NULL,
    offered_version_kid uuid,
    version_count integer NOT NULL DEFAULT 0,
    space_used bigint NOT NULL DEFAULT 0,
    download_count bigint NOT NULL DEFAULT 0,
    created_by_kid uuid NOT NULL,
    created_by text NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
  );
  CREATE UNIQUE INDEX app_package ON app (account_kid, package);
  CREATE INDEX app_updated ON app (account_kid, updated_at, kid);
  CREATE INDEX app_by_category ON app (category_kid) WHERE category_kid IS NOT NULL;

  CREATE TABLE app_version (
    kid uuid PRIMARY KEY,
    app_kid uuid NOT NULL REFERENCES app ON DELETE CASCADE,
    account_kid uuid NOT NULL,
    version_name text NOT NULL,
    version_code bigint NOT NULL,
    -- Terminals that run Linux take deb and zip, whose makers sign them in other ways, or not at all.
    kind text NOT NULL CHECK (kind IN ('apk', 'apks', 'xapk', 'deb', 'zip')),
    file_name text NOT NULL,
    size bigint NOT NULL,
    md5 text NOT NULL,
    sha256 text NOT NULL,
    object text NOT NULL,
    signers text[] NOT NULL,
    signature_scheme text NOT NULL,
    min_sdk integer,
    target_sdk integer,
    abis text[] NOT NULL,
    permissions text[] NOT NULL,
    -- The APKs of a package in several, each with the devices that it is for; empty of one file.
    splits jsonb NOT NULL DEFAULT '[]',
    -- Names of what is in the package and is not put on devices.
    left_out text[] NOT NULL DEFAULT '{}',
    notes text NOT NULL,
    -- A person typed what the package does not say of itself.
    is_typed boolean NOT NULL,
    created_by_kid uuid NOT NULL,
    created_by text NOT NULL,
    created_at timestamptz NOT NULL
  );
  CREATE UNIQUE INDEX app_version_code ON app_version (app_kid, version_code);

  ALTER TABLE app ADD CONSTRAINT app_offered FOREIGN KEY (offered_version_kid) REFERENCES app_version ON DELETE SET NULL;

  -- What each version says can be set of it from outside.
  CREATE TABLE app_version_settings (
    version_kid uuid PRIMARY KEY REFERENCES app_version ON DELETE CASCADE,
    account_kid uuid NOT NULL,
    settings jsonb NOT NULL
  );

  CREATE TABLE app_picture (
    kid uuid PRIMARY KEY,
    app_kid uuid NOT NULL REFERENCES app ON DELETE CASCADE,
    account_kid uuid NOT NULL,
    kind text NOT NULL CHECK (kind IN ('icon', 'screenshot')),
    content_type text NOT NULL,
    size bigint NOT NULL,
    object text NOT NULL,
    sort integer NOT NULL
  );
  CREATE INDEX app_picture_of ON app_picture (app_kid, kind, sort);

  -- What has to be on a device before an app. An app that others need cannot be deleted.
  CREATE TABLE app_dependency (
    app_kid uuid NOT NULL REFERENCES app ON DELETE CASCADE,
    needed_kid uuid NOT NULL CONSTRAINT app_dependency_needed REFERENCES app,
    account_kid uuid NOT NULL,
    PRIMARY KEY (app_kid, needed_kid)
  );
  CREATE INDEX app_dependency_of ON app_dependency (needed_kid);

  -- Versions and pictures take of the account's space, and of the app's own part of it.
  CREATE FUNCTION app_space() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    item record;
    sign integer;
  BEGIN
    IF TG_OP = 'INSERT' THEN item := NEW; sign := 1; ELSE item := OLD; sign := -1; END IF;
    UPDATE disk_space SET used_bytes = used_bytes + sign * item.size WHERE account_kid = item.account_kid AND area = 'app_center';
    UPDATE app SET space_used = space_used + sign * item.size,
      version_count = version_count + CASE WHEN TG_TABLE_NAME = 'app_version' THEN sign ELSE 0 END
      WHERE kid = item.app_kid;
    RETURN NULL;
  END $$;
  CREATE TRIGGER app_version_counted AFTER INSERT OR DELETE ON app_version FOR EACH ROW EXECUTE FUNCTION app_space();
  CREATE TRIGGER app_picture_counted AFTER INSERT OR DELETE ON app_picture FOR EACH ROW EXECUTE FUNCTION app_space();
  CREATE FUNCTION app_counted() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    UPDATE disk_space SET item_count = item_count + CASE WHEN TG_OP = 'INSERT' THEN 1 ELSE -1 END
      WHERE account_kid = CASE WHEN TG_OP = 'INSERT' THEN NEW.account_kid ELSE OLD.account_kid END AND area = 'app_center';
    RETURN NULL;
  END $$;
  CREATE TRIGGER app_counted AFTER INSERT OR DELETE ON app FOR EACH ROW EXECUTE FUNCTION app_counted();

  -- Apps that devices of a group have to have: a job pushes them to those that lack them or have a lower version.
  CREATE TABLE app_requirement (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL REFERENCES account ON DELETE CASCADE,
    app_kid uuid NOT NULL REFERENCES app ON DELETE CASCADE,
    terminal_group_kid uuid REFERENCES terminal_group ON DELETE CASCADE,
    conditions jsonb NOT NULL,
    is_on boolean NOT NULL,
    created_by_kid uuid NOT NULL,
    created_by text NOT NULL,
    created_by_token_kid uuid,
    created_at timestamptz NOT NULL,
    -- Null: switched off.
    next_at timestamptz,
    looked_at timestamptz,
    counts jsonb,
    last_task_kid uuid,
    last_error jsonb
  );
  CREATE UNIQUE INDEX app_requirement_once ON app_requirement (account_kid, app_kid, terminal_group_kid) NULLS NOT DISTINCT;
  CREATE INDEX app_requirement_due ON app_requirement (next_at) WHERE next_at IS NOT NULL;
  CREATE INDEX app_requirement_app ON app_requirement (app_kid);
  CREATE INDEX app_requirement_group ON app_requirement (terminal_group_kid) WHERE terminal_group_kid IS NOT NULL;
`
