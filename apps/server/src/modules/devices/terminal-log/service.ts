import { constants } from '@mdm/contract'
import type { Actor } from '../../../actor.ts'
import { assertOnline, fetchFrom, shown } from '../terminal-file/index.ts'

/** Begins to fetch the log that a device's agent keeps of itself. */
export async function ask(actor: Actor, terminal_kid: string) {
  const { deps, scope } = actor
  await assertOnline(scope, terminal_kid)
  const { sn } = await scope
    .selectFrom('terminal')
    .select('sn')
    .where('kid', '=', terminal_kid)
    .executeTakeFirstOrThrow()
  const at = deps.clock.now().toISOString().slice(0, 19).replaceAll(':', '-')
  const name = `${sn.replaceAll(':', '-')}-${at}.log.gz`
  const wanted = { terminal_kid, kind: 'log', path: '', name } as const
  return shown(deps, await fetchFrom(actor, wanted, constants.device_log_max_bytes))
}
