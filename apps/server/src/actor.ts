import type { Kysely } from 'kysely'
import type { Tables } from './db/schema/tables.ts'
import type { Deps } from './deps.ts'
import { refuse } from './refusal.ts'

/** Kids of the groups a user is limited to, all below included; undefined is no limit. */
export type VisibleGroups = readonly string[] | undefined

/** What `modules/people/brakes` asks of the call that an actor makes, and leaves with it. */
export type Braking = {
  /** Whether the call said to how many devices it does what it does. */
  is_asked: boolean
  /** @throws `password_required` unless it was typed within the last minutes. */
  assertConfirmed(trx: Kysely<Tables>): Promise<void>
  /** What is taken back when the call is refused after all. */
  undo: (() => Promise<void>)[]
}

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
  visible_groups: VisibleGroups
  user: { kid: string; name: string }
  /** The API token that speaks for the user; null of a session. */
  token_kid: string | null
  /** Absent of what goes on by itself: the password was asked for when it was ordered. */
  braking?: Braking
}

/** The user who issued an order, and the API token that it was issued with; null of a session. */
export type Issuer = { account_kid: string; user_kid: string; name: string; token_kid: string | null }

/** Of a session, or of what was kept of one. */
export const actorOf = (
  deps: Deps,
  { account_kid, group_kids, user_kid, name, token_kid }: Issuer & { group_kids: VisibleGroups },
): Actor => ({
  deps,
  account_kid,
  scope: deps.scope(account_kid, group_kids),
  visible_groups: group_kids,
  user: { kid: user_kid, name },
  token_kid,
})

/** The columns that keep the issuer of an order in its row; `http/visible-groups-now.ts` asks for that user's rights when it runs. */
export const creationAudit = ({ user, token_kid }: Pick<Actor, 'user' | 'token_kid'>) => ({
  created_by_kid: user.kid,
  created_by: user.name,
  created_by_token_kid: token_kid,
})
type Issued = { account_kid: string } & ReturnType<typeof creationAudit>
export const issuerOf = (row: Issued): Issuer => ({
  account_kid: row.account_kid,
  user_kid: row.created_by_kid,
  name: row.created_by,
  token_kid: row.created_by_token_kid,
})
/** The columns that keep the user who changed a row last, and who answers for what it does. */
export const updateAudit = ({ user, token_kid }: Pick<Actor, 'user' | 'token_kid'>) => ({
  updated_by_kid: user.kid,
  updated_by: user.name,
  updated_by_token_kid: token_kid,
})

/** The same user, for the whole of an account: without the limits of the user's groups. */
export const wholeAccount = ({ deps, user, token_kid }: Actor, account_kid: string): Actor =>
  actorOf(deps, { account_kid, group_kids: undefined, user_kid: user.kid, name: user.name, token_kid })

/** Of what is the whole account's: who is limited to groups has no part in it. @throws `no_permission` */
export function assertWhole({ visible_groups }: Pick<Actor, 'visible_groups'>): void {
  if (visible_groups) refuse('no_permission')
}
