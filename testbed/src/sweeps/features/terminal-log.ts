import { contract } from '@mdm/contract'
import type { Feature } from '../feature.ts'
import { refusalsOf } from '../refusals.ts'
import type { Refusals } from '../refusals.ts'
import { exceedingTransfers } from '../shared/device-transfers.ts'
import type { Stage } from '../stage.ts'

/** Logs of devices. */
export const terminalLog: Feature = {
  inputs: (t) => ({
    'terminal_log/ask': { terminal_kid: t.terminal_kid },
    'terminal_log/paging': { terminal_kid: t.terminal_kid },
  }),
  refusals,
}

function refusals(s: Stage): Refusals {
  const exceeding = exceedingTransfers(s)
  return refusalsOf(contract.terminalLog.calls.ask, s.root, {
    device_not_online: async () => ({ terminal_kid: await s.absentDevice() }),
    storage_exceeded: () => exceeding(async () => ({})),
  })
}
