import { contract } from '@mdm/contract'
import type { Feature } from '../feature.ts'
import { refusalsOf } from '../refusals.ts'
import type { Refusals } from '../refusals.ts'
import { fillResets, forgetResets } from '../shared/resets.ts'
import type { Stage } from '../stage.ts'

const calls = contract.terminalLost.calls

/** Devices that are lost. */
export const terminalLost: Feature = {
  inputs: ({ terminal_kid }) => ({
    'terminal_lost/get': { terminal_kid },
    'terminal_lost/start': { terminal_kid, message: 'Please call us', phone: '+84 90 111', rings: true },
    'terminal_lost/stop_ring': { terminal_kid },
    'terminal_lost/wipe': { terminal_kid },
    'terminal_lost/found': { terminal_kid },
  }),
  refusals,
  tables: ['terminal_lost'],
  not_found: ['device_not_lost', 'task_not_cancelable'],
  destructive: [calls.wipe],
}

function refusals(s: Stage): Refusals {
  const { root, deps, customer_kid, absentDevice } = s
  const lostDevice = async () => {
    // From ten devices within the hour on, pushes of later refusals would wait for a minute.
    await deps.db.deleteFrom('destruction').where('account_kid', '=', customer_kid).execute()
    const terminal_kid = await absentDevice()
    await root.terminalLost.start({ terminal_kid, message: 'Sweep' })
    return { terminal_kid }
  }
  return {
    ...refusalsOf(calls.stop_ring, root, { task_not_cancelable: lostDevice }),
    ...refusalsOf(calls.wipe, root, {
      device_not_lost: async () => ({ terminal_kid: await absentDevice() }),
      task_running: async () => {
        await forgetResets(s)
        const one = await lostDevice()
        await root.terminalLost.wipe(one)
        return one
      },
      task_no_device: async () => {
        const one = await lostDevice()
        await deps.db.updateTable('terminal').set({ task_types: [] }).where('kid', '=', one.terminal_kid).execute()
        return one
      },
      task_too_many_per_hour: async () => {
        const one = await lostDevice()
        await fillResets(s)
        return one
      },
    }),
  }
}
