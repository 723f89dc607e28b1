import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Until which of its phases programs, and people who may approve it, were told of a push. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await schema.execute(db)
}

const schema = sql`
  ALTER TABLE push_task ADD COLUMN told_phase_at timestamptz;
  -- What was before is no news.
  UPDATE push_task SET told_phase_at = COALESCE(phase_at, created_at);
  CREATE INDEX push_task_untold ON push_task (kid)
    WHERE told_phase_at IS DISTINCT FROM COALESCE(phase_at, created_at)
    AND phase IN ('awaiting_approval', 'ended', 'canceled', 'rejected');
`
