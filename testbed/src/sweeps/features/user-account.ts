import { contract } from '@mdm/contract'
import type { Call } from '@mdm/contract'
import { clientHash } from '@mdm/server/lib/passwords.ts'
import type { Caller, Reply } from '../../caller.ts'
import { demoPassword } from '../../seed.ts'
import type { Feature } from '../feature.ts'
import { by, refusalsOf, unknownKid } from '../refusals.ts'
import type { Refusal, Refusals } from '../refusals.ts'
import { sides } from '../shared/sides.ts'
import type { Side } from '../shared/sides.ts'
import { anyPassword } from '../stage.ts'
import type { Stage } from '../stage.ts'

declare module '../feature.ts' {
  interface Things {
    other_user_kid: string
  }
}

/** Users, of customers and of the provider. */
export const userAccount: Feature = {
  async make({ call, device }, { role_kid }) {
    const draft = {
      name: `Sweep ${device.sn}`,
      password: anyPassword,
      username: `p.${device.sn}`,
      role_kids: [role_kid],
    }
    return { other_user_kid: (await call.userAccount.insert(draft)).kid }
  },
  inputs: (t) => ({
    'user_account/paging': { role_kid: t.role_kid },
    'user_account/get': { kid: t.other_user_kid },
    'user_account/exists': { username: 'nobody', src_kid: t.other_user_kid },
    'user_account/list_role': {},
    'user_account/inventory': {},
    'user_account/insert': {
      name: 'New',
      username: 'sweep.person',
      password: anyPassword,
      role_kids: [t.role_kid],
      group_kids: [t.group_kid],
    },
    'user_account/invite': { kid: t.other_user_kid },
    'user_account/update': { kid: t.other_user_kid, name: 'Swept', role_kids: [t.role_kid], group_kids: [t.group_kid] },
    'user_account/set_status': { kid: t.other_user_kid, status: 'normal' },
    'user_account/reset_totp': { kid: t.other_user_kid },
    'user_account/delete': { kid: t.other_user_kid },
    'ops/inside_user/paging': {},
    'ops/inside_user/get': { kid: t.log_kid },
    'ops/inside_user/exists': { username: 'nobody' },
    'ops/inside_user/list_role': {},
    'ops/inside_user/insert': { name: 'New', username: 'sweep.inside', password: anyPassword, role_kids: [t.log_kid] },
    'ops/inside_user/invite': { kid: t.log_kid },
    'ops/inside_user/update': { kid: t.log_kid, name: 'Swept', role_kids: [t.log_kid] },
    'ops/inside_user/set_status': { kid: t.log_kid, status: 'normal' },
    'ops/inside_user/reset_totp': { kid: t.log_kid },
    'ops/inside_user/delete': { kid: t.log_kid },
  }),
  async refusals(s) {
    const { customer, provider } = await sides(s)
    return {
      ...userRefusals(s, customer),
      ...userRefusals(s, provider),
      ...limitsOfCustomers(s, customer),
      ...lastAdministrator(s, provider),
    }
  },
  tables: ['user_account'],
  open_to: {
    'user_account/delete': ['operator inside', 'customer', 'sub-account', 'manager', 'manager of one group'],
  },
  destructive: [contract.userAccount.calls.set_status, contract.opsInsideUser.calls.set_status],
}

const password = clientHash(demoPassword)

