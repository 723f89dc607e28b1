import { holds } from '@mdm/contract'
import type { ErrorDetails, ErrorName } from '@mdm/contract'
import type { Kysely, Selectable } from 'kysely'
import { actorOf } from '../../../actor.ts'
import type { Actor } from '../../../actor.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import type { Deps } from '../../../deps.ts'
import { refuse } from '../../../refusal.ts'
import type { Ctx } from '../../../http/context.ts'

export type RoleRow = Pick<Selectable<Tables['role']>, 'kid' | 'parent_kid' | 'code' | 'weight' | 'permissions'>

/** Somebody who grants among the roles and people of one account, within the device groups that limit them there. */
export type Granter = Actor & {
  /** Else the caller acts for the account from above it: a root for its sub-account, the provider for a customer. */
  is_own_account: boolean
  is_provider: boolean
  /** Names and patterns: of the session and, in a sub-account, of the administrator of the account above it. */
  limits: readonly (readonly string[])[]
}
/** What that comes to with the roles that the caller has right now. */
export type Authority = Granter & {
  /** The caller's own, which the caller may not change; none when it is another account's. */
  role_kids: readonly string[]
  /** Of the heaviest own role; whoever acts from above stands above all roles of the account. */
  weight: number
  /** The provider's administrators are each other's equals: otherwise there could never be a second one. */
  is_provider_admin: boolean
  held: readonly (readonly string[])[]
}

/** A refusal to come, or nothing in the way: lists ask for it, writes refuse with it. */
export type Why = { name: ErrorName; details?: ErrorDetails } | undefined
export const refuseFor = (why: Why): void => void (why && refuse(why.name, why.details))

export const isAdmin = (role: Pick<RoleRow, 'parent_kid' | 'code'>): boolean =>
  role.parent_kid === null && role.code === 'admin'

/** The root of an account's role tree. */
export const adminRoleOf = (scope: Kysely<Tables>) =>
  scope.selectFrom('role').selectAll().where('code', '=', 'admin').where('parent_kid', 'is', null).executeTakeFirst()

/** The caller, for an account that need not be the one acted for. */
export async function granterOf({ deps, session, user, token_kid }: Ctx, account_kid: string): Promise<Granter> {
  const is_own_account = account_kid === session.own_account_kid
  // Nobody may grant in a sub-account what the account above it does not have, not even the provider.
  const above = is_own_account ? undefined : await adminAbove(deps, account_kid)
  const group_kids = is_own_account ? session.group_kids : undefined
  return {
    ...actorOf(deps, { account_kid, group_kids, user_kid: user.kid, name: user.name, token_kid }),
    is_own_account,
    is_provider: session.account_type === 101,
    limits: above ? [session.permissions, above.permissions] : [session.permissions],
  }
}

/** For a write in its transaction: a session may be a second old, and roles may have been taken away since. */
export async function authorityOf(scope: Kysely<Tables>, granter: Granter): Promise<Authority> {
  if (!granter.is_own_account)
    return { ...granter, role_kids: [], weight: Infinity, is_provider_admin: false, held: granter.limits }
  const roles = await scope
    .selectFrom('role')
    .innerJoin('user_role', 'user_role.role_kid', 'role.kid')
    .select(['role.kid', 'role.weight', 'role.code', 'role.parent_kid', 'role.permissions'])
    .where('user_role.user_kid', '=', granter.user.kid)
    .execute()
  return {
    ...granter,
    role_kids: roles.map((role) => role.kid),
    weight: Math.max(0, ...roles.map((role) => role.weight)),
    is_provider_admin: granter.is_provider && roles.some(isAdmin),
    held: [...granter.limits, roles.flatMap((role) => role.permissions)],
  }
}

async function adminAbove(deps: Deps, account_kid: string) {
  const account = await deps
    .scope(account_kid)
    .selectFrom('account')
    .select('parent_kid')
    .where('kid', '=', account_kid)
    .executeTakeFirst()
  return account?.parent_kid ? adminRoleOf(deps.scope(account.parent_kid)) : undefined
}

/** What keeps the caller from changing or deleting a role. The root is changed with its account only. */
export function whyNotChange(who: Authority, role: RoleRow): Why {
  if (who.role_kids.includes(role.kid)) return { name: 'own_account' }
  return isAdmin(role) || role.weight >= who.weight ? { name: 'role_weight' } : undefined
}

/** What keeps the caller from giving a role to somebody, or from looking after somebody who has it. */
export function whyNotAssign(who: Authority, role: RoleRow): Why {
  return whyNotAbove(who, role) ?? whyNotGrant(who, role.permissions)
}

export const whyNotAbove = (who: Authority, role: Pick<RoleRow, 'weight' | 'parent_kid' | 'code'>): Why =>
  role.weight < who.weight || (who.is_provider_admin && isAdmin(role)) ? undefined : { name: 'role_weight' }

export const mayGrant = (who: Authority, permission: string): boolean =>
  who.held.every((held) => holds(held, permission))

/** What keeps the caller from granting this to a role that already has `present`. */
export function whyNotGrant(who: Authority, wanted: readonly string[], present: readonly string[] = []): Why {
  const names = wanted.filter((name) => !mayGrant(who, name) && !holds(present, name))
  return names.length > 0 ? { name: 'role_beyond_own', details: { names: names.join(', ') } } : undefined
}
