import { contract } from '@mdm/contract'
import type { Caller } from '../../caller.ts'
import type { Feature } from '../feature.ts'
import { refusalsOf, unknownKid } from '../refusals.ts'
import type { Refusals } from '../refusals.ts'
import { accountDraft, accountRefusals, subAccountWithDevice, tooManyDevices } from '../shared/accounts.ts'
import { anyPassword } from '../stage.ts'
import type { Stage } from '../stage.ts'

const { calls } = contract.opsAccount

/** Customers, as the provider keeps them. */
export const customer: Feature = {
  inputs: (t) => ({
    'ops/account/paging': {},
    'ops/account/get': { kid: t.account_kid },
    'ops/account/exists': { username: 'nobody' },
    'ops/account/list_fae': {},
    'ops/account/list_grantable': {},
    'ops/account/insert': {
      name: `New ${Math.random()}`,
      username: 'sweep.new',
      password: anyPassword,
      terminal_max: 1,
    },
    'ops/account/invite': { kid: t.sub_account_kid },
    'ops/account/update': { kid: t.log_kid, name: 'Swept', terminal_max: 1 },
    'ops/account/set_status': { kid: t.account_kid, status: 'normal' },
    'ops/account/renew': { kid: t.account_kid, expire_time: null },
    'ops/account/reset_totp': { kid: t.sub_account_kid },
    'ops/account/get_elements': { scope: 'account', scope_kid: t.account_kid },
    'ops/account/enter': { kid: t.account_kid },
    'ops/account/leave': {},
  }),
  async refusals(s) {
    const staff = await s.role(s.provider_kid, 5, ['externalUserManage*', 'mdmManageExternalUserManage*'])
    const limited = async () => (await s.user(s.provider_kid, 101, [staff])).call
    return {
      ...accountRefusals(s, 'opsAccount', s.operator, await limited()),
      ...onlyCustomers(s, await limited()),
    }
  },
  open_to: {
    'ops/account/paging': ['operator', 'operator inside'],
    'ops/account/leave': ['operator', 'operator inside', 'support without rights'],
  },
  destructive: [calls.enter, calls.set_status],
  open_to_all: [calls.leave],
}

function onlyCustomers(s: Stage, limited: Caller): Refusals {
  const { insert, update, renew, reset_totp } = calls
  return {
    ...refusalsOf(insert, s.operator, { fae_unknown: () => ({ ...accountDraft(s), fae_kid: unknownKid }) }),
    ...refusalsOf(update, s.operator, {
      fae_unknown: async () => {
        const draft = accountDraft(s)
        const { kid } = await s.operator.opsAccount.insert(draft)
        return { ...draft, password: null, kid, fae_kid: unknownKid }
      },
    }),
    ...refusalsOf(reset_totp, limited, { role_beyond_own: () => ({ kid: s.customer_kid }) }),
    ...refusalsOf(renew, s.operator, {
      terminal_max_below_count: () => ({ kid: s.customer_kid, expire_time: null, terminal_max: 0 }),
      registered_devices_exceed_limit: async () => ({
        kid: await subAccountWithDevice(s),
        expire_time: null,
        terminal_max: tooManyDevices,
      }),
    }),
  }
}
