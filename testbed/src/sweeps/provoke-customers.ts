import { contract } from '@mdm/contract'
import { clientHash } from '@mdm/server/lib/passwords.ts'
import type { Caller } from '../caller.ts'
import { demoPassword } from '../seed.ts'
import { by, nowhere, ways } from './provoke.ts'
import type { Provocations, Stage } from './provoke.ts'

const password = clientHash(demoPassword)
const tooMany = 1_000_000

/** Customers, as the provider keeps them, and sub-accounts, as customers do. */
export async function customerProvocations(s: Stage): Promise<Provocations> {
  const staff = await s.role(s.provider_kid, 5, ['externalUserManage*', 'mdmManageExternalUserManage*'])
  const clerk = await s.role(s.customer_kid, 5, ['subAccountManage*', 'userManageSubAccountManage*'])
  return {
    ...same(s, 'opsAccount', s.operator, (await s.person(s.provider_kid, 101, [staff])).call),
    ...same(s, 'subAccount', s.root, (await s.person(s.customer_kid, 3, [clerk])).call),
    ...onlyCustomers(s, (await s.person(s.provider_kid, 101, [staff])).call),
    ...onlySubAccounts(s),
  }
}

const draftOf = (s: Stage) => ({ name: s.unique('Account'), username: s.username(), password, terminal_max: 0 })

/** A sub-account of the first customer that has a place and a device on it. */
async function withDevice(s: Stage): Promise<string> {
  const { kid, user_kid } = await s.root.subAccount.insert({ ...draftOf(s), terminal_max: 1 })
  await s.absentDevice(await s.signIn(user_kid))
  return kid
}

/** What both refuse alike; `limited` may look after accounts, and holds nothing to grant. */
function same(s: Stage, group: 'opsAccount' | 'subAccount', who: Caller, limited: Caller): Provocations {
  const { insert, update } = contract[group].calls
  const made = async (change: { email?: string; phone?: string; permissions?: string[] } = {}) => {
    const draft = { ...draftOf(s), ...change }
    return { ...draft, kid: (await who[group].insert(draft)).kid }
  }
  const edited = async (change: object) => {
    const { kid, name, terminal_max } = await made()
    return { kid, name, terminal_max, ...change }
  }
  const email = async () => ({ email: (await made({ email: s.email() })).email })
  const phone = async () => ({ phone: (await made({ phone: s.phone() })).phone })
  const name = async () => ({ name: (await made()).name.toUpperCase() })
  return {
    ...ways(insert, who, {
      duplicate_login_name: async () => ({ ...draftOf(s), username: (await made()).username.toUpperCase() }),
      duplicate_email: async () => ({ ...draftOf(s), ...(await email()) }),
      duplicate_phone: async () => ({ ...draftOf(s), ...(await phone()) }),
      duplicate_name: async () => ({ ...draftOf(s), ...(await name()) }),
      role_beyond_own: () => by(limited, { ...draftOf(s), permissions: ['deviceList'] }),
    }),
    ...ways(update, who, {
      duplicate_email: async () => edited(await email()),
      duplicate_phone: async () => edited(await phone()),
      duplicate_name: async () => edited(await name()),
      registered_devices_exceed_limit: async () => ({
        ...(await edited({})),
        kid: await withDevice(s),
        terminal_max: tooMany,
      }),
      terminal_max_below_count: async () => ({ ...(await edited({})), kid: await withDevice(s) }),
      role_beyond_own: async () => {
        const { kid } = await made({ permissions: ['homeIndex'] })
        return by(limited, { ...(await edited({ kid })), name: s.unique('Account'), permissions: ['deviceList'] })
      },
    }),
  }
}

function onlyCustomers(s: Stage, limited: Caller): Provocations {
  const { insert, update, renew, reset_totp } = contract.opsAccount.calls
  return {
    ...ways(insert, s.operator, { fae_unknown: () => ({ ...draftOf(s), fae_kid: nowhere }) }),
    ...ways(update, s.operator, {
      fae_unknown: async () => {
        const draft = draftOf(s)
        const { kid } = await s.operator.opsAccount.insert(draft)
        return { ...draft, password: null, kid, fae_kid: nowhere }
      },
    }),
    ...ways(reset_totp, limited, { role_beyond_own: () => ({ kid: s.customer_kid }) }),
    ...ways(renew, s.operator, {
      terminal_max_below_count: () => ({ kid: s.customer_kid, expire_time: null, terminal_max: 0 }),
      registered_devices_exceed_limit: async () => ({
        kid: await withDevice(s),
        expire_time: null,
        terminal_max: tooMany,
      }),
    }),
  }
}

function onlySubAccounts(s: Stage): Provocations {
  const { insert, delete: remove } = contract.subAccount.calls
  return {
    ...ways(insert, s.root, {
      registered_devices_exceed_limit: () => ({ ...draftOf(s), terminal_max: tooMany }),
      sub_accounts_not_allowed: () => by(s.w.customers[2]!, draftOf(s)),
    }),
    ...ways(remove, s.root, { delete_failed: async () => ({ kid: await withDevice(s) }) }),
  }
}
