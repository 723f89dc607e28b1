import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Webhook deliveries and mails are claimed by the server that sends them, as all longer work is (decision 126). */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`ALTER TABLE webhook_delivery ADD COLUMN worked_by uuid`.execute(db)
  await sql`
    ALTER TABLE alert_mail ADD COLUMN worked_by uuid,
      ADD COLUMN state text NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'sent', 'failed'))
  `.execute(db)
  await sql`
    UPDATE alert_mail SET state = CASE WHEN sent_at IS NOT NULL THEN 'sent' ELSE 'failed' END WHERE next_at IS NULL
  `.execute(db)
  await sql`DROP INDEX webhook_delivery_due`.execute(db)
  await sql`DROP INDEX alert_mail_due`.execute(db)
  await sql`CREATE INDEX webhook_delivery_worked ON webhook_delivery (worked_by) WHERE worked_by IS NOT NULL`.execute(
    db,
  )
  // What is claimed has no time, and is free again when its server is gone.
  await sql`CREATE INDEX webhook_delivery_due ON webhook_delivery (next_at NULLS FIRST) WHERE state = 'queued'`.execute(
    db,
  )
  await sql`CREATE INDEX alert_mail_due ON alert_mail (next_at NULLS FIRST) WHERE state = 'queued'`.execute(db)
}
