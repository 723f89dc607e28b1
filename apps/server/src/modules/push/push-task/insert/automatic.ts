import { contract, pushKindOf } from '@mdm/contract'
import type { PushConditions, PushWork } from '@mdm/contract'
import { sql } from 'kysely'
import { actorOf } from '../../../../actor.ts'
import type { Actor, Issuer } from '../../../../actor.ts'
import type { Deps } from '../../../../deps.ts'
import { Refusal } from '../../../../refusal.ts'
import { isRevoked, visibleGroupsNow } from '../../../../http/visible-groups-now.ts'
import { insert } from './insert.ts'

/**
 * Who once ordered what now happens by itself, with the groups of today. The password was asked for when it was ordered.
 * @throws `no_permission` when whoever ordered it could not do it any more: disabling a stolen login, or taking a role
 * away, ends what was ordered with it. `order_token_gone` when the API token alone could not.
 */
export async function actingFor(deps: Deps, by: Issuer, permission: string): Promise<Actor> {
  const visible_groups = await visibleGroupsNow(deps.db, by, permission, deps.clock.now())
  if (isRevoked(visible_groups))
    throw new Refusal(visible_groups === 'token_gone' ? 'order_token_gone' : 'no_permission')
  return actorOf(deps, { ...by, group_kids: visible_groups })
}

/** Those of some devices that are there, and within reach. */
export async function stillThere({ scope }: Actor, terminal_kids: readonly string[]): Promise<string[]> {
  const rows = await scope
    .selectFrom('terminal')
    .select('terminal.kid')
    .where('terminal.kid', '=', sql<string>`any(${[...terminal_kids]}::uuid[])`)
    .execute()
  return rows.map(({ kid }) => kid)
}

type PushMade = {
  /** Undefined where none of the devices was left. */
  push_task_kid: string | undefined
  /** Those that are not there, or not within reach. */
  missing: string[]
}

/** A push that nobody makes by hand: a fence was left, a rule found devices. Throws what a push refuses. */
export async function pushFor(
  deps: Deps,
  by: Issuer,
  work: PushWork,
  wanted: readonly string[],
  description: string,
  conditions: Partial<PushConditions> = {},
): Promise<PushMade> {
  const actor = await actingFor(deps, by, pushKindOf(work.type).needs)
  const terminal_kids = await stillThere(actor, wanted)
  const missing = wanted.filter((kid) => !terminal_kids.includes(kid))
  if (terminal_kids.length === 0) return { push_task_kid: undefined, missing }
  const input = contract.pushTask.calls.insert.input.parse({ ...work, terminal_kids, description, conditions })
  return { push_task_kid: (await insert(actor, input)).kid, missing }
}
