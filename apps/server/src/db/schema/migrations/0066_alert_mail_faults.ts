import { sql } from 'kysely'
import type { Kysely } from 'kysely'

const statements = [
  // Which rule a mail is of, so that its rule says when it does not arrive. A rule that was deleted still tells that it is over.
  `ALTER TABLE alert_mail ADD rule_kid uuid`,
  `CREATE INDEX alert_mail_rule ON alert_mail (rule_kid, address, created_at) WHERE rule_kid IS NOT NULL`,
  // When mails were last left out because the account had sent too many within an hour.
  `ALTER TABLE alert_rule ADD mails_cut_at timestamptz`,
  // Why the last push of a fence was not made.
  `ALTER TABLE electronic_fence ADD last_error jsonb`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
