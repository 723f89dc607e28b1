import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders, Server } from 'node:http'
import { WebSocketServer } from 'ws'
import type { WebSocket } from 'ws'
import type { TunnelParams } from '../remote/source.ts'

export type TunnelEnd = {
  kid: string
  headers: IncomingHttpHeaders
  offered: string[]
  socket: WebSocket
  /** The code and the reason with which it was closed. */
  closed: Promise<{ code: number; reason: string }>
}

/** The server's end of tunnels, without its rules: takes whoever comes, as long as `is_refusing` is false. */
export function tunnelServer(http: Server) {
  const arrived: TunnelEnd[] = []
  const settings = { is_refusing: false }
  const sockets = new WebSocketServer({
    noServer: true,
    handleProtocols: (offered) => (offered.has('mdm-tunnel') ? 'mdm-tunnel' : false),
  })
  http.on('upgrade', (request, socket, head) => {
    const kid = /^\/tunnel\/([\w-]+)$/.exec(request.url ?? '')?.[1]
    if (!kid || settings.is_refusing) return void socket.end('HTTP/1.1 401 Unauthorized\r\n\r\n')
    sockets.handleUpgrade(request, socket, head, (ws) => {
      const closed = new Promise<{ code: number; reason: string }>((resolve) =>
        ws.once('close', (code, reason) => resolve({ code, reason: reason.toString() })),
      )
      const offered = (request.headers['sec-websocket-protocol'] ?? '').split(/,\s*/)
      arrived.push({ kid, headers: request.headers, offered, socket: ws, closed })
    })
  })
  return {
    settings,
    arrived,
    /** Params of a request to open one. */
    params(kind: TunnelParams['kind'], more: Partial<TunnelParams> = {}): TunnelParams {
      const tunnel_kid = randomUUID()
      return {
        tunnel_kid,
        kind,
        url: `/tunnel/${tunnel_kid}`,
        ticket: 'b2Jzb2xldGU_-x',
        consent: 'unattended',
        viewer: 'Avery Example',
        clipboard: true,
        view_only: false,
        ...more,
      }
    },
    end: (kid: string): TunnelEnd => {
      const found = arrived.find((each) => each.kid === kid)
      if (!found) throw new Error(`no tunnel ${kid}`)
      return found
    },
  }
}
