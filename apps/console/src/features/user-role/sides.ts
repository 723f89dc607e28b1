import { pages } from '@mdm/contract'
import type { Permission, Role, Session } from '@mdm/contract'
import { api, useCall } from '../../core/api.ts'

/** Roles of the account acted for, and those of the provider's own people: one screen, two sets of calls. */
export const roleSides = {
  account: {
    id: 'user-role-manage-list',
    calls: api.role,
    page: pages.userRoleManageList,
    needs: { see: 'userRoleManageList', edit: 'userRoleManageList:edit', delete: 'userRoleManageList:delete' },
    people: 'user_account',
  },
  inside: {
    id: 'inside-role-manage-list',
    calls: api.opsRole,
    page: pages.insideRoleManageList,
    needs: { see: 'insideRoleManageList', edit: 'insideRoleManageList:edit', delete: 'insideRoleManageList:delete' },
    people: 'ops/inside_user',
  },
} as const satisfies Record<
  string,
  { needs: Record<string, Permission>; calls: typeof api.role; [key: string]: unknown }
>
export type RoleSide = keyof typeof roleSides

export const useRoles = (side: RoleSide) => useCall(roleSides[side].calls.list, {})
/** For those who look after people and may not see the roles themselves. */
export const useRoleChoices = (side: RoleSide) => useCall(choices[side], {})
const choices = { account: api.userAccount.list_role, inside: api.opsInsideUser.list_role }

type Who = Pick<Session, 'account_kid' | 'own_account_kid' | 'roles'>
/** The weight of the heaviest own role; above every weight of an account that is not the own one. */
export function ownWeight(side: RoleSide, roles: readonly Pick<Role, 'kid' | 'weight'>[], who: Who): number {
  if (side === 'account' && who.account_kid !== who.own_account_kid) return Infinity
  const mine = new Set(who.roles.map(({ kid }) => kid))
  return Math.max(0, ...roles.flatMap((role) => (mine.has(role.kid) ? [role.weight] : [])))
}

/** Weights that fit between the role above and those below. */
export function weightsBetween(roles: readonly Role[], parent_kid: string, kid: string | null, own_weight: number) {
  const parent = roles.find((role) => role.kid === parent_kid)
  const below = roles.flatMap((role) => (kid !== null && role.parent_kid === kid ? [role.weight] : []))
  return { min: Math.max(0, ...below) + 1, max: Math.min(999, own_weight - 1, (parent?.weight ?? 1000) - 1) }
}
