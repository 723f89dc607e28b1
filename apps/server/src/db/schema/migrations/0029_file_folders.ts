import { sql } from 'kysely'
import type { Kysely } from 'kysely'

const statements = [
  // Folders are rows of the same table, so that a name is unique among both. A folder has no object.
  `ALTER TABLE file_cloud
    ADD COLUMN is_folder boolean NOT NULL DEFAULT false,
    ADD COLUMN parent_kid uuid REFERENCES file_cloud,
    ADD COLUMN device_path text,
    ADD COLUMN is_visible boolean NOT NULL DEFAULT true,
    ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now(),
    ALTER COLUMN object DROP NOT NULL`,
  `UPDATE file_cloud SET updated_at = created_at`,
  `ALTER TABLE file_cloud ADD CONSTRAINT file_cloud_kind CHECK (CASE WHEN is_folder THEN object IS NULL AND size = 0 ELSE object IS NOT NULL AND device_path IS NULL END)`,
  `DROP INDEX file_cloud_name`,
  `CREATE UNIQUE INDEX file_cloud_name ON file_cloud (account_kid, parent_kid, lower(name)) NULLS NOT DISTINCT`,
  `CREATE INDEX file_cloud_parent ON file_cloud (parent_kid) WHERE parent_kid IS NOT NULL`,

  // A folder goes with thousands of files: one count for a statement, not one for each row.
  `DROP TRIGGER file_cloud_counted ON file_cloud`,
  `DROP FUNCTION file_cloud_space`,
  `CREATE FUNCTION file_cloud_space() RETURNS trigger LANGUAGE plpgsql AS $$
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
  END $$`,
  `CREATE TRIGGER file_cloud_inserted AFTER INSERT ON file_cloud REFERENCING NEW TABLE AS moved
    FOR EACH STATEMENT EXECUTE FUNCTION file_cloud_space()`,
  `CREATE TRIGGER file_cloud_deleted AFTER DELETE ON file_cloud REFERENCING OLD TABLE AS moved
    FOR EACH STATEMENT EXECUTE FUNCTION file_cloud_space()`,

  // Which pushes still need a file, asked before it is deleted; a platform file may be pushed by any account.
  `CREATE INDEX push_task_files ON push_task USING gin (payload jsonb_path_ops) WHERE type = 'file' AND ended_at IS NULL`,

  // The button to upload has become a page, as of the app center.
  ...['role', 'api_token'].map(
    (table) =>
      `UPDATE ${table} SET permissions = array_replace(permissions, 'fileCloudList:upload', 'fileCloudAdd')
        WHERE 'fileCloudList:upload' = ANY(permissions)`,
  ),
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
