import { constants, contract } from '@mdm/contract'
import { newKid } from '@mdm/server/lib/ids.ts'
import { makeScrap } from './inputs-life.ts'
import { by, nowhere, ways } from './provoke.ts'
import type { Provocations, Stage } from './provoke.ts'
import { previews } from './provoke-batch.ts'

const { terminal, terminalScrap, opsTerminal, opsPolicy } = contract

/** Devices that are gone for good, and policies of the provider. */
export async function lifeProvocations(s: Stage): Promise<Provocations> {
  const { root, operator, device, deps } = s
  const policy = await operator.opsPolicy.insert({ name: 'Swept', days: 30 })
  const { sheet_of_another_week: _, ...sheets } = previews(s, operator, { policy_kid: policy.kid, source: 'sheet' })
  return {
    ...ways(terminal.calls.batch_scrap, root, {
      device_not_found: () => ({ terminalKids: [device, nowhere], confirm: 'DELETE' }),
      confirm_text_wrong: () => ({ terminalKids: [device], confirm: 'delete' }),
      match_changed: () => ({ match: { text: 'nothing like this' }, expected_count: 1, confirm: 'DELETE' }),
      scrap_limit: async () => {
        const other = s.w.customers[1]!
        const { account_kid } = s.w.seed.customers[1]!
        const scrapped_at = deps.clock.now()
        const values = Array.from({ length: constants.scrapped_per_hour }, (_, n) => ({
          sn: `LATELY-${n}`,
          account_kid,
          scrapped_at,
        }))
        await deps.db.insertInto('scrapped_sn').values(values).execute()
        return by(other, { terminalKids: [await s.absentDevice(other)], confirm: 'DELETE' })
      },
    }),
    ...ways(terminalScrap.calls.cancel_scrap_schedule, root, {
      scrap_not_waiting: async () => {
        const schedule_version = await makeScrap(s.w, 0, device)
        const done = { state: 'done', finished_at: deps.clock.now() } as const
        await deps.db.updateTable('scrap_schedule').set(done).where('kid', '=', schedule_version).execute()
        return { schedule_version }
      },
    }),
    ...ways(opsTerminal.calls.restore, operator, { sn_not_scrapped: () => ({ sns: ['NEVER-SCRAPPED'] }) }),
    ...ways(opsPolicy.calls.insert, operator, { duplicate_name: () => ({ name: 'SWEPT', days: 1 }) }),
    ...ways(opsPolicy.calls.update, operator, {
      duplicate_name: async () => {
        const { kid } = await operator.opsPolicy.insert({ name: s.unique('Policy'), days: 1 })
        return { kid, name: 'swept', days: 1 }
      },
    }),
    ...ways(opsPolicy.calls.delete, operator, {
      policy_in_use: async () => {
        await deps.db.updateTable('policy').set({ terminal_count: 1 }).where('kid', '=', policy.kid).execute()
        return { kid: policy.kid }
      },
    }),
    ...ways(opsPolicy.calls.import_sheet, operator, imports(s, policy.kid)),
    ...ways(opsPolicy.calls.import_mes, operator, imports(s, policy.kid)),
    ...ways(opsPolicy.calls.cancel_import, operator, {
      batch_not_running: async () => ({ policy_kid: policy.kid, schedule_version: await job(s, policy.kid, 'done') }),
    }),
    ...ways(opsPolicy.calls.preview_import, operator, sheets),
  }
}

function imports(s: Stage, policyKid: string) {
  const asked = (schedule_version: string) => ({
    importTerminalDtos: [{ sn: 'NOBODY', work_order: 'WO' }],
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
