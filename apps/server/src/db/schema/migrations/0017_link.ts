import { sql } from 'kysely'
import type { Kysely } from 'kysely'

const statements = [
  // sent_at: when this attempt was first handed to a connection of the device, which may have it since then. is_overdue: its
  // deadline has passed, and the device was asked to stop.
  `ALTER TABLE push_task_terminal
    ADD COLUMN sent_at timestamptz,
    ADD COLUMN is_overdue boolean NOT NULL DEFAULT false`,
  // Devices that destructive calls hit within the last hour.
  `CREATE TABLE destruction (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL REFERENCES account ON DELETE CASCADE,
    at timestamptz NOT NULL,
    devices integer NOT NULL
  )`,
  `CREATE INDEX destruction_lately ON destruction (account_kid, at)`,
  // The password of a lock is dropped when its task has ended; in the clear it was until now.
  `UPDATE push_task SET payload = '{"is_password_dropped": true}'
    WHERE type = 'lock' AND payload ? 'password' AND completed + failed + canceled >= total`,
  // Whoever says an SN first does not have it: several claims to one may wait, each with its own code.
  `ALTER TABLE announcement DROP CONSTRAINT announcement_pkey, ADD PRIMARY KEY (sn, claim_hash)`,
  // A device whose secret is to be renewed is registered again by the code that it shows.
  `ALTER TABLE terminal ADD COLUMN renewal_asked_at timestamptz`,
  // The boot before the last one that a device told of: one that comes back is another machine's.
  `ALTER TABLE terminal_state ADD COLUMN earlier_boot_id text`,
  // Of what was under way nobody knows any more whether it was sent.
  `UPDATE push_task_terminal SET sent_at = state_at WHERE send_at IS NOT NULL`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
