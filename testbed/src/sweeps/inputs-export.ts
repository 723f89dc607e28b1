import { until } from '../until.ts'
import type { Caller } from '../caller.ts'
import type { Things } from './inputs.ts'

const wanted = {
  match: {},
  format: 'csv' as const,
  name: 'sweep',
  zone_id: 'UTC',
  columns: [{ key: 'sn', title: 'SN' }],
}

/** An export of devices that is finished. */
export async function makeExport(call: Caller): Promise<string> {
  const { schedule_version } = await call.terminalExport.export(wanted)
  await until('an export to end', async () =>
    (await call.terminalExport.list_export_schedule({})).find(({ state }) => state === 'done'),
  )
  return schedule_version
}

/** An input that parses for every call about exports of devices. */
export const exportInputs = (t: Things): Record<string, Record<string, unknown>> => ({
  'terminal/export': { ...wanted, match: undefined, terminal_kids: [t.terminal_kid] },
  'terminal/list_export_schedule': {},
  'terminal/cancel_export_schedule': { schedule_version: t.export_kid },
  'terminal/download_export': { schedule_version: t.export_kid },
})
