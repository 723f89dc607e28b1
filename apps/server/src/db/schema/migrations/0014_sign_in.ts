import { sql } from 'kysely'
import type { Kysely } from 'kysely'

const statements = [
  `ALTER TABLE login_step DROP CONSTRAINT login_step_kind_check`,
  `ALTER TABLE login_step ADD CONSTRAINT login_step_kind_check
    CHECK (kind IN ('totp', 'oidc_started', 'oidc_exchange', 'oidc_link'))`,
  // Networks (an IPv4 address, the /64 of an IPv6 one) from which somebody has signed in: strangers' failures elsewhere
  // do not lock the name for them.
  `CREATE TABLE login_network (
    user_kid uuid NOT NULL REFERENCES user_account ON DELETE CASCADE,
    network text NOT NULL,
    last_use_at timestamptz NOT NULL,
    PRIMARY KEY (user_kid, network)
  )`,
  `CREATE INDEX login_network_used ON login_network (last_use_at)`,
  // Leading zero bits of the hash that an answer must come with.
  `ALTER TABLE puzzle ADD COLUMN work_bits integer NOT NULL DEFAULT 0`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
