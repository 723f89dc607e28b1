import type { PushTaskType } from '@mdm/contract'
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Actor } from '../../actor.ts'
import type { Tables } from '../../db/schema/tables.ts'
import { refuse } from '../../refusal.ts'

type Db = Kysely<Tables>
const hour_ms = 3_600_000

/** Two at the same moment would not see each other's rows. */
const lockAccount = (trx: Db, account_kid: string) =>
  trx
    .selectFrom('account')
    .select('push_approval_from')
    .where('kid', '=', account_kid)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow()

/** Devices of the account's pushes within an hour; those that were stopped before they began do not count. */
const lately = (trx: Db, { deps, account_kid }: Actor) =>
  trx
    .selectFrom('push_task')
    .select((eb) => eb.cast<number>(eb.fn.coalesce(eb.fn.sum('meant'), eb.lit(0)), 'integer').as('devices'))
    .where('account_kid', '=', account_kid)
    .where('created_at', '>', new Date(deps.clock.now().getTime() - hour_ms))
    .where((eb) => eb.not(eb.and([eb('total', '=', 0), eb('phase', 'in', ['canceled', 'rejected'])])))

/** What one account may do within an hour, and so what a stolen session can do. @throws `task_too_many_per_hour` */
export async function assertHourly(
  trx: Db,
  actor: Pick<Actor, 'deps' | 'account_kid'>,
  type: PushTaskType,
  devices: number,
  max: number,
): Promise<void> {
  const { deps, account_kid } = actor
  await lockAccount(trx, account_kid)
  // What was begun or tried again, and what is still to begin.
  const { rows } = await sql<{ devices: number }>`
    SELECT (
      SELECT count(*) FROM push_task k JOIN push_task_activity a ON a.push_task_kid = k.kid
      WHERE k.account_kid = ${account_kid} AND k.type = ${type} AND a.event IN ('created', 'retried')
        AND a.at > ${new Date(deps.clock.now().getTime() - hour_ms)}
    )::integer + (
      SELECT COALESCE(sum(k.meant - k.total), 0) FROM push_task k
      WHERE k.account_kid = ${account_kid} AND k.type = ${type} AND k.phase IN ('awaiting_approval', 'planned', 'creating')
    )::integer AS devices
  `.execute(trx)
  const left = Math.max(0, max - rows[0]!.devices)
  if (devices > left) refuse('task_too_many_per_hour', { max, left })
}

/**
 * Whether a second person has to approve a push to so many devices: the account says from how many on, counted over what
 * the same person pushed within an hour without an approval, so that a large push cannot be made of small ones.
 */
export async function asksApproval(trx: Db, actor: Actor, devices: number): Promise<boolean> {
  const setting = await trx
    .selectFrom('account')
    .select('push_approval_from')
    .where('kid', '=', actor.account_kid)
    .executeTakeFirstOrThrow()
  if (setting.push_approval_from === null) return false
  const { push_approval_from } = await lockAccount(trx, actor.account_kid)
  if (push_approval_from === null) return false
  const before = await lately(trx, actor)
    .where('created_by_kid', '=', actor.user.kid)
    .where('decided_by', 'is', null)
    .where('phase', '<>', 'awaiting_approval')
    .executeTakeFirstOrThrow()
  return before.devices + devices >= push_approval_from
}
