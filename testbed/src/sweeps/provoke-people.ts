import { contract } from '@mdm/contract'
import type { Call } from '@mdm/contract'
import { clientHash } from '@mdm/server/lib/passwords.ts'
import type { Caller, Reply } from '../caller.ts'
import { demoPassword } from '../seed.ts'
import { by, nowhere, ways } from './provoke.ts'
import type { Provocations, Provoke, Stage } from './provoke.ts'

/** Whose roles and people: a customer's, or the provider's own. */
type Side = {
  roles: 'role' | 'opsRole'
  people: 'userAccount' | 'opsInsideUser'
  account_kid: string
  type: 3 | 101
  /** The root of the roles, and somebody who holds it. */
  admin_kid: string
  boss: Caller
  /** Holds a role of weight 500 and may look after roles and people, and nothing else. */
  manager: { kid: string; role_kid: string; call: Caller }
}

/** Roles and people, of customers and of the provider. */
export async function peopleProvocations(s: Stage): Promise<Provocations> {
  const provider = await side(s, {
    roles: 'opsRole',
    people: 'opsInsideUser',
    account_kid: s.provider_kid,
    type: 101,
    may: ['insideRoleManage*', 'insideUserManage*', 'mdmManageInsideUserManage*'],
  })
  const customer = await side(s, {
    roles: 'role',
    people: 'userAccount',
    account_kid: s.customer_kid,
    type: 3,
    may: ['userRoleManage*', 'userAccountManage*'],
  })
  return {
    ...roleProvocations(s, customer),
    ...roleProvocations(s, provider),
    ...personProvocations(s, customer),
    ...personProvocations(s, provider),
    ...limitsOfCustomers(s, customer),
    ...lastAdministrator(s, provider),
  }
}

async function side(
  s: Stage,
  { may, ...rest }: Pick<Side, 'roles' | 'people' | 'account_kid' | 'type'> & { may: string[] },
) {
  const { account_kid, type } = rest
  const { kid: admin_kid } = await s.deps.db
    .selectFrom('role')
    .select('kid')
    .where('account_kid', '=', account_kid)
    .where('code', '=', 'admin')
    .executeTakeFirstOrThrow()
  const role_kid = await s.role(account_kid, 500, may, admin_kid)
  const boss = (await s.person(account_kid, type, [admin_kid])).call
  return { ...rest, admin_kid, boss, manager: { ...(await s.person(account_kid, type, [role_kid])), role_kid } }
}

function roleProvocations(s: Stage, { roles, account_kid, type, admin_kid, boss, manager }: Side): Provocations {
  const { insert, update, save_permissions, delete: remove } = contract[roles].calls
  const draft = () => ({ code: s.roleCode(), name: s.unique('Role'), weight: 10, parent_kid: admin_kid })
  const made = async (weight = 10, parent_kid = admin_kid) => {
    const entry = { ...draft(), weight, parent_kid }
    return { ...entry, ...(await boss[roles].insert(entry)) }
  }
  const heavy = async () => ({ kid: (await made(600)).kid })
  const own = { kid: manager.role_kid }
  return {
    ...ways(insert, boss, {
      duplicate_role: async () => ({ ...draft(), code: (await made()).code }),
      duplicate_name: async () => ({ ...draft(), name: (await made()).name.toUpperCase() }),
      role_unknown: () => ({ ...draft(), parent_kid: nowhere }),
      role_weight: async () => ({ ...draft(), weight: 100, parent_kid: (await made(100)).kid }),
      role_beyond_own: () => by(manager.call, { ...draft(), permissions: ['deviceList'] }),
    }),
    ...ways(update, boss, {
      duplicate_role: async () => ({ ...(await made()), code: (await made()).code }),
      duplicate_name: async () => ({ ...(await made()), name: (await made()).name }),
      role_unknown: async () => ({ ...(await made()), parent_kid: nowhere }),
      role_weight: async () => by(manager.call, { ...(await made()), weight: 500 }),
      role_into_itself: async () => {
        const role = await made(20)
        return { ...role, parent_kid: (await made(10, role.kid)).kid }
      },
      own_account: () => by(manager.call, { ...draft(), ...own }),
    }),
    ...ways(save_permissions, manager.call, {
      role_weight: async () => ({ ...(await heavy()), permissions: [] }),
      role_beyond_own: async () => ({ kid: (await made()).kid, permissions: ['deviceList'] }),
      own_account: () => ({ ...own, permissions: [] }),
    }),
    ...ways(remove, manager.call, {
      role_weight: heavy,
      role_in_use: async () => {
        const { kid } = await made()
        await s.person(account_kid, type, [kid])
        return { kid }
      },
      role_has_children: async () => {
        const { kid } = await made(20)
        await made(10, kid)
        return { kid }
      },
      own_account: () => own,
    }),
  }
}

