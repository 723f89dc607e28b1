import { contract } from '@mdm/contract'
import { newKid } from '@mdm/server/lib/ids.ts'
import type { Feature } from '../feature.ts'
import { refusalsOf } from '../refusals.ts'
import type { Refusals } from '../refusals.ts'
import { sheetRefusals } from '../shared/sheets.ts'
import type { Stage } from '../stage.ts'

const calls = contract.opsPolicy.calls
const row = { sn: 'NOBODY', work_order: 'WO' }

/** Policies of the provider. They are no customer's: any kid does. */
export const policy: Feature = {
  inputs: (t) => {
    const policy_kid = t.log_kid
    const version = () => `sweep-${Math.random()}`
    return {
      'ops/policy/paging': {},
      'ops/policy/exists': { name: 'Sweep' },
      'ops/policy/insert': { name: `Sweep ${Math.random()}`, days: 30 },
      'ops/policy/update': { kid: policy_kid, name: `Sweep ${Math.random()}`, days: 30 },
      'ops/policy/delete': { kid: policy_kid },
      'ops/policy/paging_terminal': { policy_kid },
      'ops/policy/delete_terminal': { kids: [policy_kid] },
      'ops/policy/import/terminal/policy': {
        importTerminalDtos: [row],
        policyKid: policy_kid,
        schedule_version: version(),
      },
      'ops/policy/import/mes/terminal/policy': {
        importTerminalDtos: [{ ...row, production_date: '2026-01-31' }],
        policyKid: policy_kid,
        schedule_version: version(),
      },
      'ops/policy/get/import/terminal/policy/schedule': { policy_kid, schedule_version: 'sweep' },
      'ops/policy/list_import': { policy_kid },
      'ops/policy/cancel_import': { policy_kid, schedule_version: 'sweep' },
      'ops/policy/paging_import_row': { policy_kid, schedule_version: 'sweep' },
      'ops/policy/import_result': { policy_kid, schedule_version: 'sweep' },
      'ops/policy/import_template': { source: 'mes' },
      'ops/policy/preview_import': { upload_kid: t.upload_kid, policy_kid, source: 'sheet' },
    }
  },
  refusals,
}

async function refusals(s: Stage): Promise<Refusals> {
  const { operator, deps } = s
  const policy = await operator.opsPolicy.insert({ name: 'Swept', days: 30 })
  const { sheet_of_another_week: _, ...sheets } = sheetRefusals(s, operator, {
    policy_kid: policy.kid,
    source: 'sheet',
  })
  return {
    ...refusalsOf(calls.insert, operator, { duplicate_name: () => ({ name: 'SWEPT', days: 1 }) }),
    ...refusalsOf(calls.update, operator, {
      duplicate_name: async () => {
        const { kid } = await operator.opsPolicy.insert({ name: s.unique('Policy'), days: 1 })
        return { kid, name: 'swept', days: 1 }
      },
    }),
    ...refusalsOf(calls.delete, operator, {
      policy_in_use: async () => {
        await deps.db.updateTable('policy').set({ terminal_count: 1 }).where('kid', '=', policy.kid).execute()
        return { kid: policy.kid }
      },
    }),
    ...refusalsOf(calls.import_sheet, operator, imports(s, policy.kid)),
    ...refusalsOf(calls.import_mes, operator, imports(s, policy.kid)),
    ...refusalsOf(calls.cancel_import, operator, {
      batch_not_running: async () => ({ policy_kid: policy.kid, schedule_version: await job(s, policy.kid, 'done') }),
    }),
    ...refusalsOf(calls.preview_import, operator, sheets),
  }
}

function imports(s: Stage, policyKid: string) {
  const asked = (schedule_version: string) => ({
    importTerminalDtos: [row],
    policyKid,
    schedule_version,
  })
  return {
    batch_running: async () => {
      await job(s, policyKid, 'running')
      return asked(newKid())
    },
    batch_version_used: async () => asked(await job(s, policyKid, 'done')),
  }
}

/** A job of the provider, which nobody works on; its version. */
async function job({ deps, provider_kid }: Stage, policy_kid: string, state: 'running' | 'done'): Promise<string> {
  const now = deps.clock.now()
  const schedule_version = newKid()
  await deps.db
    .updateTable('batch_job')
    .set({ state: 'canceled' })
    .where('account_kid', '=', provider_kid)
    .where('state', '=', 'running')
    .execute()
  await deps.db
    .insertInto('batch_job')
    .values({
      kid: newKid(),
      account_kid: provider_kid,
      owner_kid: provider_kid,
      kind: 'policy_sheet',
      policy_kid,
      schedule_version,
      state,
      total: 1,
      created_by_kid: provider_kid,
      created_by: 'Sweep',
      created_at: now,
      touched_at: now,
    })
    .execute()
  return schedule_version
}
