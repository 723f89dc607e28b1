import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { WebSocketServer } from 'ws'
import type { WebSocket } from 'ws'
import { limits } from '@mdm/device-link'
import type { Deps } from '../deps.ts'
import { peerAddress } from './peer-address.ts'

/** Gives the broker a WebSocket that speaks MQTT, and the address of its peer. */
export type AttachWebSocket = (socket: WebSocket, address: string) => void

/** MQTT over WebSocket for devices behind firewalls. A page of a foreign origin is refused before anything is spoken. */
export function mountMqtt(app: FastifyInstance, deps: Deps, attach: AttachWebSocket | undefined): void {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: limits.packet_bytes + 64,
    perMessageDeflate: false,
    handleProtocols: (offered) => (offered.has('mqtt') ? 'mqtt' : false),
  })
  const addressOf = peerAddress(deps.config.trust_proxy)
  app.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy())
    if (!attach || request.url?.split('?', 1)[0] !== '/mqtt') return answer(socket, '404 Not Found')
    if (!isOwnOrigin(request, deps.config.public_url)) return answer(socket, '403 Forbidden')
    sockets.handleUpgrade(request, socket, head, (ws) => attach(ws, addressOf(request)))
  })
  app.addHook('preClose', async () => {
    for (const ws of sockets.clients) ws.terminate()
    sockets.close()
  })
}

function answer(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}

/** Devices send no Origin; a browser's must be this server's own. */
export function isOwnOrigin(request: IncomingMessage, public_url: string | undefined): boolean {
  const { origin, host } = request.headers
  if (origin === undefined) return true
  if (!URL.canParse(origin)) return false
  const from = new URL(origin)
  return from.host === host || (public_url !== undefined && from.origin === new URL(public_url).origin)
}
