import { errors } from '@mdm/contract'
import type { ErrorName } from '@mdm/contract'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Deps } from '../../deps.ts'
import { Refusal } from '../../refusal.ts'

/** An answer of which the status says all. */
export class StatusAlone extends Error {
  constructor(readonly statusCode: number) {
    super(`status ${statusCode}`)
  }
}

export const sendJson = (reply: FastifyReply, body: unknown): FastifyReply =>
  reply
    .header('cache-control', 'no-store')
    .header('content-type', 'application/json; charset=utf-8')
    .send(JSON.stringify(body))

/** Faults in the words of an agent's protocol, with the status of the refusal unless `statuses` has another for it, or for all `others`. */
export function answerFaults(
  agent: FastifyInstance,
  deps: Deps,
  bodyOf: (name: string, message: string) => object,
  statuses: Partial<Record<ErrorName | 'others', number>> = {},
): void {
  agent.setErrorHandler(async (error: Error & { statusCode?: number }, _request, reply) => {
    const refusal = error instanceof Refusal ? error : undefined
    const { status, message } = errors[refusal?.refusal ?? 'internal']
    const code = refusal ? (statuses[refusal.refusal] ?? statuses.others ?? status) : (error.statusCode ?? 500)
    if (code >= 500 && !refusal) {
      deps.log.error({ err: error }, 'a request of an agent failed')
      if (!deps.isUnavailable(error)) deps.onInternalError?.(error)
    }
    if (refusal?.refusal === 'too_many_requests') reply.header('retry-after', String(refusal.details['seconds'] ?? 60))
    return sendJson(reply.code(code), bodyOf(refusal?.refusal ?? 'failed', message.en))
  })
}
