import { nextPushPhase, phasesFor } from '@mdm/contract'
import type { Contract, In, PushPhaseEvent } from '@mdm/contract'
import { sql } from 'kysely'
import type { Selectable } from 'kysely'
import type { Actor } from '../../../../actor.ts'
import { transactionThen } from '../../../../db/after-commit.ts'
import { retrying } from '../../../../db/retrying.ts'
import type { Tables } from '../../../../db/schema/tables.ts'
import { wake } from '../../../../lib/background.ts'
import { refuse } from '../../../../refusal.ts'
import { kindOf } from '../kinds/kinds.ts'
import { settlePhases } from './moves.ts'
import { pushes } from '../background/phase-worker.ts'

type Calls = Contract['pushTask']['calls']
type Task = Selectable<Tables['push_task']>
type Change = Partial<
  Pick<Task, 'paused_because' | 'rows_in_sync' | 'waived_step' | 'decided_by' | 'decided_at' | 'remark' | 'ended_at'>
>

/**
 * A push as a whole is controlled by who has all of its devices within reach: a user limited to groups, only what they
 * pushed themselves.
 */
export const controllable = (
  { account_kid, visible_groups, user }: Actor,
  kid: string,
) => sql`kid = ${kid} AND account_kid = ${account_kid}
  AND (${visible_groups === undefined} OR created_by_kid = ${user.kid}::uuid)`

/** One step of the phase, in one transaction. @throws `not_found`, `task_phase_wrong` */
async function step(
  actor: Actor,
  kid: string,
  event: PushPhaseEvent,
  change: (task: Task, now: Date) => Change,
): Promise<void> {
  const { deps, account_kid } = actor
  await retrying(() =>
    transactionThen(deps.db, async (trx, after) => {
      const { rows } = await sql<Task>`SELECT * FROM push_task WHERE ${controllable(actor, kid)} FOR UPDATE`.execute(
        trx,
      )
      const task = rows[0] ?? refuse('not_found')
      const phase = nextPushPhase(task.phase, event) ?? refuse('task_phase_wrong')
      const now = deps.clock.now()
      await trx
        .updateTable('push_task')
        .set({ phase, phase_at: now, ...change(task, now) })
        .where('kid', '=', kid)
        .execute()
      if (phase === 'rejected') await kindOf(task.type).stopped?.(trx, task.payload, { deps, user: actor.user, after })
      await settlePhases(trx, [kid], now)
    }),
  )
  deps.live.publish(account_kid, { type: 'push_task', kid })
  wake(deps, pushes)
}

export const pause = (actor: Actor, { push_task_kid }: In<Calls['pause']>): Promise<void> =>
  step(actor, push_task_kid, 'pause', () => ({ paused_because: null, rows_in_sync: false }))

/** A rollout that its thresholds paused goes on whatever else its current step brings: a person has looked at it. */
export const resume = (actor: Actor, { push_task_kid }: In<Calls['resume']>): Promise<void> =>
  step(actor, push_task_kid, 'resume', ({ paused_because, step: current, waived_step }) => ({
    paused_because: null,
    waived_step: paused_because ? current : waived_step,
    rows_in_sync: false,
  }))

/** By somebody else than whoever pushed. @throws `task_own_approval` */
export const approve = (actor: Actor, { push_task_kid, remark }: In<Calls['approve']>): Promise<void> =>
  step(actor, push_task_kid, 'approve', ({ created_by_kid }, now) => {
    if (created_by_kid === actor.user.kid) refuse('task_own_approval')
    return { decided_by: actor.user.name, decided_at: now, remark }
  })

export const reject = (actor: Actor, { push_task_kid, remark }: In<Calls['reject']>): Promise<void> =>
  step(actor, push_task_kid, 'reject', (_task, now) => ({
    decided_by: actor.user.name,
    decided_at: now,
    ended_at: now,
    remark,
  }))

/**
 * No rows are made, nothing more is sent and no step begins any more; what its devices have left to do is canceled in the
 * background, whoever made it stop and whatever becomes of their call. False where it has ended, or is not the caller's to
 * end as a whole.
 */
export async function cancelPhase(actor: Actor, kid: string): Promise<boolean> {
  const { deps } = actor
  return retrying(() =>
    transactionThen(deps.db, async (trx, after) => {
      const now = deps.clock.now()
      const { rows } = await sql<Pick<Task, 'type' | 'payload'>>`
        UPDATE push_task SET phase = 'canceled', phase_at = ${now}, canceled_by = ${actor.user.name || null}, rows_in_sync = false,
          retry = NULL, retry_at = NULL
        WHERE ${controllable(actor, kid)} AND phase = ANY(${phasesFor('cancel')}::text[]) RETURNING type, payload
      `.execute(trx)
      const task = rows[0]
      if (!task) return false
      await kindOf(task.type).stopped?.(trx, task.payload, { deps, user: actor.user, after })
      await settlePhases(trx, [kid], now)
      return true
    }),
  )
}