const password = clientHash(demoPassword)

function personProvocations(s: Stage, { people, account_kid, admin_kid, boss, manager }: Side): Provocations {
  const { insert, update, set_status, reset_totp, delete: remove } = contract[people].calls
  const role = (weight: number, permissions: string[] = []) => s.role(account_kid, weight, permissions, admin_kid)
  const draft = async () => ({ username: s.username(), name: 'Sweep', password, role_kids: [await role(5)] })
  const made = async (contact: { email?: string; phone?: string; role_kids?: string[] } = {}) => {
    const person = { ...(await draft()), ...contact }
    return { ...person, ...(await boss[people].insert(person)) }
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
    unknown: { role_kids: [nowhere] },
    heavy: async () => ({ role_kids: [await role(600)] }),
    strong: async () => ({ role_kids: [await role(5, ['deviceList'])] }),
  }
  return {
    ...ways(insert, boss, {
      duplicate_login_name: async () => ({ ...(await draft()), username: (await made()).username.toUpperCase() }),
      duplicate_email: async () => ({ ...(await draft()), ...(await email()) }),
      duplicate_phone: async () => ({ ...(await draft()), ...(await phone()) }),
      role_unknown: async () => ({ ...(await draft()), ...roles.unknown }),
      role_weight: async () => by(manager.call, { ...(await draft()), ...(await roles.heavy()) }),
      role_beyond_own: async () => by(manager.call, { ...(await draft()), ...(await roles.strong()) }),
    }),
    ...ways(update, boss, {
      duplicate_email: async () => edited(await email()),
      duplicate_phone: async () => edited(await phone()),
      role_unknown: () => edited(roles.unknown),
      role_weight: async () => by(manager.call, await edited(await roles.heavy())),
      role_beyond_own: async () => by(manager.call, await edited(await roles.strong())),
      own_account: async () => by(manager.call, await edited(own)),
    }),
    ...ways(set_status, manager.call, {
      own_account: () => ({ ...own, status: 'invalid' }),
      role_weight: async () => ({ ...(await heavy()), status: 'invalid' }),
    }),
    ...ways(reset_totp, manager.call, {
      own_account: () => own,
      role_weight: heavy,
      role_beyond_own: async () => ({ kid: (await made(await roles.strong())).kid }),
    }),
    ...ways(remove, manager.call, { own_account: () => own, role_weight: heavy }),
  }
}

/** Persons of customers are limited to device groups, and in number. */
function limitsOfCustomers(s: Stage, { account_kid, admin_kid, boss }: Side): Provocations {
  const { insert, update } = contract.userAccount.calls
  const draft = async () => ({
    username: s.username(),
    name: 'Sweep',
    password,
    role_kids: [await s.role(account_kid, 5, [], admin_kid)],
  })
  return {
    ...ways(insert, boss, {
      group_unknown: async () => ({ ...(await draft()), group_kids: [nowhere] }),
      registered_users_exceed_limit: async () => {
        const full = s.w.seed.customers[2]!.account_kid
        await s.deps.db.updateTable('account').set({ user_max: 1 }).where('kid', '=', full).execute()
        return by(s.w.customers[2]!, await draft())
      },
    }),
    ...ways(update, boss, {
      group_unknown: async () => {
        const person = await draft()
        return { ...person, password: null, ...(await boss.userAccount.insert(person)), group_kids: [nowhere] }
      },
    }),
  }
}

function lastAdministrator(s: Stage, { account_kid, admin_kid }: Side): Provocations {
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
    (act: (who: Caller, last_kid: string) => Promise<Reply<Call>>): Provoke =>
    async () => {
      const [who, last] = [await s.person(account_kid, 101, [admin_kid]), await s.person(account_kid, 101, [admin_kid])]
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
