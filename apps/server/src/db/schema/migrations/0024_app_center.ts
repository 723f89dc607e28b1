import { sql } from 'kysely'
import type { Kysely } from 'kysely'

const statements = [
  `CREATE TABLE app_category (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL REFERENCES account ON DELETE CASCADE,
    parent_kid uuid REFERENCES app_category,
    name text NOT NULL,
    created_at timestamptz NOT NULL
  )`,
  `CREATE UNIQUE INDEX app_category_name ON app_category (account_kid, parent_kid, lower(name)) NULLS NOT DISTINCT`,
  `CREATE INDEX app_category_parent ON app_category (parent_kid)`,

  // Apps of customers, and of the provider, whose listed ones every customer sees.
  `CREATE TABLE app (
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
  )`,
  `CREATE UNIQUE INDEX app_package ON app (account_kid, package)`,
  `CREATE INDEX app_updated ON app (account_kid, updated_at, kid)`,
  `CREATE INDEX app_by_category ON app (category_kid) WHERE category_kid IS NOT NULL`,
  `CREATE TABLE app_version (
    kid uuid PRIMARY KEY,
    app_kid uuid NOT NULL REFERENCES app ON DELETE CASCADE,
    account_kid uuid NOT NULL,
    version_name text NOT NULL,
    version_code bigint NOT NULL,
    kind text NOT NULL CHECK (kind IN ('apk', 'apks', 'xapk')),
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
    notes text NOT NULL,
    is_typed boolean NOT NULL,
    created_by_kid uuid NOT NULL,
    created_by text NOT NULL,
    created_at timestamptz NOT NULL
  )`,
  `CREATE UNIQUE INDEX app_version_code ON app_version (app_kid, version_code)`,
  `ALTER TABLE app ADD CONSTRAINT app_offered FOREIGN KEY (offered_version_kid) REFERENCES app_version ON DELETE SET NULL`,
  `CREATE TABLE app_picture (
    kid uuid PRIMARY KEY,
    app_kid uuid NOT NULL REFERENCES app ON DELETE CASCADE,
    account_kid uuid NOT NULL,
    kind text NOT NULL CHECK (kind IN ('icon', 'screenshot')),
    content_type text NOT NULL,
    size bigint NOT NULL,
    object text NOT NULL,
    sort integer NOT NULL
  )`,
  `CREATE INDEX app_picture_of ON app_picture (app_kid, kind, sort)`,
  // What has to be on a device before an app. What others need cannot be deleted.
  `CREATE TABLE app_dependency (
    app_kid uuid NOT NULL REFERENCES app ON DELETE CASCADE,
    needed_kid uuid NOT NULL CONSTRAINT app_dependency_needed REFERENCES app,
    account_kid uuid NOT NULL,
    PRIMARY KEY (app_kid, needed_kid)
  )`,
  `CREATE INDEX app_dependency_of ON app_dependency (needed_kid)`,

  // The account's space, and the app's own part of it.
  `CREATE FUNCTION app_space() RETURNS trigger LANGUAGE plpgsql AS $$
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
  END $$`,
  `CREATE TRIGGER app_version_counted AFTER INSERT OR DELETE ON app_version FOR EACH ROW EXECUTE FUNCTION app_space()`,
  `CREATE TRIGGER app_picture_counted AFTER INSERT OR DELETE ON app_picture FOR EACH ROW EXECUTE FUNCTION app_space()`,
  `CREATE FUNCTION app_counted() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    UPDATE disk_space SET item_count = item_count + CASE WHEN TG_OP = 'INSERT' THEN 1 ELSE -1 END
      WHERE account_kid = CASE WHEN TG_OP = 'INSERT' THEN NEW.account_kid ELSE OLD.account_kid END AND area = 'app_center';
    RETURN NULL;
  END $$`,
  `CREATE TRIGGER app_counted AFTER INSERT OR DELETE ON app FOR EACH ROW EXECUTE FUNCTION app_counted()`,

  // Which of the two spaces an upload takes of while it is not kept yet.
  `ALTER TABLE upload ADD COLUMN area text NOT NULL DEFAULT 'file_disk' CHECK (area IN ('file_disk', 'app_center'))`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
