import { constants } from '@mdm/contract'
import type { Caller } from '../../caller.ts'
import { until } from '../../until.ts'
import { by } from '../refusals.ts'
import type { Stage } from '../stage.ts'

/** A customer whose share of kept transfers is used up, and its device. */
async function fullCustomer({ w, deps }: Stage): Promise<{ who: Caller; kid: string }> {
  const { kid } = await w.addDevice({ customer: 1 })
  const who = w.customers[1]!
  const { kid: transfer_kid } = await who.terminalLog.ask({ terminal_kid: kid })
  await until('the log', async () => (await who.terminalLog.paging({ terminal_kid: kid })).items[0]?.url)
  const size = constants.device_file_cache_bytes
  await deps.db.updateTable('device_transfer').set({ size }).where('kid', '=', transfer_kid).execute()
  return { who, kid }
}

/** Inputs of a customer that has no place left for a transfer. */
export const exceedingTransfers =
  (s: Stage) =>
  async (more: (who: Caller) => Promise<object>): Promise<unknown> => {
    const { who, kid } = await s.once('a customer without room for transfers', () => fullCustomer(s))
    return by(who, { terminal_kid: kid, ...(await more(who)) })
  }
