import type { Deps } from '../../deps.ts'
import { digest } from '../../lib/ids.ts'
import { noteSerial } from '../shared/serials.ts'
import { textOf } from '../shared/values.ts'
import type { Kept } from './kept.ts'
import type { Said } from './said.ts'

/** By what the device will be known when it was reset, and its serial number, which come with its check-ins. */
export async function noteIdentity(deps: Deps, kid: string, said: Said, kept: Kept): Promise<void> {
  const hardware = said.hardware_id === undefined ? undefined : digest(said.hardware_id).toString('hex')
  if (hardware !== undefined && hardware !== kept.hardware_hash) {
    kept.hardware_hash = hardware
    await deps.db
      .updateTable('terminal_agent as own')
      .set({ hardware_hash: hardware })
      .where('own.terminal_kid', '=', kid)
      // Of two that say the same id the first has it.
      .where((eb) =>
        eb.not(
          eb.exists(
            eb
              .selectFrom('terminal_agent as other')
              .select('other.terminal_kid')
              .whereRef('other.account_kid', '=', 'own.account_kid')
              .where('other.hardware_hash', '=', hardware),
          ),
        ),
      )
      .execute()
      .catch((error: { constraint?: string }) => {
        if (error.constraint !== 'terminal_agent_hardware') throw error
      })
  }
  const serial = textOf(said.identity['serial'], 60)
  if (serial === undefined || serial === kept.serial) return
  kept.serial = serial
  await noteSerial(deps, kid, 'mdmesh', serial)
}
