import helmet from '@fastify/helmet'
import rateLimit from '@fastify/rate-limit'
import type { Call } from '@mdm/contract'
import { fastify } from 'fastify'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import type { Deps } from '../deps.ts'
import type { FileSigner } from '../files/signature.ts'
import { newKid } from '../lib/ids.ts'
import { logScope } from '../lib/log.ts'
import { networkOf } from '../lib/network.ts'
import { Refusal } from '../refusal.ts'
import { mountBrokerAuth } from './broker-auth.ts'
import { mountCheckIns } from './check-in.ts'
import { allowConsoles, isOfConsole } from './console-origins.ts'
import { contentSecurity } from './content-security.ts'
import { mountHealth } from './health.ts'
import { parseJsonBodies } from './json-body.ts'
import { mountEvents } from './live/live.ts'
import type { LiveHub } from './live/hub.ts'
import type { Metrics } from './metrics.ts'
import { mountCalls } from './mount.ts'
import type { AllHandlers } from './mount.ts'
import { mqttUpgrade } from './mqtt-upgrade.ts'
import type { AttachWebSocket } from './mqtt-upgrade.ts'
import { mountOpenapi } from './openapi.ts'
import type { AskReadiness } from './readiness.ts'
import { refuseRequest } from './refusals.ts'
import { mountConsole, mountTerminalPage } from './static.ts'
import { tunnelUpgrade } from './tunnel-upgrade.ts'
import { mountUpgrades } from './upgrades.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    call?: Call
    /** Its body or reply may take as long as it moves; its size is bounded elsewhere. */
    is_stream?: boolean
  }
}

/** What the edge serves beside `deps`. */
export type Edge = {
  handlers: AllHandlers
  /** What features and files serve beside the calls. */
  mountRoutes(app: FastifyInstance, deps: Deps, edge: Edge): Promise<void>
  hub: LiveHub
  signer: FileSigner
  metrics: Metrics
  readiness: AskReadiness
  /** Folder of the built console; without it only the API is served. */
  console_dir?: string | undefined
  /** Folder of the built page for browsers that are devices; without it, and where it is switched off, there is none. */
  terminal_dir?: string | undefined
  /** Takes over WebSockets of devices; without it /mqtt is refused. */
  attachMqtt?: AttachWebSocket | undefined
  /** Requests a minute to public calls, from one address. */
  public_per_minute?: number | undefined
}

const body_bytes = 1024 * 1024
const headers_ms = 20_000
/** A socket on which nothing moves. */
const idle_ms = 120_000
/** A whole body, other than of a stream. */
const body_ms = 60_000
/** Three requests make a sign-in; an office of a hundred people shares one address. */
const public_per_minute = 300

/** The HTTP server with everything mounted, not listening yet. */
export async function createApp(deps: Deps, edge: Edge): Promise<FastifyInstance> {
  const { config, log } = deps
  const refuse = (error: FastifyError, request: FastifyRequest, reply: FastifyReply) =>
    refuseRequest(deps, error, request, reply)
  const app = fastify({
    logger: false,
    // X-Forwarded-For counts only from a proxy that the operator names.
    trustProxy: config.trust_proxy.length > 0 ? config.trust_proxy : false,
    genReqId: () => newKid(),
    requestIdHeader: false,
    bodyLimit: body_bytes,
    connectionTimeout: idle_ms,
    keepAliveTimeout: 65_000,
    // Bodies are bounded below: a large upload over a slow line may take an hour.
    requestTimeout: 0,
    http: { headersTimeout: headers_ms },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    exposeHeadRoutes: false,
    // Gateways are told ids of any length, and say what is wrong with them.
    routerOptions: {
      caseSensitive: true,
      ignoreDuplicateSlashes: false,
      ignoreTrailingSlash: false,
      maxParamLength: 1_000,
    },
    frameworkErrors: (error, request, reply) => void refuse(error, request as FastifyRequest, reply as FastifyReply),
  })
  app.setErrorHandler<FastifyError>(refuse)
  app.setNotFoundHandler(() => {
    throw new Refusal('not_found')
  })
  parseJsonBodies(app)
  boundBodies(app)
  refuseForeignWrites(app, config)
  endConnectionsOnClose(app, deps)
  logRequests(app, deps, edge.metrics)
  await app.register(helmet, contentSecurity(config))
  allowConsoles(app, config)
  await limitPublicCalls(app, edge.public_per_minute ?? public_per_minute)

  mountUpgrades(app, deps)
  mountCalls(app, deps, edge.handlers)
  mountEvents(app, deps, edge.hub)
  await edge.mountRoutes(app, deps, edge)
  mountCheckIns(app, deps)
  mountBrokerAuth(app, deps)
  mountHealth(app, deps, edge.metrics, edge.readiness)
  mountOpenapi(app)
  if (edge.attachMqtt) app.upgrades.set('/mqtt', mqttUpgrade(edge.attachMqtt))
  app.upgrades.set('/tunnel/', tunnelUpgrade(app, deps))
  if (edge.terminal_dir !== undefined && config.gateways.browser)
    await mountTerminalPage(app, edge.terminal_dir, config, log)
  if (edge.console_dir !== undefined) await mountConsole(app, edge.console_dir, log)
  return app
}

