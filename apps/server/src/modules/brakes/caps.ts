import { constants, pushKindOf } from '@mdm/contract'
import type { PushTaskType } from '@mdm/contract'
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import { lockAccount } from '../../db/lock-account.ts'
import type { Actor } from '../../actor.ts'
import type { Tables } from '../../db/schema/tables.ts'
import { refuse } from '../../refusal.ts'
import { approvalFrom, settingOf } from './setting.ts'

type Db = Kysely<Tables>
type Of = Pick<Actor, 'deps' | 'account_kid'>
const hour_ms = 3_600_000
/** The hour of which pushes count. What a clock that was wrong has dated into the future is not lately, until its date comes. */
const hourOf = ({ deps }: Pick<Actor, 'deps'>) => {
  const now = deps.clock.now().getTime()
  return { since: new Date(now - hour_ms), until: new Date(now + hour_ms) }
}

/** Devices of the account's pushes within an hour; those that were stopped before they began do not count. */
const lately = (trx: Db, actor: Of) => {
  const { since, until } = hourOf(actor)
  return trx
    .selectFrom('push_task')
    .select((eb) => eb.cast<number>(eb.fn.coalesce(eb.fn.sum('meant'), eb.lit(0)), 'integer').as('devices'))
    .where('account_kid', '=', actor.account_kid)
    .where('created_at', '>', since)
    .where('created_at', '<', until)
    .where((eb) => eb.not(eb.and([eb('total', '=', 0), eb('phase', 'in', ['canceled', 'rejected'])])))
}

/**
 * When what hits so many devices within an hour begins; undefined: at once. Until then nothing has been sent, and it can be
 * stopped (decision 014).
 */
export function startOf(type: PushTaskType, lately: number, now: Date): Date | undefined {
  const is_late = pushKindOf(type).is_delayed === true && lately >= constants.password_from_devices
  return is_late ? new Date(now.getTime() + constants.scrap_delay_seconds * 1_000) : undefined
}

/** What one account may do within an hour, and so what a stolen session can do. @throws `task_too_many_per_hour` */
export async function assertHourly(trx: Db, actor: Of, type: PushTaskType, devices: number): Promise<void> {
  const { per_hour: max } = pushKindOf(type)
  if (max === undefined) return
  const left = await hourlyLeft(trx, actor, type, max)
  if (devices > left) refuse('task_too_many_per_hour', { max, left })
}

/** To how many devices of the account it may still be done within this hour. */
export async function hourlyLeft(trx: Db, { deps, account_kid }: Of, type: PushTaskType, max: number): Promise<number> {
  const { since, until } = hourOf({ deps })
  await lockAccount(trx, account_kid)
  // What was begun or tried again, and what is still to begin or to be tried again.
  const { rows } = await sql<{ devices: number }>`
    SELECT (
      SELECT count(*) FROM push_task k JOIN push_task_activity a ON a.push_task_kid = k.kid
      WHERE k.account_kid = ${account_kid} AND k.type = ${type} AND a.event IN ('created', 'retried')
        AND a.at > ${since} AND a.at < ${until}
    )::integer + (
      SELECT COALESCE(sum(k.meant - k.total), 0) FROM push_task k
      WHERE k.account_kid = ${account_kid} AND k.type = ${type} AND k.phase IN ('awaiting_approval', 'planned', 'creating')
    )::integer + (
      SELECT COALESCE(sum((k.retry->>'left')::integer), 0) FROM push_task k
      WHERE k.account_kid = ${account_kid} AND k.type = ${type} AND k.retry_at IS NOT NULL
    )::integer AS devices
  `.execute(trx)
  return Math.max(0, max - rows[0]!.devices)
}

/**
 * Whether a second person has to approve what is done to so many devices: the account says from how many on, counted over what
 * the same person pushed, or took out of people's hands otherwise (`Ctx.asksApproval`), within an hour without an approval, so
 * that a large one cannot be made of small ones. For whoever has just loosened that, the former number counts. A push that
 * takes in devices later (`Infinity`) may become as large as it likes.
 */
export async function asksApproval(trx: Db, actor: Of & Pick<Actor, 'user'>, devices: number): Promise<boolean> {
  const seen = await settingOf({ scope: trx, account_kid: actor.account_kid })
  if (approvalFrom(seen, actor) === null) return false
  const from = approvalFrom(await lockAccount(trx, actor.account_kid), actor)
  if (from === null) return false
  const before = await lately(trx, actor)
    .where('created_by_kid', '=', actor.user.kid)
    .where('decided_by', 'is', null)
    .where('phase', '<>', 'awaiting_approval')
    .executeTakeFirstOrThrow()
  const { since, until } = hourOf(actor)
  const alone = await trx
    .selectFrom('destruction')
    .select((eb) => eb.cast<number>(eb.fn.coalesce(eb.fn.sum('alone'), eb.lit(0)), 'integer').as('devices'))
    .where('account_kid', '=', actor.account_kid)
    .where('user_kid', '=', actor.user.kid)
    .where('at', '>', since)
    .where('at', '<', until)
    .executeTakeFirstOrThrow()
  return before.devices + alone.devices + devices >= from
}
