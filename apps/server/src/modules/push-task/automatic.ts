import { contract, holds, pushKindOf } from '@mdm/contract'
import type { PushTaskRow, PushWork } from '@mdm/contract'
import { sql } from 'kysely'
import { actorOf } from '../../actor.ts'
import type { Deps } from '../../deps.ts'
import { heldBy } from '../../http/session-row.ts'
import { Refusal } from '../../refusal.ts'
import { insert } from './insert.ts'
import { stillThere } from './work.ts'

/** Who once ordered what now happens by itself. */
export type OrderedBy = {
  account_kid: string
  user_kid: string
  name: string
  /** Groups that this person was limited to. */
  reach: readonly string[] | null
}

/**
 * @throws `no_permission` when whoever ordered it could not do it any more: disabling a stolen login, or taking a role
 * away, ends what was ordered with it.
 */
export async function assertMayStill(deps: Deps, by: OrderedBy, permission: string): Promise<void> {
  const { rows } = await sql<{ held: string[] }>`
    SELECT ${heldBy('u')} AS held FROM user_account u WHERE u.kid = ${by.user_kid}
  `.execute(deps.db)
  const who = { account_kid: by.account_kid, created_by_kid: by.user_kid }
  const is_there = await deps.db.transaction().execute((trx) => stillThere(trx, who, deps.clock.now()))
  if (!is_there || !holds(rows[0]?.held ?? [], permission)) throw new Refusal('no_permission')
}

/** A push that nobody makes by hand: a fence was left, a rule found devices. Throws what a push refuses. */
export async function pushFor(
  deps: Deps,
  by: OrderedBy,
  work: PushWork,
  terminal_kids: readonly string[],
  description: string,
): Promise<PushTaskRow> {
  await assertMayStill(deps, by, pushKindOf(work.type).needs)
  const actor = actorOf(deps, {
    account_kid: by.account_kid,
    group_kids: by.reach ?? undefined,
    user_kid: by.user_kid,
    name: by.name,
  })
  const input = contract.pushTask.calls.insert.input.parse({ ...work, terminal_kids, description })
  return insert({ ...actor, destroys: (devices) => Promise.resolve(devices) }, input)
}
