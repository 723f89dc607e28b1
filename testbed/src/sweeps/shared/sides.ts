import type { Caller } from '../../caller.ts'
import type { Stage } from '../stage.ts'

/** Whose roles and users: a customer's, or the provider's own. */
export type Side = {
  roles: 'role' | 'opsRole'
  users: 'userAccount' | 'opsInsideUser'
  account_kid: string
  type: 3 | 101
  /** The root of the roles, and a user who holds it. */
  admin_kid: string
  boss: Caller
  /** Holds a role of weight 500 and may look after roles and users, and nothing else. */
  manager: { kid: string; role_kid: string; call: Caller }
}

/** Both sides, each with an administrator and a manager. */
export async function sides(s: Stage): Promise<{ customer: Side; provider: Side }> {
  return {
    customer: await side(s, {
      roles: 'role',
      users: 'userAccount',
      account_kid: s.customer_kid,
      type: 3,
      may: ['userRoleManage*', 'userAccountManage*'],
    }),
    provider: await side(s, {
      roles: 'opsRole',
      users: 'opsInsideUser',
      account_kid: s.provider_kid,
      type: 101,
      may: ['insideRoleManage*', 'insideUserManage*', 'mdmManageInsideUserManage*'],
    }),
  }
}

async function side(
  s: Stage,
  { may, ...rest }: Pick<Side, 'roles' | 'users' | 'account_kid' | 'type'> & { may: string[] },
) {
  const { account_kid, type } = rest
  const { kid: admin_kid } = await s.deps.db
    .selectFrom('role')
    .select('kid')
    .where('account_kid', '=', account_kid)
    .where('code', '=', 'admin')
    .executeTakeFirstOrThrow()
  const role_kid = await s.role(account_kid, 500, may, admin_kid)
  const boss = (await s.user(account_kid, type, [admin_kid])).call
  return { ...rest, admin_kid, boss, manager: { ...(await s.user(account_kid, type, [role_kid])), role_kid } }
}
