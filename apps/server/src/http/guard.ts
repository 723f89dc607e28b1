import type { Call } from '@mdm/contract'
import type { FastifyRequest } from 'fastify'
import type { Deps } from '../deps.ts'
import { Refusal } from './context.ts'
import type { SignedIn } from './context.ts'
import { authorise } from './mount.ts'
import { requestInfo } from './request.ts'
import { authenticate } from './session.ts'

/** For routes beside the calls: the session of someone who may make this call, checked exactly as the call checks. */
export async function requireCall(deps: Deps, request: FastifyRequest, call: Call): Promise<SignedIn> {
  const session = await authenticate(deps, request, requestInfo(request, deps.config.default_language), call)
  authorise(call, session)
  if (!session) throw new Refusal('unauthorized')
  return session
}
