import { actorOf } from '../actor.ts'
import type { Actor } from '../actor.ts'
import type { Deps } from '../deps.ts'
import { newKid } from '../lib/ids.ts'

/** A user who acts for this account, limited to groups where any are given. */
export const testActor = (deps: Deps, account_kid: string, group_kids?: readonly string[]): Actor =>
  actorOf(deps, { account_kid, group_kids, user_kid: newKid(), name: 'Ann', token_kid: null })
