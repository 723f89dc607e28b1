import { contract } from '@mdm/contract'
import { testApi } from './calls.ts'
import type { As } from './calls.ts'
import { forgetSessions } from '../http/session-cache.ts'
import { sharedHash } from '../lib/shared-hash.ts'
import { createRole, createUser } from '../modules/people/account/index.ts'
import { createSession } from '../modules/people/login/index.ts'

export type Staff = Awaited<ReturnType<typeof staff>>
export type Member = { kid: string; token: string; username: string }

/** The office with an administrator in every account, and managers below who hold a part of what there is. */
export async function staff() {
  const o = await testApi()
  const { db } = o.deps
  const role = async (account_kid: string, code: string, weight: number, permissions: string[], parent_kid?: string) =>
    (
      await createRole(db, {
        account_kid,
        code,
        name: `Role ${code}`,
        weight,
        permissions,
        ...(parent_kid ? { parent_kid } : {}),
      })
    ).kid
  /** Somebody who is signed in and has just confirmed it with the password. */
  const signIn = async (kid: string): Promise<string> => {
    const token = await createSession(o.deps, kid, { address: '192.0.2.1', user_agent: 'test' })
    await db.updateTable('session').set({ confirmed_at: o.deps.clock.now() }).where('user_kid', '=', kid).execute()
    forgetSessions(o.deps)
    return token
  }
  const member = async (
    type: 1 | 2 | 3 | 101,
    account_kid: string,
    username: string,
    role_kids: string[],
  ): Promise<Member> => {
    const draft = {
      type,
      account_kid,
      username,
      name: `Name of ${username}`,
      password_hash: await sharedHash('Secret-2026!', o.deps.password_cost),
      role_kids,
    }
    const { kid } = await createUser(db, draft)
    return { kid, username, token: await signIn(kid) }
  }
  const accounts = { provider: o.provider, acme: o.acme, acme_sub: o.acme_sub, globex: o.globex }
  const admin = {
    provider: await role(accounts.provider.kid, 'admin', 1000, ['*']),
    acme: await role(accounts.acme.kid, 'admin', 1000, ['deviceList*', 'userRole*', 'userAccount*', 'homeIndex']),
    acme_sub: await role(accounts.acme_sub.kid, 'admin', 1000, ['deviceList*', 'userRole*', 'userAccount*']),
    globex: await role(accounts.globex.kid, 'admin', 1000, ['*']),
  }
  const managing = ['deviceList', 'deviceList:edit', 'userRoleManageList*', 'userAccountManage*']
  const manager_role = await role(accounts.acme.kid, 'manager', 500, managing, admin.acme)
  return {
    ...o,
    role,
    member,
    signIn,
    admin,
    manager_role,
    boss: await member(101, accounts.provider.kid, 'boss', [admin.provider]),
    owner: await member(1, accounts.acme.kid, 'owner', [admin.acme]),
    manager: await member(3, accounts.acme.kid, 'manager', [manager_role]),
    stranger: await member(1, accounts.globex.kid, 'stranger', [admin.globex]),
    isSignedIn: async (as: As) => (await o.call(contract.account.calls.info, {}, as)).status === 200,
  }
}
