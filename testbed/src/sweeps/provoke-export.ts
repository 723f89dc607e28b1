import { contract } from '@mdm/contract'
import { makeExport } from './inputs-export.ts'
import { by, nowhere, ways } from './provoke.ts'
import type { Provocations, Stage } from './provoke.ts'

const wanted = { format: 'csv', name: 'sweep', zone_id: 'UTC', columns: [{ key: 'sn', title: 'SN' }] }
const { cancel_export_schedule, export: begin } = contract.terminalExport.calls

/** Devices as files, in the background. */
export function exportProvocations({ w, deps, root }: Stage): Provocations {
  return {
    ...ways(begin, root, {
      export_running: async () => {
        const now = deps.clock.now()
        const { account_kid } = w.seed.customers[1]!
        const asked = { ...wanted, match: {} }
        // As if another server were writing it at this moment.
        await deps.db
          .insertInto('terminal_export')
          .values({
            kid: nowhere,
            account_kid,
            request: JSON.stringify(asked),
            language: 'en',
            attempt: 1,
            created_by_kid: account_kid,
            created_by: 'Sweep',
            created_at: now,
            touched_at: now,
            expires_at: new Date(now.getTime() + 60_000),
          })
          .execute()
        return by(w.customers[1]!, asked)
      },
      device_not_found: () => ({ ...wanted, terminal_kids: [nowhere] }),
    }),
    ...ways(cancel_export_schedule, root, {
      export_not_running: async () => ({ schedule_version: await makeExport(root) }),
    }),
  }
}
