import { holds } from '@mdm/contract'
import type { Call } from '@mdm/contract'
import type { FastifyRequest } from 'fastify'
import type { Deps } from '../deps.ts'
import { Refusal } from './context.ts'
import type { SignedIn } from './context.ts'
import { requestInfo } from './request.ts'
import { authenticate } from './session.ts'

/** For routes beside the calls: the session of someone who may make this call, checked exactly as the call checks. */
export async function requireCall(deps: Deps, request: FastifyRequest, call: Call): Promise<SignedIn> {
  const session = await authenticate(deps, request, requestInfo(request, deps.config.default_language), call)
  if (!session) throw new Refusal('unauthorized')
  if (call.scope === 'ops' && session.account_type !== 101) throw new Refusal('no_permission')
  if (call.needs !== 'public' && call.needs !== 'signed_in' && !holds(session.permissions, call.needs))
    throw new Refusal('no_permission')
  return session
}
