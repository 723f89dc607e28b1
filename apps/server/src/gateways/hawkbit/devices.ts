import type { FastifyRequest } from 'fastify'
import type { Deps } from '../../deps.ts'
import type { enrolmentLimits } from '../../modules/fleet/enrolment/index.ts'
import { enrolAgent } from '../../modules/fleet/enrolment/index.ts'
import { assertDisk } from '../../lib/disk-room.ts'
import { digest } from '../../lib/ids.ts'
import { isShutOut } from '../../link/credentials.ts'
import { refuse } from '../../refusal.ts'
import { noteSerial } from '../shared/serials.ts'
import { textOf } from '../shared/values.ts'

/**
 * Whose request this is. A gateway token is a permanent code of an account: it registers devices, and speaks for those of the account
 * that came so, by the id that each has of its own. @throws `unauthorized`, what registering refuses
 */
export async function deviceOfRequest(
  deps: Deps,
  limits: ReturnType<typeof enrolmentLimits>,
  request: FastifyRequest,
  id: string,
): Promise<string> {
  const [, token] = /^GatewayToken +(\S{1,300})$/i.exec(request.headers.authorization ?? '') ?? []
  if (!token || textOf(id, 128) !== id) return refuse('unauthorized')
  const key = digest(JSON.stringify([token, id])).toString('hex')
  limits.enrol.take(request.ip, key)
  const kid = await deviceOf(deps, token, id)
  limits.enrol.noteRight(key)
  return kid
}

async function deviceOf(deps: Deps, token: string, id: string): Promise<string> {
  const code = await deps.db
    .selectFrom('qrcode')
    .select('account_kid')
    .where('token_hash', '=', digest(token))
    .where('revoked_at', 'is', null)
    .where('is_permanent', '=', true)
    .executeTakeFirst()
  if (!code) return refuse('unauthorized')
  const known = await deps.db
    .selectFrom('terminal_agent as a')
    .innerJoin('terminal as t', 't.kid', 'a.terminal_kid')
    .select(['t.kid', 't.secret_hash', 't.agent_kind'])
    .where('a.account_kid', '=', code.account_kid)
    .where('a.hardware_hash', '=', digest(id).toString('hex'))
    .executeTakeFirst()
  if (known && known.agent_kind !== 'hawkbit') return refuse('unauthorized')
  if (known?.secret_hash) return (await isShutOut(deps, known.kid)) ? refuse('unauthorized') : known.kid
  assertDisk(deps)
  const device = { model: '', os_name: 'Linux', os_version: '', service_version: '', protocol_version: 1 }
  const { kid } = await enrolAgent(deps, { kind: 'hawkbit', token, hardware_id: id, device })
  await noteSerial(deps, kid, 'hawkbit', id)
  return kid
}
