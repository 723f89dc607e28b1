import { fastify } from 'fastify'
import type { FastifyError, FastifyInstance } from 'fastify'
import type { Deps } from '../deps.ts'
import { newKid } from '../lib/ids.ts'
import { Refusal } from '../refusal.ts'
import { mountHealth } from './health.ts'
import type { Metrics } from './metrics.ts'
import type { AskReadiness } from './readiness.ts'
import { refuseRequest } from './refusals.ts'

/** What monitors ask on a port of their own, which can be closed to everybody but monitors. Not listening yet. */
export function createMonitors(deps: Deps, metrics: Metrics, readiness: AskReadiness): FastifyInstance {
  const app = fastify({ logger: false, genReqId: () => newKid(), forceCloseConnections: true })
  app.setErrorHandler<FastifyError>((error, request, reply) => refuseRequest(deps, error, request, reply))
  app.setNotFoundHandler(() => {
    throw new Refusal('not_found')
  })
  mountHealth(app, deps, metrics, readiness)
  return app
}
