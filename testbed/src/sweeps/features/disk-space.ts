import { contract } from '@mdm/contract'
import type { Feature } from '../feature.ts'
import { refusalsOf } from '../refusals.ts'
import type { Refusals } from '../refusals.ts'
import { subAccountWithDevice } from '../shared/accounts.ts'
import type { Stage } from '../stage.ts'

/** The space of customers for files and apps. */
export const diskSpace: Feature = {
  inputs: (t) => ({
    'ops/file_disk/get': { account_kid_param: t.account_kid },
    'ops/file_disk/update_space': { kid: t.log_kid, account_kid_param: t.account_kid, disk_space: 1_000_000_000 },
    'ops/app_center/get': { account_kid_param: t.account_kid },
    'ops/app_center/update_space': { kid: t.log_kid, account_kid_param: t.account_kid, disk_space: 1_000_000_000 },
    'ops/content_report/paging': {},
    'ops/content_report/total': {},
  }),
  refusals,
  tables: ['disk_space'],
}

function refusals(s: Stage): Refusals {
  const { w, deps, operator } = s
  const account_kid_param = w.seed.customers[2]!.account_kid
  /** Nothing can be put into the app center yet: that something is there is written as the database would. */
  const used = async (read: (input: { account_kid_param: string }) => Promise<{ kid: string }>) => {
    const { kid } = await read({ account_kid_param })
    await deps.db.updateTable('disk_space').set({ used_bytes: 10 }).where('kid', '=', kid).execute()
    return { kid, account_kid_param, disk_space: 9 }
  }
  const beyond = async (read: (input: { account_kid_param: string }) => Promise<{ kid: string }>) => {
    const sub_account_kid = await subAccountWithDevice(s)
    const { kid } = await read({ account_kid_param: sub_account_kid })
    return { kid, account_kid_param: sub_account_kid, disk_space: 2 ** 50 }
  }
  return {
    ...refusalsOf(contract.opsFileDisk.calls.update_space, operator, {
      storage_below_use: () => used(operator.opsFileDisk.get),
      storage_beyond_customer: () => beyond(operator.opsFileDisk.get),
    }),
    ...refusalsOf(contract.opsAppCenter.calls.update_space, operator, {
      storage_below_use: () => used(operator.opsAppCenter.get),
      storage_beyond_customer: () => beyond(operator.opsAppCenter.get),
    }),
  }
}
