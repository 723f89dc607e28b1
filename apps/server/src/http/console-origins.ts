import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'

const allowed_headers = [
  ...['authorization', 'content-type', 'timestamp', 'range'],
  ...[
    'tus-resumable',
    'upload-length',
    'upload-metadata',
    'upload-offset',
    'upload-defer-length',
    'x-http-method-override',
  ],
].join(', ')
const shown_headers = [
  ...['content-disposition', 'content-length', 'content-range', 'retry-after'],
  ...['location', 'tus-resumable', 'upload-offset', 'upload-length', 'upload-metadata'],
].join(', ')
const day_s = 86_400

/** Whether the request comes from a page of a console that is served from elsewhere. */
export const isOfConsole = ({ console_origins }: Config, { headers }: FastifyRequest): boolean =>
  headers.origin !== undefined && console_origins.includes(headers.origin.toLowerCase())

/**
 * Lets pages of these origins read what the server answers (CORS). Calls are signed in by a header and not by cookies, so
 * credentials are not allowed. What is sent past Fastify, as streams and uploads are, has the headers too.
 */
export function allowConsoles(app: FastifyInstance, config: Config): void {
  if (config.console_origins.length === 0) return
  app.addHook('onRequest', async (request, reply) => {
    const { raw } = reply
    raw.setHeader('vary', 'origin')
    if (!isOfConsole(config, request)) return
    raw.setHeader('access-control-allow-origin', request.headers.origin!)
    raw.setHeader('access-control-expose-headers', shown_headers)
    // Pictures of files, in its pages.
    raw.setHeader('cross-origin-resource-policy', 'cross-origin')
    if (request.method !== 'OPTIONS' || request.headers['access-control-request-method'] === undefined) return
    return reply
      .code(204)
      .header('access-control-allow-methods', 'GET, HEAD, POST, PUT, PATCH, DELETE')
      .header('access-control-allow-headers', allowed_headers)
      .header('access-control-max-age', day_s)
      .send()
  })
}
