import { contract } from '@mdm/contract'
import { clientHash } from '@mdm/server/lib/passwords.ts'
import type { Caller } from '../../caller.ts'
import { demoPassword } from '../../seed.ts'
import { by, refusalsOf } from '../refusals.ts'
import type { Refusals } from '../refusals.ts'
import type { Stage } from '../stage.ts'

const password = clientHash(demoPassword)
export const tooManyDevices = 1_000_000

export const accountDraft = (s: Stage) => ({
  name: s.unique('Account'),
  username: s.username(),
  password,
  terminal_max: 0,
})

/** A sub-account of the first customer that has a place and a device on it. */
export async function subAccountWithDevice(s: Stage): Promise<string> {
  const { kid, user_kid } = await s.root.subAccount.insert({ ...accountDraft(s), terminal_max: 1 })
  await s.absentDevice(await s.signIn(user_kid))
  return kid
}

/** What accounts of customers and sub-accounts refuse alike; `limited` may look after accounts, and holds nothing to grant. */
export function accountRefusals(s: Stage, group: 'opsAccount' | 'subAccount', who: Caller, limited: Caller): Refusals {
  const { insert, invite, update } = contract[group].calls
  const made = async (change: { email?: string; phone?: string; permissions?: string[] } = {}) => {
    const draft = { ...accountDraft(s), ...change }
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
    ...refusalsOf(insert, who, {
      duplicate_login_name: async () => ({ ...accountDraft(s), username: (await made()).username.toUpperCase() }),
      duplicate_email: async () => ({ ...accountDraft(s), ...(await email()) }),
      duplicate_phone: async () => ({ ...accountDraft(s), ...(await phone()) }),
      duplicate_name: async () => ({ ...accountDraft(s), ...(await name()) }),
      role_beyond_own: () => by(limited, { ...accountDraft(s), permissions: ['deviceList'] }),
    }),
    ...refusalsOf(invite, who, {
      has_password: async () => ({ kid: (await made()).kid }),
      role_beyond_own: async () => by(limited, { kid: (await made({ permissions: ['homeIndex'] })).kid }),
    }),
    ...refusalsOf(update, who, {
      duplicate_email: async () => edited(await email()),
      duplicate_phone: async () => edited(await phone()),
      duplicate_name: async () => edited(await name()),
      registered_devices_exceed_limit: async () => ({
        ...(await edited({})),
        kid: await subAccountWithDevice(s),
        terminal_max: tooManyDevices,
      }),
      terminal_max_below_count: async () => ({ ...(await edited({})), kid: await subAccountWithDevice(s) }),
      role_beyond_own: async () => {
        const { kid } = await made({ permissions: ['homeIndex'] })
        return by(limited, { ...(await edited({ kid })), name: s.unique('Account'), permissions: ['deviceList'] })
      },
    }),
  }
}
