import { contract } from '@mdm/contract'
import type { Feature } from '../feature.ts'
import { by, refusalsOf } from '../refusals.ts'
import type { Refusals } from '../refusals.ts'
import { accountDraft, accountRefusals, subAccountWithDevice, tooManyDevices } from '../shared/accounts.ts'
import { anyPassword } from '../stage.ts'
import type { Stage } from '../stage.ts'

declare module '../feature.ts' {
  interface Things {
    sub_account_kid: string
  }
}

/** Sub-accounts of customers. */
export const subAccount: Feature = {
  async make({ call, device }) {
    const draft = { name: `Sweep ${device.sn}`, password: anyPassword, username: `s.${device.sn}`, terminal_max: 1 }
    return { sub_account_kid: (await call.subAccount.insert(draft)).kid }
  },
  inputs: (t) => ({
    'sub_account/paging': {},
    'sub_account/get': { kid: t.sub_account_kid },
    'sub_account/list_grantable': {},
    'sub_account/exists': { username: 'nobody', src_kid: t.other_user_kid },
    'sub_account/insert': {
      name: `New ${Math.random()}`,
      username: 'sweep.sub',
      password: anyPassword,
      terminal_max: 1,
    },
    'sub_account/invite': { kid: t.sub_account_kid },
    'sub_account/update': { kid: t.sub_account_kid, name: `Renamed ${Math.random()}`, terminal_max: 1 },
    'sub_account/set_status': { kid: t.sub_account_kid, status: 'normal' },
    'sub_account/delete': { kid: t.sub_account_kid },
  }),
  async refusals(s) {
    const clerk = await s.role(s.customer_kid, 5, ['subAccountManage*', 'userManageSubAccountManage*'])
    const { call: limited } = await s.user(s.customer_kid, 3, [clerk])
    return { ...accountRefusals(s, 'subAccount', s.root, limited), ...onlySubAccounts(s) }
  },
  open_to: { 'sub_account/insert': ['operator inside', 'customer', 'sub-account', 'manager of one group'] },
  destructive: [contract.subAccount.calls.set_status],
}

function onlySubAccounts(s: Stage): Refusals {
  const { insert, update, delete: remove } = contract.subAccount.calls
  const made = async () => {
    const { name, terminal_max } = accountDraft(s)
    return { name, terminal_max, kid: (await s.root.subAccount.insert(accountDraft(s))).kid }
  }
  return {
    ...refusalsOf(insert, s.root, {
      registered_devices_exceed_limit: () => ({ ...accountDraft(s), terminal_max: tooManyDevices }),
      storage_beyond_customer: () => ({ ...accountDraft(s), file_disk_share: 2 ** 50 }),
      sub_accounts_not_allowed: () => by(s.w.customers[2]!, accountDraft(s)),
    }),
    ...refusalsOf(update, s.root, {
      storage_beyond_customer: async () => ({ ...(await made()), file_disk_share: 2 ** 50 }),
      storage_below_use: async () => {
        const input = await made()
        const of = s.deps.db.updateTable('disk_space').where('account_kid', '=', input.kid)
        await of.set({ used_bytes: 10 }).execute()
        return { ...input, file_disk_share: 9 }
      },
    }),
    ...refusalsOf(remove, s.root, { delete_failed: async () => ({ kid: await subAccountWithDevice(s) }) }),
  }
}
