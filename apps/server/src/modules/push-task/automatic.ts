import { contract, pushKindOf } from '@mdm/contract'
import type { PushConditions, PushTaskRow, PushWork } from '@mdm/contract'
import { actorOf } from '../../actor.ts'
import type { Reach } from '../../actor.ts'
import type { Deps } from '../../deps.ts'
import { Refusal } from '../../refusal.ts'
import { reachToday } from './creator.ts'
import { insert } from './insert.ts'

/** Who once ordered what now happens by itself. */
export type OrderedBy = {
  account_kid: string
  user_kid: string
  name: string
  /** Groups that this person was limited to. */
  reach: readonly string[] | null
}

/**
 * The groups that this person is limited to today.
 * @throws `no_permission` when whoever ordered it could not do it any more: disabling a stolen login, or taking a role
 * away, ends what was ordered with it.
 */
export async function assertMayStill(deps: Deps, by: OrderedBy, permission: string): Promise<Reach> {
  const reach = await reachToday(deps.db, by, permission, deps.clock.now())
  if (reach === 'none') throw new Refusal('no_permission')
  return reach
}

/** A push that nobody makes by hand: a fence was left, a rule found devices. Throws what a push refuses. */
export async function pushFor(
  deps: Deps,
  by: OrderedBy,
  work: PushWork,
  terminal_kids: readonly string[],
  description: string,
  conditions: Partial<PushConditions> = {},
): Promise<PushTaskRow> {
  const reach = await assertMayStill(deps, by, pushKindOf(work.type).needs)
  const actor = actorOf(deps, { ...by, group_kids: reach })
  const input = contract.pushTask.calls.insert.input.parse({ ...work, terminal_kids, description, conditions })
  return insert({ ...actor, destroys: (devices) => Promise.resolve(devices) }, input)
}
