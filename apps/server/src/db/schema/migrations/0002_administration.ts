import { sql } from 'kysely'
import type { Kysely } from 'kysely'

const default_disk_space = 10 * 1024 ** 3
/** The provider's own things are not counted against anything: 4 PiB. */
const provider_disk_space = 2 ** 52

const statements = [
  `ALTER TABLE account ADD COLUMN user_max integer CHECK (user_max > 0), ADD COLUMN fae_kid uuid`,
  `UPDATE account a SET fae_kid = (SELECT u.kid FROM user_account u WHERE u.type = 101 AND u.name = a.fae_name ORDER BY u.created_at LIMIT 1)`,
  `ALTER TABLE account DROP COLUMN fae_name`,
  `ALTER TABLE account ADD CONSTRAINT account_fae FOREIGN KEY (fae_kid) REFERENCES user_account ON DELETE SET NULL`,
  `CREATE INDEX account_fae ON account (fae_kid) WHERE fae_kid IS NOT NULL`,
  `CREATE INDEX account_parent ON account (parent_kid) WHERE parent_kid IS NOT NULL`,
  `CREATE INDEX account_expire ON account (expire_time) WHERE expire_time IS NOT NULL`,

  // Two-factor sign-in. The secret is sealed (lib/sealed); recovery codes are hashed, the last step guards against replay.
  `ALTER TABLE user_account
    ADD COLUMN wechat text,
    ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now(),
    ADD COLUMN totp_secret text,
    ADD COLUMN totp_enabled_at timestamptz,
    ADD COLUMN totp_last_step bigint,
    ADD COLUMN totp_recovery text[] NOT NULL DEFAULT '{}'`,
  `CREATE UNIQUE INDEX user_account_email ON user_account (lower(email)) WHERE email IS NOT NULL`,
  `CREATE UNIQUE INDEX user_account_phone ON user_account (phone) WHERE phone IS NOT NULL`,
  `CREATE INDEX user_account_name ON user_account (account_kid, type, lower(name), kid)`,
  `ALTER TABLE role ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now()`,
  `CREATE UNIQUE INDEX role_name ON role (account_kid, lower(name))`,
  `CREATE INDEX role_parent ON role (parent_kid)`,
  // When the password was last typed again in a session: destructive calls ask for it.
  `ALTER TABLE session ADD COLUMN confirmed_at timestamptz`,
  // Between the steps of a sign-in: the second factor, or the way back from the OpenID Connect provider.
  `CREATE TABLE login_step (
    token_hash bytea PRIMARY KEY,
    kind text NOT NULL CHECK (kind IN ('totp', 'oidc_started', 'oidc_exchange')),
    user_kid uuid REFERENCES user_account ON DELETE CASCADE,
    detail jsonb NOT NULL DEFAULT '{}',
    tries integer NOT NULL DEFAULT 0,
    expires_at timestamptz NOT NULL
  )`,
  `CREATE INDEX login_step_expires ON login_step (expires_at)`,
  `CREATE TABLE user_identity (
    issuer text NOT NULL,
    subject text NOT NULL,
    user_kid uuid NOT NULL REFERENCES user_account ON DELETE CASCADE,
    created_at timestamptz NOT NULL,
    last_use_at timestamptz NOT NULL,
    PRIMARY KEY (issuer, subject)
  )`,
  `CREATE INDEX user_identity_user ON user_identity (user_kid)`,
  `CREATE TABLE api_token (
    kid uuid PRIMARY KEY,
    user_kid uuid NOT NULL REFERENCES user_account ON DELETE CASCADE,
    name text NOT NULL,
    prefix text NOT NULL,
    token_hash bytea NOT NULL UNIQUE,
    permissions text[] NOT NULL,
    may_destroy boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    last_use_at timestamptz,
    last_address text
  )`,
  `CREATE UNIQUE INDEX api_token_name ON api_token (user_kid, lower(name))`,
  `CREATE TABLE user_preference (
    user_kid uuid NOT NULL REFERENCES user_account ON DELETE CASCADE,
    key text NOT NULL,
    value jsonb NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (user_kid, key)
  )`,

  `ALTER TABLE menu_tree ADD COLUMN "end" text NOT NULL DEFAULT 'web', ADD COLUMN remind text NOT NULL DEFAULT ''`,
  `CREATE INDEX menu_tree_parent ON menu_tree (p_id, sort)`,

  // What an account may store and stores. The database keeps count and says no, so that nobody can get past it.
  `CREATE TABLE disk_space (
    kid uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    account_kid uuid NOT NULL REFERENCES account ON DELETE CASCADE,
    area text NOT NULL CHECK (area IN ('file_disk', 'app_center')),
    max_bytes bigint NOT NULL,
    used_bytes bigint NOT NULL DEFAULT 0,
    item_count integer NOT NULL DEFAULT 0,
    UNIQUE (account_kid, area),
    CONSTRAINT disk_space_within CHECK (used_bytes <= max_bytes)
  )`,
  `CREATE FUNCTION account_disk_space() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO disk_space (account_kid, area, max_bytes)
      SELECT NEW.kid, area, CASE WHEN NEW.type = 101 THEN ${provider_disk_space} ELSE ${default_disk_space} END
      FROM unnest(ARRAY['file_disk', 'app_center']) AS area;
    RETURN NULL;
  END $$`,
  `CREATE TRIGGER account_inserted AFTER INSERT ON account FOR EACH ROW EXECUTE FUNCTION account_disk_space()`,
  // What is there already stays, even when it is more than the default.
  `INSERT INTO disk_space (account_kid, area, max_bytes, used_bytes, item_count)
    SELECT a.kid, area,
      CASE WHEN a.type = 101 THEN ${provider_disk_space} ELSE GREATEST(${default_disk_space}, f.bytes) END, f.bytes, f.items
    FROM account a, unnest(ARRAY['file_disk', 'app_center']) AS area, LATERAL (
      SELECT COALESCE(sum(size), 0)::bigint AS bytes, count(*)::integer AS items FROM file_cloud
      WHERE account_kid = a.kid AND area = 'file_disk'
    ) f`,
  `CREATE FUNCTION file_cloud_space() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP = 'INSERT' THEN
      UPDATE disk_space SET used_bytes = used_bytes + NEW.size, item_count = item_count + 1
        WHERE account_kid = NEW.account_kid AND area = 'file_disk';
    ELSE
      UPDATE disk_space SET used_bytes = used_bytes - OLD.size, item_count = item_count - 1
        WHERE account_kid = OLD.account_kid AND area = 'file_disk';
    END IF;
    RETURN NULL;
  END $$`,
  `CREATE TRIGGER file_cloud_counted AFTER INSERT OR DELETE ON file_cloud FOR EACH ROW EXECUTE FUNCTION file_cloud_space()`,
  `CREATE INDEX push_task_by_type ON push_task (account_kid, type, created_at)`,

  // Webhooks. account_kid is the provider's for those that hear everything.
  `CREATE TABLE webhook (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL REFERENCES account ON DELETE CASCADE,
    name text NOT NULL,
    url text NOT NULL,
    events text[] NOT NULL,
    secret text NOT NULL,
    is_enabled boolean NOT NULL DEFAULT true,
    failing_since timestamptz,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
  )`,
  `CREATE UNIQUE INDEX webhook_name ON webhook (account_kid, lower(name))`,
  `CREATE TABLE webhook_delivery (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL,
    webhook_kid uuid NOT NULL REFERENCES webhook ON DELETE CASCADE,
    event text NOT NULL,
    payload text NOT NULL,
    state text NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'delivered', 'failed')),
    attempts integer NOT NULL DEFAULT 0,
    next_at timestamptz,
    response_status integer,
    error text,
    duration_ms integer,
    created_at timestamptz NOT NULL,
    delivered_at timestamptz
  )`,
  `CREATE INDEX webhook_delivery_list ON webhook_delivery (webhook_kid, created_at, kid)`,
  `CREATE INDEX webhook_delivery_state ON webhook_delivery (webhook_kid, state, created_at, kid)`,
  `CREATE INDEX webhook_delivery_due ON webhook_delivery (next_at) WHERE next_at IS NOT NULL`,
  `CREATE INDEX webhook_delivery_old ON webhook_delivery (created_at)`,

  // What a download of a list will say; kept until it is fetched.
  `CREATE TABLE list_export (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL REFERENCES account ON DELETE CASCADE,
    session_kid uuid NOT NULL,
    request jsonb NOT NULL,
    language text NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL
  )`,
  `CREATE INDEX list_export_expires ON list_export (expires_at)`,
  `CREATE INDEX operation_log_operator ON operation_log (operator_kid, created_at)`,

  // Customers have names of their own, and so have the sub-accounts of one. Of those that already share one, the later
  // ones get a tail.
  `UPDATE account a SET name = left(a.name, 50) || ' ' || right(a.kid::text, 12)
    WHERE a.type IN (1, 2) AND EXISTS (
      SELECT 1 FROM account b WHERE b.type = a.type AND b.parent_kid IS NOT DISTINCT FROM a.parent_kid
        AND lower(b.name) = lower(a.name) AND b.kid < a.kid
    )`,
  `CREATE UNIQUE INDEX account_customer_name ON account (lower(name)) WHERE type = 1`,
  `CREATE UNIQUE INDEX account_sub_account_name ON account (parent_kid, lower(name)) WHERE type = 2`,
  // Which thresholds of which end of an account have been told: a renewal begins anew.
  `CREATE TABLE account_notice (
    account_kid uuid NOT NULL REFERENCES account ON DELETE CASCADE,
    expire_time timestamptz NOT NULL,
    days smallint NOT NULL,
    PRIMARY KEY (account_kid, expire_time, days)
  )`,
  // The provider's search is over the devices of everybody, where the indexes that begin with an account are no help.
  `CREATE INDEX terminal_registered ON terminal (registered_at, kid)`,
  `CREATE INDEX terminal_sn_prefix ON terminal (lower(sn) text_pattern_ops, kid)`,
  `CREATE INDEX push_task_terminal_failed ON push_task_terminal (state_at) WHERE state = 'failed'`,
  `CREATE INDEX operation_log_failed_sign_in ON operation_log (created_at) WHERE module_code = 'login' AND result <> 1`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
