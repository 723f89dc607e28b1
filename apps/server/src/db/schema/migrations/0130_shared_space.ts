import { sql } from 'kysely'
import type { Kysely } from 'kysely'

const default_disk_space = 10 * 1024 ** 3
const provider_disk_space = 2 ** 52

const statements = [
  // A sub-account has a share of its customer's space, or none and draws on what is left there.
  `ALTER TABLE disk_space ALTER COLUMN max_bytes DROP NOT NULL`,
  `CREATE OR REPLACE FUNCTION account_disk_space() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO disk_space (account_kid, area, max_bytes)
      SELECT NEW.kid, area, CASE NEW.type WHEN 101 THEN ${provider_disk_space} WHEN 2 THEN NULL ELSE ${default_disk_space} END
      FROM unnest(ARRAY['file_disk', 'app_center']) AS area;
    RETURN NULL;
  END $$`,
  `CREATE FUNCTION config_file_space() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    item config_file := CASE WHEN TG_OP = 'INSERT' THEN NEW ELSE OLD END;
    sign integer := CASE WHEN TG_OP = 'INSERT' THEN 1 ELSE -1 END;
  BEGIN
    UPDATE disk_space SET used_bytes = used_bytes + sign * item.size, item_count = item_count + sign
      WHERE account_kid = item.account_kid AND area = 'file_disk';
    RETURN NULL;
  END $$`,
  `CREATE TRIGGER config_file_counted AFTER INSERT OR DELETE ON config_file FOR EACH ROW EXECUTE FUNCTION config_file_space()`,
]

const kept = [
  // What nobody ever set is no share. What was set for a sub-account stays, and is kept for it.
  `UPDATE disk_space d SET max_bytes = NULL FROM account a
    WHERE a.kid = d.account_kid AND a.type = 2 AND d.max_bytes = ${default_disk_space}`,

  // Configuration files are files of the file disk. Those that are there stay, even where they are more than fits.
  `UPDATE disk_space d SET used_bytes = used_bytes + f.bytes, item_count = item_count + f.items,
      max_bytes = CASE WHEN max_bytes IS NOT NULL THEN GREATEST(max_bytes, used_bytes + f.bytes) END
    FROM (SELECT account_kid, sum(size)::bigint AS bytes, count(*)::integer AS items FROM config_file GROUP BY account_kid) f
    WHERE d.account_kid = f.account_kid AND d.area = 'file_disk'`,
]

/** Of an older release. */
export async function keepSpaces(db: Kysely<unknown>): Promise<void> {
  for (const statement of kept) await sql.raw(statement).execute(db)
}

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
  await keepSpaces(db)
}
