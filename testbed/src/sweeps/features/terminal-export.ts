import { contract } from '@mdm/contract'
import type { Caller } from '../../caller.ts'
import { until } from '../../until.ts'
import type { Feature } from '../feature.ts'
import { by, refusalsOf, unknownKid } from '../refusals.ts'
import type { Refusals } from '../refusals.ts'
import type { Stage } from '../stage.ts'

declare module '../feature.ts' {
  interface Things {
    export_kid: string
  }
}

const { cancel_export_schedule, export: begin } = contract.terminalExport.calls
const wanted = {
  match: {},
  format: 'csv' as const,
  name: 'sweep',
  zone_id: 'UTC',
  columns: [{ key: 'sn', title: 'SN' }],
}

/** Devices as files, in the background. */
export const terminalExport: Feature = {
  make: async ({ call }) => ({ export_kid: await makeExport(call) }),
  inputs: (t) => ({
    'terminal/export': { ...wanted, match: undefined, terminal_kids: [t.terminal_kid] },
    'terminal/list_export_schedule': {},
    'terminal/cancel_export_schedule': { schedule_version: t.export_kid },
    'terminal/download_export': { schedule_version: t.export_kid },
  }),
  refusals,
  tables: ['terminal_export'],
}

/** An export of devices that is finished. */
async function makeExport(call: Caller): Promise<string> {
  const { schedule_version } = await call.terminalExport.export(wanted)
  await until('an export to end', async () =>
    (await call.terminalExport.list_export_schedule({})).find(({ state }) => state === 'done'),
  )
  return schedule_version
}

function refusals({ w, deps, root }: Stage): Refusals {
  return {
    ...refusalsOf(begin, root, {
      export_running: async () => {
        const now = deps.clock.now()
        const { account_kid } = w.seed.customers[1]!

        // As if another server were writing it at this moment.
        await deps.db
          .insertInto('terminal_export')
          .values({
            kid: unknownKid,
            account_kid,
            request: JSON.stringify(wanted),
            language: 'en',
            attempt: 1,
            created_by_kid: account_kid,
            created_by: 'Sweep',
            created_at: now,
            expires_at: new Date(now.getTime() + 60_000),
          })
          .execute()
        return by(w.customers[1]!, wanted)
      },
      device_not_found: () => ({ ...wanted, match: undefined, terminal_kids: [unknownKid] }),
    }),
    ...refusalsOf(cancel_export_schedule, root, {
      export_not_running: async () => ({ schedule_version: await makeExport(root) }),
    }),
  }
}
