import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Which apps may call what of a device, and where the provider's list of jobs finds OS versions whose pushes are canceled. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await schema.execute(db)
}

const schema = sql`
  -- Which methods of devices an app may call, told by its package and certificate.
  CREATE TABLE api_authorisation (
    kid uuid PRIMARY KEY,
    package text NOT NULL,
    cert_sha1 text NOT NULL CHECK (cert_sha1 ~ '^[0-9a-f]{40}$'),
    methods text[] NOT NULL,
    remark text NOT NULL,
    created_by text NOT NULL,
    created_at timestamptz NOT NULL,
    updated_by text NOT NULL,
    updated_at timestamptz NOT NULL
  );
  CREATE UNIQUE INDEX api_authorisation_app ON api_authorisation (package, cert_sha1);
  CREATE INDEX api_authorisation_updated ON api_authorisation (updated_at, kid);

  CREATE TABLE api_authorisation_uid (
    api_authorisation_kid uuid NOT NULL REFERENCES api_authorisation ON DELETE CASCADE,
    uid_kid uuid NOT NULL REFERENCES os_uid ON DELETE CASCADE,
    PRIMARY KEY (api_authorisation_kid, uid_kid)
  );
  CREATE INDEX api_authorisation_uid_of ON api_authorisation_uid (uid_kid);

  -- What is signed for devices with a UID, as it goes to them. It stays when nobody may call anything any more: the version only grows.
  CREATE TABLE api_list (
    uid_kid uuid PRIMARY KEY REFERENCES os_uid ON DELETE CASCADE,
    version bigint NOT NULL CHECK (version > 0),
    manifest text NOT NULL,
    sha256 text NOT NULL,
    signature text NOT NULL,
    key_kid uuid NOT NULL REFERENCES os_key
  );

  -- A device whose UID becomes another one, as it does with its first hello, goes by the list of that.
  CREATE FUNCTION terminal_uid_changed() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO terminal_config_delivery (terminal_kid, account_kid, send_at)
      SELECT f.kid, f.account_kid, 'epoch'::timestamptz FROM fresh f JOIN gone o USING (kid)
      WHERE f.uid IS DISTINCT FROM o.uid AND EXISTS (
        SELECT FROM api_list l JOIN os_uid u ON u.kid = l.uid_kid
        WHERE lower(u.code) IN (lower(btrim(f.uid)), lower(btrim(o.uid))))
      ON CONFLICT (terminal_kid) DO UPDATE SET is_dirty = true, sends = 0, send_at = 'epoch'::timestamptz;
    RETURN NULL;
  END $$;
  CREATE TRIGGER terminal_uid_changed AFTER UPDATE ON terminal REFERENCING OLD TABLE AS gone NEW TABLE AS fresh
    FOR EACH STATEMENT EXECUTE FUNCTION terminal_uid_changed();

  -- Calls that devices refused, for the provider: the other events of devices are looked for by device.
  CREATE INDEX terminal_event_api_refused ON terminal_event (at, kid) WHERE type = 'api_refused';

  CREATE INDEX os_version_event_cancelling ON os_version_event (at, kid) WHERE event = 'pushes_canceling';
`
