import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Accounts, the people who sign in to them, and what they may do. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await schema.execute(db)
}

const schema = sql`
  -- Accounts. Type 101 is the provider, of which there is one; 1 is a customer, 2 a sub-account of a customer.

  CREATE TABLE account (
    kid uuid PRIMARY KEY,
    parent_kid uuid REFERENCES account,
    type smallint NOT NULL CHECK (type IN (1, 2, 101)),
    name text NOT NULL,
    organization_name text,
    status text NOT NULL DEFAULT 'normal' CHECK (status IN ('normal', 'init', 'invalid')),
    -- Its technical support: a person of the provider.
    fae_kid uuid,
    expire_time timestamptz,
    sub_accounts_allowed boolean NOT NULL DEFAULT false,
    user_max integer CHECK (user_max > 0),
    terminal_max bigint NOT NULL DEFAULT 0,
    terminal_count bigint NOT NULL DEFAULT 0,
    -- Once a person has pushed to so many devices within an hour, a second person approves.
    push_approval_from integer,
    -- What that limit was before somebody loosened it: for that person it holds for a while longer.
    push_approval_loosened jsonb NOT NULL DEFAULT '[]',
    remark text NOT NULL DEFAULT '',
    last_use_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
  );
  CREATE UNIQUE INDEX account_one_provider ON account (type) WHERE type = 101;
  CREATE UNIQUE INDEX account_customer_name ON account (lower(name)) WHERE type = 1;
  CREATE UNIQUE INDEX account_sub_account_name ON account (parent_kid, lower(name)) WHERE type = 2;
  CREATE INDEX account_name ON account (type, lower(name), kid);
  CREATE INDEX account_parent ON account (parent_kid) WHERE parent_kid IS NOT NULL;
  CREATE INDEX account_fae ON account (fae_kid) WHERE fae_kid IS NOT NULL;
  CREATE INDEX account_expire ON account (expire_time) WHERE expire_time IS NOT NULL;

  -- Warnings, so many days before an account expires, that were sent. An account that is renewed gets them anew.
  CREATE TABLE account_notice (
    account_kid uuid NOT NULL REFERENCES account ON DELETE CASCADE,
    expire_time timestamptz NOT NULL,
    days smallint NOT NULL,
    PRIMARY KEY (account_kid, expire_time, days)
  );

  -- People. Types 1 and 2 are the root login of their account, 3 is a person of an account, 101 staff of the provider.

  CREATE TABLE user_account (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL REFERENCES account,
    type smallint NOT NULL CHECK (type IN (1, 2, 3, 101)),
    username text NOT NULL,
    name text NOT NULL,
    password_hash text NOT NULL,
    -- Digits only, with a leading + where one was given.
    phone text,
    email text,
    wechat text,
    status text NOT NULL DEFAULT 'normal' CHECK (status IN ('normal', 'init', 'invalid')),
    language text,
    zone_id text,
    map_type text,
    -- Second factor: the secret is sealed, recovery codes are hashed, the last step guards against replay.
    totp_secret text,
    totp_enabled_at timestamptz,
    totp_last_step bigint,
    totp_recovery text[] NOT NULL DEFAULT '{}',
    remark text NOT NULL DEFAULT '',
    last_use_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
  );
  CREATE UNIQUE INDEX user_account_username ON user_account (lower(username));
  CREATE UNIQUE INDEX user_account_email ON user_account (lower(email)) WHERE email IS NOT NULL;
  CREATE UNIQUE INDEX user_account_phone ON user_account (phone) WHERE phone IS NOT NULL;
  CREATE INDEX user_account_account ON user_account (account_kid);
  CREATE INDEX user_account_name ON user_account (account_kid, type, lower(name), kid);

  ALTER TABLE account ADD CONSTRAINT account_fae FOREIGN KEY (fae_kid) REFERENCES user_account ON DELETE SET NULL;

  CREATE TABLE user_preference (
    user_kid uuid NOT NULL REFERENCES user_account ON DELETE CASCADE,
    key text NOT NULL,
    value jsonb NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (user_kid, key)
  );

  -- Roles and the menu that their permissions come from

  CREATE TABLE role (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL REFERENCES account,
    parent_kid uuid REFERENCES role,
    code text NOT NULL,
    name text NOT NULL,
    weight integer NOT NULL DEFAULT 0,
    permissions text[] NOT NULL DEFAULT '{}',
    remark text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (account_kid, code)
  );
  CREATE UNIQUE INDEX role_name ON role (account_kid, lower(name));
  CREATE INDEX role_parent ON role (parent_kid);

  CREATE TABLE user_role (
    user_kid uuid NOT NULL REFERENCES user_account ON DELETE CASCADE,
    role_kid uuid NOT NULL REFERENCES role,
    PRIMARY KEY (user_kid, role_kid)
  );
  CREATE INDEX user_role_role ON user_role (role_kid);

  CREATE TABLE menu_tree (
    kid uuid PRIMARY KEY,
    p_id uuid REFERENCES menu_tree,
    code text NOT NULL UNIQUE,
    name jsonb NOT NULL,
    access_code text,
    type text NOT NULL CHECK (type IN ('module', 'group', 'page', 'operation')),
    path text,
    icon text,
    visible smallint NOT NULL DEFAULT 1,
    -- 1: the customers' side, 2: the provider's.
    end_type smallint NOT NULL CHECK (end_type IN (1, 2)),
    "end" text NOT NULL DEFAULT 'web',
    remind text NOT NULL DEFAULT '',
    sort integer NOT NULL,
    is_seeded boolean NOT NULL DEFAULT false
  );
  CREATE INDEX menu_tree_parent ON menu_tree (p_id, sort);

  -- Signing in

  CREATE TABLE session (
    kid uuid PRIMARY KEY,
    token_hash bytea NOT NULL UNIQUE,
    user_kid uuid NOT NULL REFERENCES user_account ON DELETE CASCADE,
    -- The customer that somebody of the provider has entered.
    enter_kid uuid REFERENCES account,
    address text NOT NULL,
    user_agent text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL,
    last_use_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    -- When the password was last typed again: destructive calls ask for it.
    confirmed_at timestamptz
  );
  CREATE INDEX session_by_user ON session (user_kid);
  CREATE INDEX session_expires ON session (expires_at);

  -- Between the steps of a sign-in: the second factor, or the way back from the OpenID Connect provider.
  CREATE TABLE login_step (
    token_hash bytea PRIMARY KEY,
    kind text NOT NULL CHECK (kind IN ('totp', 'oidc_started', 'oidc_exchange', 'oidc_link')),
    user_kid uuid REFERENCES user_account ON DELETE CASCADE,
    detail jsonb NOT NULL DEFAULT '{}',
    tries integer NOT NULL DEFAULT 0,
    expires_at timestamptz NOT NULL
  );
  CREATE INDEX login_step_expires ON login_step (expires_at);

  -- Failures in a row of a name or an address, by a key that says which.
  CREATE TABLE login_failure (
    key text PRIMARY KEY,
    failures integer NOT NULL,
    first_at timestamptz NOT NULL,
    locked_until timestamptz
  );

  -- Networks (an IPv4 address, the /64 of an IPv6 one) and browsers from which a person has signed in: failures of
  -- strangers elsewhere do not lock the name for them.
  CREATE TABLE login_network (
    user_kid uuid NOT NULL REFERENCES user_account ON DELETE CASCADE,
    network text NOT NULL,
    last_use_at timestamptz NOT NULL,
    PRIMARY KEY (user_kid, network)
  );
  CREATE INDEX login_network_used ON login_network (last_use_at);
  CREATE INDEX login_network_place ON login_network (network, last_use_at);

  CREATE TABLE puzzle (
    kid uuid PRIMARY KEY,
    offset_x integer NOT NULL,
    -- Leading zero bits of the hash that an answer must come with.
    work_bits integer NOT NULL DEFAULT 0,
    address text NOT NULL,
    created_at timestamptz NOT NULL,
    answered_at timestamptz,
    token_hash bytea UNIQUE,
    token_expires_at timestamptz
  );
  CREATE INDEX puzzle_created ON puzzle (created_at);

  -- The same person at the OpenID Connect provider.
  CREATE TABLE user_identity (
    issuer text NOT NULL,
    subject text NOT NULL,
    user_kid uuid NOT NULL REFERENCES user_account ON DELETE CASCADE,
    created_at timestamptz NOT NULL,
    last_use_at timestamptz NOT NULL,
    PRIMARY KEY (issuer, subject)
  );
  CREATE INDEX user_identity_user ON user_identity (user_kid);

  CREATE TABLE api_token (
    kid uuid PRIMARY KEY,
    user_kid uuid NOT NULL REFERENCES user_account ON DELETE CASCADE,
    name text NOT NULL,
    -- The first characters, by which a person recognizes it.
    prefix text NOT NULL,
    token_hash bytea NOT NULL UNIQUE,
    permissions text[] NOT NULL,
    may_destroy boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    last_use_at timestamptz,
    last_address text
  );
  CREATE UNIQUE INDEX api_token_name ON api_token (user_kid, lower(name));
`
