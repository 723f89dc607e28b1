import { sql } from 'kysely'
import type { Kysely } from 'kysely'

const statements = [
  // A permanent code has no end but being revoked. It is shown again and again, so its token is sealed beside the hash.
  // Of a permanent code used_at, terminal_kid and sn are the last use.
  `ALTER TABLE qrcode
    ALTER COLUMN expires_at DROP NOT NULL,
    ADD COLUMN is_permanent boolean NOT NULL DEFAULT false,
    ADD COLUMN token_sealed text,
    ADD COLUMN host text,
    ADD COLUMN use_count integer NOT NULL DEFAULT 0,
    ADD COLUMN created_by text NOT NULL DEFAULT '',
    ADD COLUMN created_at timestamptz NOT NULL DEFAULT now(),
    ADD COLUMN revoked_at timestamptz,
    ADD CONSTRAINT qrcode_life CHECK (is_permanent = (expires_at IS NULL))`,
  `CREATE INDEX qrcode_permanent ON qrcode (account_kid, created_at, kid) WHERE is_permanent`,
  // Rows of an account that is gone wait without it until their bytes are removed.
  `CREATE TABLE enrolment_apk (
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
  )`,
  `CREATE UNIQUE INDEX enrolment_apk_content ON enrolment_apk (account_kid, sha256)`,
  `CREATE INDEX enrolment_apk_ownerless ON enrolment_apk (kid) WHERE account_kid IS NULL`,
  `CREATE FUNCTION enrolment_apk_space() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP = 'INSERT' THEN
      UPDATE disk_space SET used_bytes = used_bytes + NEW.size, item_count = item_count + 1
        WHERE account_kid = NEW.account_kid AND area = 'app_center';
    ELSE
      UPDATE disk_space SET used_bytes = used_bytes - OLD.size, item_count = item_count - 1
        WHERE account_kid = OLD.account_kid AND area = 'app_center';
    END IF;
    RETURN NULL;
  END $$`,
  `CREATE TRIGGER enrolment_apk_counted AFTER INSERT OR DELETE ON enrolment_apk FOR EACH ROW EXECUTE FUNCTION enrolment_apk_space()`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
