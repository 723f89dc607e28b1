import { constants } from '@mdm/contract'
import type { Actor } from '../../actor.ts'
import { assertOnline, insertTransfer, roomFor, sendFrom, shown, tellBegun } from '../terminal-file/service.ts'

export { pagingTransfers } from '../terminal-file/service.ts'

/** Begins to fetch the log that a device's agent keeps of itself. */
export async function ask(actor: Actor, terminal_kid: string) {
  const { deps, scope } = actor
  await assertOnline(scope, terminal_kid)
  const max_bytes = Math.min(await roomFor(actor, terminal_kid), constants.device_log_max_bytes)
  const { sn } = await scope
    .selectFrom('terminal')
    .select('sn')
    .where('kid', '=', terminal_kid)
    .executeTakeFirstOrThrow()
  const at = deps.clock.now().toISOString().slice(0, 19).replaceAll(':', '-')
  const row = await insertTransfer(actor, {
    terminal_kid,
    kind: 'log',
    path: '',
    name: `${sn.replaceAll(':', '-')}-${at}.log.gz`,
  })
  await sendFrom(deps, row, max_bytes)
  tellBegun(deps, row)
  return shown(deps, row)
}
