import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Links by which people set their own password, and mails of every kind in the one queue. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await schema.execute(db)
}

const schema = sql`
  -- A newer link of the same kind takes the place of the older one.
  CREATE TABLE password_link (
    user_kid uuid NOT NULL REFERENCES user_account ON DELETE CASCADE,
    kind text NOT NULL CHECK (kind IN ('invitation', 'password_reset')),
    token_hash bytea NOT NULL UNIQUE,
    -- The address that it was sent to; null of one that was handed over. It ends when the person has another address.
    email text,
    mail_kid uuid,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (user_kid, kind)
  );
  CREATE INDEX password_link_expires ON password_link (expires_at);

  -- Whether there is such a person is looked at after the answer, so that its time says nothing of it.
  CREATE TABLE forgotten_password (
    kid uuid PRIMARY KEY,
    username text NOT NULL,
    language text NOT NULL,
    created_at timestamptz NOT NULL
  );

  ALTER TABLE alert_mail RENAME TO mail;
  ALTER INDEX alert_mail_due RENAME TO mail_due;
  ALTER INDEX alert_mail_hourly RENAME TO mail_hourly;
  ALTER INDEX alert_mail_rule RENAME TO mail_rule;
  ALTER TABLE mail ADD COLUMN kind text NOT NULL DEFAULT 'alert'
    CHECK (kind IN ('alert', 'invitation', 'password_reset', 'approval', 'report'));
  ALTER TABLE mail ALTER COLUMN kind DROP DEFAULT;
  -- A body with a secret in it, until the mail is sent or given up.
  ALTER TABLE mail ADD COLUMN body_sealed text;
`
