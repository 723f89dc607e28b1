import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** What people do with an alert: a note, who looks after it, and what was told of it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await schema.execute(db)
}

const schema = sql`
  ALTER TABLE alert ADD COLUMN note text NOT NULL DEFAULT '';
  ALTER TABLE alert ADD COLUMN assignee_kid uuid REFERENCES user_account ON DELETE SET NULL;
  -- One entry each time that people and programs were told: as often as its devices double, once an hour at most.
  ALTER TABLE alert ADD COLUMN tellings jsonb NOT NULL DEFAULT '[]';
  CREATE INDEX alert_assignee ON alert (assignee_kid) WHERE assignee_kid IS NOT NULL;
  CREATE INDEX alert_of_rule ON alert (rule_kid, opened_at);
  -- Open ones first, then acknowledged ones, the newest of each first: as modules/watch/alert/alerts.ts orders them.
  CREATE INDEX alert_in_order ON alert (account_kid, (
    (CASE WHEN resolved_at IS NOT NULL THEN 0 WHEN acknowledged_at IS NOT NULL THEN 1 ELSE 2 END) * 100000000000::numeric
    + extract(epoch FROM opened_at AT TIME ZONE 'UTC')), kid);
  -- What people did to alerts is read from the log, of which it is a small part.
  CREATE INDEX operation_log_alert ON operation_log (account_kid, created_at) WHERE module_code IN ('alert', 'alert_rule');
`
