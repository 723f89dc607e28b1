import type { Kysely } from 'kysely'
import type { Tables } from './db/schema/tables.ts'
import type { Deps } from './deps.ts'
import { refuse } from './refusal.ts'

/** Kids of the groups a user is limited to, all below included; undefined is no limit. */
export type Reach = readonly string[] | undefined

/**
 * Who acts, for which account: the first parameter of every service. A call's `Ctx` is one; work that goes on after its
 * call makes one of what it kept (`actorOf`).
 */
export type Actor = {
  deps: Deps
  /** The account that is acted for, be it the user's own or an entered one. */
  account_kid: string
  /** Tables of that account, and of the user's groups, only. */
  scope: Kysely<Tables>
  reach: Reach
  user: { kid: string; name: string }
}

/** Of a session, or of what was kept of one. */
export const actorOf = (
  deps: Deps,
  {
    account_kid,
    group_kids,
    user_kid,
    name,
  }: { account_kid: string; group_kids: Reach; user_kid: string; name: string },
): Actor => ({
  deps,
  account_kid,
  scope: deps.scope(account_kid, group_kids),
  reach: group_kids,
  user: { kid: user_kid, name },
})

/** The same user, for the whole of an account: without the limits of the user's groups. */
export const wholeAccount = ({ deps, user }: Actor, account_kid: string): Actor =>
  actorOf(deps, { account_kid, group_kids: undefined, user_kid: user.kid, name: user.name })

/** Of what is the whole account's: who is limited to groups has no part in it. @throws `no_permission` */
export function assertWhole({ reach }: Pick<Actor, 'reach'>): void {
  if (reach) refuse('no_permission')
}
