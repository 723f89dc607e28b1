import { errorMessage, errors, fieldMessages } from '@mdm/contract'
import type { Call, Envelope } from '@mdm/contract'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { isDiskFull } from '../lib/database-errors.ts'
import type { Deps } from '../deps.ts'
import { noteMissing } from '../files/object-checks.ts'
import { ObjectMissing } from '../files/object-store.ts'
import { diskIsFull, ranOutOfDisk } from '../lib/disk-room.ts'
import { safeUrl } from '../lib/log.ts'
import { Refusal } from '../refusal.ts'
import { requireCall } from './guard.ts'
import { requestInfo } from './request.ts'

/** Answers what never became a call, in the envelope that every call answers with. */
export async function refuseRequest(
  deps: Deps,
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const found = await afterAuthentication(deps, asRefusal(deps, error, request, reply), request, reply)
  const { result, status } = errors[found.refusal]
  const { language } = requestInfo(request, deps.config.default_language)
  const envelope: Envelope = {
    result,
    message: errorMessage(found.refusal, language, found.details),
    data: found.fields ? { fields: fieldMessages(found.fields, language) } : null,
  }
  const seconds = found.details['seconds']
  if (found.refusal === 'too_many_requests' && seconds !== undefined) reply.header('retry-after', seconds)
  // A body that was refused is not read to its end.
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
  const has_body = Number(length ?? 0) > 0 || encoding !== undefined
  if (has_body && !request.raw.complete) reply.header('connection', 'close')
  const code = error.statusCode === 415 ? 415 : status
  return reply
    .removeHeader('content-disposition')
    .code(code)
    .headers({ 'cache-control': 'no-store', 'content-type': 'application/json; charset=utf-8' })
    .send(envelope)
}

/** The refusal of a condition that ends by itself, or once there is space; undefined for a fault of the server. */
export function asUnavailable(deps: Deps, error: unknown, where: Record<string, unknown>): Refusal | undefined {
  if (isDiskFull(error)) {
    ranOutOfDisk(deps, error)
    deps.log.warn({ err: error, ...where }, 'no room on the disk')
    return new Refusal('disk_full')
  }
  if (error instanceof ObjectMissing) {
    noteMissing(deps, error.object).catch((fault: unknown) =>
      deps.log.warn({ err: fault, object: error.object }, 'a missing object could not be marked'),
    )
    return new Refusal('file_content_missing')
  }
  if (!deps.isUnavailable(error)) return undefined
  deps.log.warn({ err: error, ...where }, 'database unavailable')
  return new Refusal(diskIsFull(deps) ? 'disk_full' : 'unavailable')
}

/** Whether a body, of the request or of the reply, broke off because the client disconnected. */
const brokeOff = (error: FastifyError, { raw: request }: FastifyRequest, { raw: reply }: FastifyReply): boolean =>
  ['ERR_STREAM_PREMATURE_CLOSE', 'ECONNRESET'].includes(error.code) &&
  (reply.destroyed || (request.destroyed && !request.complete))

function asRefusal(deps: Deps, error: FastifyError, request: FastifyRequest, reply: FastifyReply): Refusal {
  if (error instanceof Refusal) return error
  const { statusCode = 500 } = error
  if (statusCode === 413) return new Refusal('too_large', { max: '1 MiB' })
  if (statusCode === 429) return new Refusal('too_many_requests', { seconds: 60 })
  if (statusCode === 404) return new Refusal('not_found')
  const unavailable = asUnavailable(deps, error, { request_kid: request.id })
  if (unavailable) return unavailable
  if (statusCode >= 400 && statusCode < 500) return new Refusal('bad_input', {}, { '': { name: 'not_readable' } })
  // The client has disconnected; the reply has no reader.
  if (brokeOff(error, request, reply)) return new Refusal('unavailable')
  deps.log.error({ err: error, url: safeUrl(request.url), request_kid: request.id }, 'request failed')
  deps.onInternalError?.(error)
  return new Refusal('internal', { request_kid: request.id })
}

/** A stranger who sends garbage to a protected call learns only that he is a stranger. */
async function afterAuthentication(
  deps: Deps,
  found: Refusal,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Refusal> {
  const call = (request.routeOptions.config as { call?: Call }).call
  const is_of_input = ['bad_input', 'too_large'].includes(found.refusal)
  if (!call || call.needs === 'public' || !is_of_input) return found
  try {
    await requireCall(deps, request, call)
    return found
  } catch (error) {
    return error instanceof Refusal ? error : asRefusal(deps, error as FastifyError, request, reply)
  }
}
