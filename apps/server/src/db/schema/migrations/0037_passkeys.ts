import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Passkeys (WebAuthn) of people. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await schema.execute(db)
}

const schema = sql`
  CREATE TABLE passkey (
    kid uuid PRIMARY KEY,
    user_kid uuid NOT NULL REFERENCES user_account ON DELETE CASCADE,
    name text NOT NULL,
    -- As the authenticator names it, base64url.
    credential_id text NOT NULL UNIQUE,
    -- COSE.
    public_key bytea NOT NULL,
    -- Of signatures; authenticators that synchronise their keys say 0 for ever.
    counter bigint NOT NULL,
    transports text[] NOT NULL DEFAULT '{}',
    is_synced boolean NOT NULL,
    created_at timestamptz NOT NULL,
    last_use_at timestamptz
  );
  CREATE INDEX passkey_user ON passkey (user_kid);

  ALTER TABLE login_step DROP CONSTRAINT login_step_kind_check;
  ALTER TABLE login_step ADD CONSTRAINT login_step_kind_check CHECK (kind IN (
    'totp', 'oidc_started', 'oidc_exchange', 'oidc_link', 'passkey_add', 'passkey_sign_in', 'passkey_confirm'));
`
