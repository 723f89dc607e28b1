import type { AgentKind } from '@mdm/contract'
import type { Deps } from '../../deps.ts'
import { takeSerial } from '../../modules/fleet/enrolment/index.ts'
import { failTasksOfDevices } from '../../modules/push/push-task/index.ts'
import { refuse } from '../../refusal.ts'

/** The serial number that a device tells after it has joined. It goes where that was scrapped: it would not have been registered, had it told it. */
export async function noteSerial(deps: Deps, kid: string, kind: AgentKind, serial: string): Promise<void> {
  if ((await takeSerial(deps, kid, kind, serial)) !== 'scrapped') return
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
  refuse('unauthorized')
}
