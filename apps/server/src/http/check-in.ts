import { fieldFaultsOf } from '@mdm/contract'
import { CheckIn, limits } from '@mdm/device-link'
import type { FastifyInstance } from 'fastify'
import type { Deps } from '../deps.ts'
import { takeTry } from '../lib/rate-limit.ts'
import { deviceOf } from '../link/credentials.ts'
import { Refusal, refuse } from '../refusal.ts'

/** One that waits comes again once it was answered: more than one a second is a fault of the agent. */
const tries = { limit: 60, per_ms: 60_000 }

/** POST /device/check-in: what a device says and hears that keeps no MQTT connection. */
export function mountCheckIns(app: FastifyInstance, deps: Deps): void {
  const waiting = new Set<AbortController>()
  app.addHook('preClose', async () => {
    for (const each of waiting) each.abort()
  })
  app.post('/device/check-in', async (request, reply) => {
    const { terminal_kid: kid } = await deviceOf(deps, request.headers.authorization)
    takeTry(deps, 'check-ins', tries, kid)
    const parsed = CheckIn.safeParse(request.body)
    if (!parsed.success) throw new Refusal('bad_input', {}, fieldFaultsOf(parsed.error, request.body))
    const { messages, wait_seconds, silent_seconds } = parsed.data
    for (const { payload } of messages)
      if (Buffer.byteLength(JSON.stringify(payload ?? null)) > limits.packet_bytes)
        refuse('too_large', { max: `${limits.packet_bytes / 1024} KiB` })
    const gone = new AbortController()
    waiting.add(gone)
    reply.raw.once('close', () => gone.abort())
    try {
      const came = await deps.link.checkIn({
        kid,
        address: request.ip,
        messages,
        wait_ms: wait_seconds * 1000,
        silent_ms: silent_seconds * 1000,
        signal: gone.signal,
      })
      return await reply.header('cache-control', 'no-store').send({ result: 1, message: '', data: { messages: came } })
    } finally {
      waiting.delete(gone)
    }
  })
}
