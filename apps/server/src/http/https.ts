import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { backlog } from '../lib/backlog.ts'
import type { Certificate } from '../lib/certificate.ts'

export type HttpsListener = { port: number; use(certificate: Certificate): void; close(): Promise<void> }

/**
 * The same server over TLS: what comes in is handed to the plain one, whose routes, limits and upgrades hold for it. `use`
 * takes another certificate for connections that come from then on; without one no connection gets beyond its greeting.
 */
export async function listenForHttps(
  app: FastifyInstance,
  { host, port, certificate }: { host: string; port: number; certificate: Certificate | undefined },
): Promise<HttpsListener> {
  const plain = app.server
  const secure = createServer({ ...certificate, minVersion: 'TLSv1.2' })
  secure.headersTimeout = plain.headersTimeout
  secure.requestTimeout = plain.requestTimeout
  secure.keepAliveTimeout = plain.keepAliveTimeout
  secure.timeout = plain.timeout
  let is_closing = false
  secure.on('request', (request, response) => {
    if (is_closing) response.setHeader('connection', 'close')
    plain.emit('request', request, response)
  })
  secure.on('upgrade', (...upgrade) => void plain.emit('upgrade', ...upgrade))
  secure.on('clientError', (...failed) => void plain.emit('clientError', ...failed))
  await new Promise<void>((resolve, reject) => {
    secure.once('error', reject)
    secure.listen({ port, host, backlog }, resolve)
  })
  return {
    port: (secure.address() as AddressInfo).port,
    use: (renewed) => secure.setSecureContext({ ...renewed, minVersion: 'TLSv1.2' }),
    close: () =>
      new Promise((resolve) => {
        is_closing = true
        const idle = setInterval(() => secure.closeIdleConnections(), 100)
        const late = setTimeout(() => secure.closeAllConnections(), in_flight_ms)
        secure.close(() => {
          clearInterval(idle)
          clearTimeout(late)
          resolve()
        })
        secure.closeIdleConnections()
      }),
  }
}

/** A request that has not ended this long after the server began to close is cut. */
const in_flight_ms = 5_000
