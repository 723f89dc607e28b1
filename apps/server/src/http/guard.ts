import type { Call } from '@mdm/contract'
import type { FastifyRequest } from 'fastify'
import type { Deps } from '../deps.ts'
import { Refusal } from '../refusal.ts'
import type { SignedIn } from './context.ts'
import { authorise } from './authorise.ts'
import { requestInfo } from './request.ts'
import { authenticate } from './session.ts'

/** For routes beside the calls: the session of someone who may make one of these calls, checked exactly as they check. */
export async function requireCall(
  deps: Deps,
  request: FastifyRequest,
  call: Call,
  ...others: Call[]
): Promise<SignedIn> {
  const session = await authenticate(deps, request, requestInfo(request, deps.config.default_language), call)
  if (!others.some((other) => mayMake(other, session))) authorise(call, session)
  if (!session) throw new Refusal('unauthorized')
  return session
}

function mayMake(call: Call, session: SignedIn | undefined): boolean {
  try {
    authorise(call, session)
    return true
  } catch (error) {
    if (error instanceof Refusal) return false
    throw error
  }
}
