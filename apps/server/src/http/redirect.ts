import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { backlog } from '../lib/backlog.ts'

/** Where an authority looks for its challenge (RFC 8555, 8.3). */
const challenges = '/.well-known/acme-challenge/'
const token_shape = /^[\w-]{16,200}$/
const connections_max = 500
const patience_ms = 10_000

/**
 * Leads everybody to the same path of the public address, whatever host was asked for, and answers an authority that wants to know
 * whether this server has asked it for a certificate.
 */
export async function listenForRedirects(
  { host, port, public_url }: { host: string; port: number; public_url: string },
  answerTo: (token: string) => Promise<string | undefined>,
): Promise<{ port: number; close(): Promise<void> }> {
  const { origin } = new URL(public_url)
  const server = createServer((request, response) => {
    const path = request.url?.startsWith('/') ? request.url : '/'
    request.resume()
    if (!path.startsWith(challenges)) {
      const is_read = request.method === 'GET' || request.method === 'HEAD'
      return void response.writeHead(is_read ? 301 : 308, { location: `${origin}${path}`, connection: 'close' }).end()
    }
    const token = path.slice(challenges.length)
    void (token_shape.test(token) ? answerTo(token) : Promise.resolve(undefined))
      .catch(() => undefined)
      .then((answer) =>
        response
          .writeHead(answer === undefined ? 404 : 200, { 'content-type': 'text/plain', connection: 'close' })
          .end(answer ?? ''),
      )
  })
  server.maxConnections = connections_max
  server.headersTimeout = server.requestTimeout = server.timeout = patience_ms
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, host, backlog }, resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
