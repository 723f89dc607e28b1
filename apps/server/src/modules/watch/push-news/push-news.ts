import { pushSentence } from '@mdm/contract'
import { sql } from 'kysely'
import type { Kysely, Selectable } from 'kysely'
import type { Tables } from '../../../db/schema/tables.ts'
import type { Deps } from '../../../deps.ts'
import { wake } from '../../../lib/background.ts'
import type { Work } from '../../../lib/background.ts'
import { mails } from '../../people/mail/index.ts'
import { factsOfTask } from '../../push/push-task/index.ts'
import { notifyAccount, webhookDeliveries } from '../webhook/index.ts'
import { askApprovers } from './approvers.ts'

type Task = Selectable<Tables['push_task']>
/** Told in one transaction; the rows are locked for as long. */
const at_once = 20

/**
 * Tells programs that a push waits for a second person or is over, and people who may approve it that it waits: of each phase
 * once, whoever brought it about and on whatever server. That it was told is noted with what is sent.
 */
export const pushNews: Work = {
  name: 'push_news',
  every_ms: 5_000,
  async run(deps) {
    const told = await deps.db.transaction().execute((trx) => tellNext(trx, deps))
    if (told === 0) return false
    wake(deps, webhookDeliveries)
    wake(deps, mails)
    return told === at_once
  },
}

async function tellNext(trx: Kysely<Tables>, deps: Deps): Promise<number> {
  const { rows } = await sql<Task>`
    UPDATE push_task SET told_phase_at = COALESCE(phase_at, created_at) WHERE kid IN (
      SELECT kid FROM push_task
      WHERE told_phase_at IS DISTINCT FROM COALESCE(phase_at, created_at)
        AND phase IN ('awaiting_approval', 'ended', 'canceled', 'rejected')
      ORDER BY kid LIMIT ${at_once}::integer FOR NO KEY UPDATE SKIP LOCKED)
    RETURNING *`.execute(trx)
  const within = { ...deps, db: trx }
  for (const task of rows) {
    await tellPrograms(within, task)
    if (task.phase === 'awaiting_approval') await askApprovers(within, task)
  }
  return rows.length
}

async function tellPrograms(deps: Deps, task: Task): Promise<void> {
  const { kid, account_kid, type, summary, phase, created_by, created_at, target_count } = task
  const { total, completed, failed, canceled, gone } = task
  const sentence = pushSentence(factsOfTask(task), { language: deps.config.default_language ?? 'en', zone: 'UTC' })
  const detail = {
    ...{ push_task_kid: kid, type, summary, sentence, phase, created_by, created_at },
    ...{ devices: Math.max(target_count, total), completed, failed, canceled, deregistered: gone },
  }
  if (phase === 'awaiting_approval') return void (await notifyAccount(deps, account_kid, 'push.waiting', detail))
  await notifyAccount(deps, account_kid, 'push.ended', detail)
  // Devices that have left are nobody's failure.
  if (failed > gone) await notifyAccount(deps, account_kid, 'push.failed', detail)
}
