import type { Kysely } from 'kysely'
import type { Actor } from '../../../actor.ts'
import { lockAccount } from '../../../db/lock-account.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import { latelyOf } from './hour.ts'
import { approvalFrom, settingOf } from './setting.ts'

/**
 * Whether a second person has to approve what is done to so many devices: the account says from how many on, counted over what
 * the same person pushed, or took out of people's hands otherwise, within an hour without an approval, so that a large one
 * cannot be made of small ones. For whoever has just loosened that, the former number counts.
 */
export async function asksApproval(trx: Kysely<Tables>, actor: Actor, devices: number): Promise<boolean> {
  const { account_kid, user } = actor
  if (devices === 0) return false
  const seen = await settingOf({ scope: trx, account_kid })
  if (approvalFrom(seen, actor) === null) return false
  const from = approvalFrom(await lockAccount(trx, account_kid), actor)
  if (from === null) return false
  const { since, until } = latelyOf(actor.deps)
  const pushed = await trx
    .selectFrom('push_task')
    .select((eb) => eb.cast<number>(eb.fn.coalesce(eb.fn.sum('target_count'), eb.lit(0)), 'integer').as('devices'))
    .where('account_kid', '=', account_kid)
    .where('created_at', '>', since)
    .where('created_at', '<', until)
    // Those that were stopped before they began do not count.
    .where((eb) => eb.not(eb.and([eb('total', '=', 0), eb('phase', 'in', ['canceled', 'rejected'])])))
    .where('created_by_kid', '=', user.kid)
    .where('decided_by', 'is', null)
    .where('phase', '<>', 'awaiting_approval')
    .executeTakeFirstOrThrow()
  const otherwise = await trx
    .selectFrom('destruction')
    .select((eb) => eb.cast<number>(eb.fn.coalesce(eb.fn.sum('alone'), eb.lit(0)), 'integer').as('devices'))
    .where('account_kid', '=', account_kid)
    .where('user_kid', '=', user.kid)
    .where('at', '>', since)
    .where('at', '<', until)
    .executeTakeFirstOrThrow()
  return pushed.devices + otherwise.devices + devices >= from
}
