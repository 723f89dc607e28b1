import type { AgentKind } from '@mdm/contract'
import type { AnnouncedDevice } from '../../../../db/schema/tables-devices.ts'
import type { Deps } from '../../../../deps.ts'
import { assertDisk } from '../../../../lib/disk-room.ts'
import { digest } from '../../../../lib/ids.ts'
import { isShutOut } from '../../../../link/credentials.ts'
import { refuse } from '../../../../refusal.ts'
import { enrolAgent } from './enrol-agent.ts'

type TokenAgent = {
  kind: AgentKind
  /** Of a permanent code, which speaks for all that came so; or of a code that counts once, which becomes that of one device. */
  token: string
  is_of_one: boolean
  hardware_id: string
  device: AnnouncedDevice
}

/**
 * The device of an agent that says its id and a token with each request; it registers with its first one. Nobody speaks for a device
 * with a token of its own but who has that. @throws `unauthorized`, what registering refuses
 */
export async function enrolByToken(deps: Deps, said: TokenAgent): Promise<{ kid: string; is_new: boolean }> {
  const { db } = deps
  const { kind, token, is_of_one, hardware_id } = said
  const token_hash = digest(token)
  const devices = db
    .selectFrom('terminal_agent as a')
    .innerJoin('terminal as t', 't.kid', 'a.terminal_kid')
    .select(['t.kid', 't.secret_hash', 't.agent_kind', 'a.token_hash'])
    .where('a.hardware_hash', '=', digest(hardware_id).toString('hex'))
  const known = async (kid: string) => ((await isShutOut(deps, kid)) ? refuse('unauthorized') : { kid, is_new: false })
  const own = is_of_one && (await devices.where('a.token_hash', '=', token_hash).executeTakeFirst())
  if (own) return known(own.kid)
  const code = await db
    .selectFrom('qrcode')
    .select('account_kid')
    .where('token_hash', '=', token_hash)
    .where('revoked_at', 'is', null)
    .where('is_permanent', '=', !is_of_one)
    .executeTakeFirst()
  if (!code) return refuse('unauthorized')
  const there = await devices.where('a.account_kid', '=', code.account_kid).executeTakeFirst()
  if (there && (there.agent_kind !== kind || (there.token_hash && !is_of_one))) return refuse('unauthorized')
  if (there?.secret_hash && !is_of_one) return known(there.kid)
  assertDisk(deps)
  const { kid } = await enrolAgent(deps, said)
  if (is_of_one) await db.updateTable('terminal_agent').set({ token_hash }).where('terminal_kid', '=', kid).execute()
  return { kid, is_new: true }
}
