import { errorMessage } from '@mdm/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Deps } from '../deps.ts'
import { clockDoubt } from '../lib/clock-watch.ts'
import { diskIsFull } from '../lib/disk-room.ts'
import { digest, sameBytes } from '../lib/ids.ts'
import { Refusal } from '../refusal.ts'
import { clocksAgree } from '../link/nodes.ts'
import type { Metrics } from './metrics.ts'
import type { AskReadiness } from './readiness.ts'
import { requestInfo } from './request.ts'

/**
 * /health for monitors, /metrics for Prometheus, /url.json for consoles of a private deployment. What restarts a dead server asks
 * /health/live; what sends requests to servers asks /health/ready.
 */
export function mountHealth(app: FastifyInstance, deps: Deps, metrics: Metrics, readiness: AskReadiness): void {
  app.get('/health/live', (_request, reply) =>
    reply.header('cache-control', 'no-store').send({ result: 1, message: '', data: { node_kid: deps.node_kid } }),
  )
  app.get('/health/ready', async (request, reply) => {
    reply.header('cache-control', 'no-store')
    const { is_ready, ...parts } = await readiness()
    const data: Record<string, string> = Object.fromEntries(
      Object.entries(parts).map(([name, is_up]) => [name, is_up ? 'up' : 'down']),
    )
    // Said, and no reason to take the server away: it may be the database's clock that is wrong, for all of them.
    data['clock'] = clocksAgree(deps.memory.clock_apart_ms ?? 0) ? 'up' : 'apart'
    if (is_ready) return { result: 1, message: '', data }
    const { language } = requestInfo(request, deps.config.default_language)
    return reply.code(503).send({ result: 503, message: errorMessage('unavailable', language), data })
  })

  app.get('/health', async (request, reply) => {
    reply.header('cache-control', 'no-store')
    // In doubt is no fault that another server would not have: it goes on serving, and nothing expires meanwhile.
    const clock = clockDoubt(deps) ?? null
    if ((await readiness()).database)
      return {
        result: 1,
        message: '',
        data: {
          database: 'up',
          // No reason to take the server out of service: people work on, and another server would have no other broker.
          broker: deps.link.brokerIsUp?.() === false ? 'down' : 'up',
          node_kid: deps.node_kid,
          clock_doubt: clock,
          disk_full: diskIsFull(deps),
        },
      }
    const { language } = requestInfo(request, deps.config.default_language)
    return reply
      .code(503)
      .send({ result: 503, message: errorMessage('unavailable', language), data: { database: 'down' } })
  })

  app.get('/metrics', async (request, reply) => {
    if (!mayRead(request, deps.config.metrics_token)) throw new Refusal('no_permission')
    return reply
      .header('content-type', metrics.content_type)
      .header('cache-control', 'no-store')
      .send(await metrics.text())
  })

  // Empty is "the address you came by", which this server's own console always calls: its pages are allowed no other. A
  // console that is served from elsewhere has a file of its own there (/privatization-config writes it).
  app.get('/url.json', (_request, reply) => reply.header('cache-control', 'no-cache').send({ base_url: '' }))
}

/** With a token, a client that sends it; without one, this machine only, and no client behind a proxy. */
function mayRead(request: FastifyRequest, token: string | undefined): boolean {
  if (token !== undefined) {
    const given = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? ''
    return sameBytes(digest(given), digest(token))
  }
  const is_proxied = request.headers['x-forwarded-for'] !== undefined || request.headers['forwarded'] !== undefined
  const is_local = ['127.0.0.1', '::1', '::ffff:127.0.0.1'].includes(request.raw.socket.remoteAddress ?? '')
  return is_local && !is_proxied
}
