import { takeSerial } from '../../modules/fleet/enrolment/index.ts'
import { failTasksOfDevices } from '../../modules/push/push-task/index.ts'
import type { Deps } from '../../deps.ts'
import { digest } from '../../lib/ids.ts'
import { refuse } from '../../refusal.ts'
import type { Kept } from './kept.ts'
import { textOf } from './said.ts'
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
  if ((await takeSerial(deps, kid, 'mdmesh', serial)) === 'scrapped') await remove(deps, kid)
}

/** Its serial number was scrapped: it would not have been registered, had it told it. */
async function remove(deps: Deps, kid: string): Promise<never> {
  const tell = await deps.db.transaction().execute(async (trx) => {
    const told = await failTasksOfDevices(trx, deps, [kid])
    const gone = await trx.deleteFrom('terminal').where('kid', '=', kid).returning('account_kid').executeTakeFirst()
    return () => {
      told()
      if (gone) deps.live.publish(gone.account_kid, { type: 'terminal_list_changed' })
    }
  })
  tell()
  deps.log.warn({ terminal_kid: kid }, 'a device was removed: its serial number was scrapped')
  await deps.link.kick(kid, 'scrapped')
  return refuse('unauthorized')
}