/** Headers are bounded by Node; a body that drips is bounded here. */
function boundBodies(app: FastifyInstance): void {
  app.addHook('onRequest', async (request) => {
    // A NUL fits into no column and no file name.
    if (request.url.includes('%00'))
      throw new Refusal('bad_input', {}, { '': { name: 'illegal_character', pattern: String.raw`^[^\0]*$` } })
    if (request.routeOptions.config.is_stream || request.raw.complete) return
    const timer = setTimeout(() => request.raw.complete || request.raw.destroy(), body_ms).unref()
    request.raw.once('close', () => clearTimeout(timer))
  })
}

/**
 * While the server drains and closes, a connection ends with its answer: a proxy sends its next request elsewhere, and none holds the
 * end up for a minute. Whoever was faster is answered all the same.
 */
function endConnectionsOnClose(app: FastifyInstance, { memory }: Deps): void {
  let is_closing = false
  app.addHook('preClose', async () => void (is_closing = true))
  app.addHook('onRequest', async (_request, reply) => {
    if (is_closing || memory.is_draining) reply.raw.setHeader('connection', 'close')
  })
  app.addHook('onResponse', async () => {
    if (is_closing) app.server.closeIdleConnections()
  })
}

/** The specification changes things by GET too: a link on a foreign page must not be able to. */
function refuseForeignWrites(app: FastifyInstance, config: Config): void {
  app.addHook('onRequest', async (request) => {
    const is_write = request.routeOptions.config.call?.effect === 'write'
    const is_foreign = ['cross-site', 'same-site'].includes(String(request.headers['sec-fetch-site']))
    if (is_write && is_foreign && !isOfConsole(config, request)) throw new Refusal('no_permission')
  })
}

function logRequests(app: FastifyInstance, deps: Deps, metrics: Metrics): void {
  // Once more before the handler: what reads a body does so from outside.
  for (const hook of ['onRequest', 'preHandler'] as const)
    app.addHook(hook, (request: FastifyRequest, reply: FastifyReply, done: () => void) => {
      // A proxy writes it into its own log.
      if (hook === 'onRequest') reply.raw.setHeader('x-request-id', request.id)
      logScope.run({ request_kid: request.id }, done)
    })
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'none'
    metrics.observeHttp(request.method, route, reply.statusCode, reply.elapsedTime / 1000)
    // The pattern, not the address: addresses of files carry names and signatures.
    deps.log.debug(
      {
        request_kid: request.id,
        method: request.method,
        route,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
        ip: request.ip,
      },
      'request',
    )
  })
}

async function limitPublicCalls(app: FastifyInstance, max: number): Promise<void> {
  app.addHook('onRoute', (route) => {
    if (route.config?.call?.needs === 'public') route.config.rateLimit = { max, timeWindow: 60_000 }
  })
  await app.register(rateLimit, {
    global: false,
    keyGenerator: (request) => networkOf(request.ip),
    errorResponseBuilder: (_request, { ttl }) => new Refusal('too_many_requests', { seconds: Math.ceil(ttl / 1000) }),
  })
}