function userRefusals(s: Stage, { users, account_kid, admin_kid, boss, manager }: Side): Refusals {
  const { insert, invite, update, set_status, reset_totp, delete: remove } = contract[users].calls
  const role = (weight: number, permissions: string[] = []) => s.role(account_kid, weight, permissions, admin_kid)
  const draft = async () => ({ username: s.username(), name: 'Sweep', password, role_kids: [await role(5)] })
  const made = async (contact: { email?: string; phone?: string; role_kids?: string[] } = {}) => {
    const user = { ...(await draft()), ...contact }
    return { ...user, ...(await boss[users].insert(user)) }
  }
  const edited = async (change: object) => {
    const { kid, name, role_kids } = await made()
    return { kid, name, role_kids, ...change }
  }
  const heavy = async () => ({ kid: (await made({ role_kids: [await role(600)] })).kid })
  const own = { kid: manager.kid }
  const email = async () => ({ email: (await made({ email: s.email() })).email })
  const phone = async () => ({ phone: (await made({ phone: s.phone() })).phone })
  const roles = {
    unknown: { role_kids: [unknownKid] },
    heavy: async () => ({ role_kids: [await role(600)] }),
    strong: async () => ({ role_kids: [await role(5, ['deviceList'])] }),
  }
  return {
    ...refusalsOf(insert, boss, {
      duplicate_login_name: async () => ({ ...(await draft()), username: (await made()).username.toUpperCase() }),
      duplicate_email: async () => ({ ...(await draft()), ...(await email()) }),
      duplicate_phone: async () => ({ ...(await draft()), ...(await phone()) }),
      role_unknown: async () => ({ ...(await draft()), ...roles.unknown }),
      role_weight: async () => by(manager.call, { ...(await draft()), ...(await roles.heavy()) }),
      role_beyond_own: async () => by(manager.call, { ...(await draft()), ...(await roles.strong()) }),
    }),
    ...refusalsOf(update, boss, {
      duplicate_email: async () => edited(await email()),
      duplicate_phone: async () => edited(await phone()),
      role_unknown: () => edited(roles.unknown),
      role_weight: async () => by(manager.call, await edited(await roles.heavy())),
      role_beyond_own: async () => by(manager.call, await edited(await roles.strong())),
      own_account: async () => by(manager.call, await edited(own)),
    }),
    ...refusalsOf(set_status, manager.call, {
      own_account: () => ({ ...own, status: 'invalid' }),
      role_weight: async () => ({ ...(await heavy()), status: 'invalid' }),
    }),
    ...refusalsOf(invite, manager.call, {
      own_account: () => own,
      role_weight: heavy,
      role_beyond_own: async () => ({ kid: (await made(await roles.strong())).kid }),
      has_password: async () => ({ kid: (await made()).kid }),
    }),
    ...refusalsOf(reset_totp, manager.call, {
      own_account: () => own,
      role_weight: heavy,
      role_beyond_own: async () => ({ kid: (await made(await roles.strong())).kid }),
    }),
    ...refusalsOf(remove, manager.call, { own_account: () => own, role_weight: heavy }),
  }
}

/** Users of customers are limited to device groups, and in number. */
function limitsOfCustomers(s: Stage, { account_kid, admin_kid, boss }: Side): Refusals {
  const { insert, update } = contract.userAccount.calls
  const draft = async () => ({
    username: s.username(),
    name: 'Sweep',
    password,
    role_kids: [await s.role(account_kid, 5, [], admin_kid)],
  })
  return {
    ...refusalsOf(insert, boss, {
      group_unknown: async () => ({ ...(await draft()), group_kids: [unknownKid] }),
      registered_users_exceed_limit: async () => {
        const full = s.w.seed.customers[2]!.account_kid
        await s.deps.db.updateTable('account').set({ user_max: 1 }).where('kid', '=', full).execute()
        return by(s.w.customers[2]!, await draft())
      },
    }),
    ...refusalsOf(update, boss, {
      group_unknown: async () => {
        const user = await draft()
        return { ...user, password: null, ...(await boss.userAccount.insert(user)), group_kids: [unknownKid] }
      },
    }),
  }
}

function lastAdministrator(s: Stage, { account_kid, admin_kid }: Side): Refusals {
  const { update, set_status, delete: remove } = contract.opsInsideUser.calls
  const { db } = s.deps
  const setOthers = (kid: string, status: 'normal' | 'invalid') =>
    db
      .updateTable('user_account')
      .set({ status })
      .where('kid', 'in', (eb) => eb.selectFrom('user_role').select('user_kid').where('role_kid', '=', admin_kid))
      .where('kid', '!=', kid)
      .execute()
  /** Whoever was disabled this very second still counts as signed in, but no longer as an administrator. */
  const asLast =
    (act: (who: Caller, last_kid: string) => Promise<Reply<Call>>): Refusal =>
    async () => {
      const [who, last] = [await s.user(account_kid, 101, [admin_kid]), await s.user(account_kid, 101, [admin_kid])]
      return s.atOneMoment(async () => {
        await who.call.login.session({})
        await setOthers(last.kid, 'invalid')
        try {
          return await act(who.call, last.kid)
        } finally {
          await setOthers(last.kid, 'normal')
        }
      })
    }
  return {
    [`${update.path} last_administrator`]: asLast(async (who, kid) =>
      who.try_(update, { kid, name: 'Last', role_kids: [await s.role(account_kid, 5, [], admin_kid)] }),
    ),
    [`${set_status.path} last_administrator`]: asLast((who, kid) => who.try_(set_status, { kid, status: 'invalid' })),
    [`${remove.path} last_administrator`]: asLast((who, kid) => who.try_(remove, { kid })),
  }
}
