import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import type { WebSocket, WebSocketServer } from 'ws'
import type { Config } from '../config.ts'
import type { Deps } from '../deps.ts'
import { peerAddress } from './peer-address.ts'

/** Accepts a connection that becomes a WebSocket, or answers why not. `rest` is what follows the path of its row. */
export type Upgrade = {
  accept(asked: { request: IncomingMessage; rest: string; address: string }): Promise<Accepted | string> | Accepted
  /** What the connection is given to, and the server that speaks the protocol; without `autoPong`, see answerPings. */
  sockets: WebSocketServer
}
export type Accepted = (socket: WebSocket) => void

/** What may wait for a peer that goes on pinging. */
const unsent_bytes = 64 * 1024
/** So many connections at once may wait to be let in. */
const waiting_at_most = 200

declare module 'fastify' {
  interface FastifyInstance {
    /** What may be upgraded, by path; a path that ends with a slash stands for all below it. */
    upgrades: Map<string, Upgrade>
  }
}

/**
 * Gives the app its table of upgrades, which is empty yet. A page of a foreign origin is refused before
 * anything is asked: its browser would send what this one's may.
 */
export function mountUpgrades(app: FastifyInstance, deps: Deps): void {
  const table = new Map<string, Upgrade>()
  app.decorate('upgrades', table)
  const addressOf = peerAddress(deps.config.trust_proxy)
  let waiting = 0
  app.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy())
    const path = request.url?.split('?', 1)[0] ?? ''
    const row = [...table.keys()].find((key) => (key.endsWith('/') ? path.startsWith(key) : path === key))
    if (row === undefined) return answer(socket, '404 Not Found')
    if (!isOwnOrigin(request, deps.config)) return answer(socket, '403 Forbidden')
    if (waiting >= waiting_at_most) return answer(socket, '503 Service Unavailable')
    const { sockets, accept } = table.get(row)!
    waiting += 1
    void Promise.resolve()
      .then(() => accept({ request, rest: path.slice(row.length), address: addressOf(request) }))
      .then(
        (accepted) => {
          if (socket.destroyed) return
          if (typeof accepted === 'string') answer(socket, accepted)
          else
            sockets.handleUpgrade(request, socket, head, (ws) => {
              answerPings(ws)
              accepted(ws)
            })
        },
        (error: unknown) => {
          deps.log.warn({ err: error, path: row }, 'a connection could not be let in')
          answer(socket, '503 Service Unavailable')
        },
      )
      .finally(() => (waiting -= 1))
  })
  app.addHook('preClose', async () => {
    for (const { sockets } of table.values()) {
      for (const ws of sockets.clients) ws.terminate()
      sockets.close()
    }
  })
}

/** A peer that sends pings and reads nothing would have every answer kept for it. */
export function answerPings(socket: Pick<WebSocket, 'on' | 'pong' | 'bufferedAmount'>): void {
  socket.on('ping', (data: Buffer) => {
    if (socket.bufferedAmount < unsent_bytes) socket.pong(data)
  })
}

function answer(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}

/** Devices send no Origin; a browser's must be this server's own, or that of a console which is served from elsewhere. */
export function isOwnOrigin(
  request: IncomingMessage,
  { public_url, console_origins }: Pick<Config, 'public_url' | 'console_origins'>,
): boolean {
  const { origin, host } = request.headers
  if (origin === undefined) return true
  if (!URL.canParse(origin)) return false
  const from = new URL(origin)
  if (from.host === host || console_origins.includes(origin.toLowerCase())) return true
  return public_url !== undefined && from.origin === new URL(public_url).origin
}
