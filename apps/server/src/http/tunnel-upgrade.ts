import type { FastifyInstance } from 'fastify'
import { tunnel_frame_bytes, tunnel_protocol } from '@mdm/device-link'
import { WebSocketServer } from 'ws'
import type { WebSocket } from 'ws'
import type { Deps } from '../deps.ts'
import { networkOf } from '../lib/network.ts'
import { takeTry } from '../lib/rate-limit.ts'
import { joinAway } from '../link/tunnels/away.ts'
import { shut } from '../link/tunnels/tunnels.ts'
import { Refusal } from '../refusal.ts'
import type { Upgrade } from './upgrades.ts'

/** Of one address: an office of a hundred people and its devices may be behind one. */
const tries = { limit: 600, per_ms: 60_000 }
const looked_every_ms = 500
const ticket_shape = /^ticket\.([\w-]{43})$/

/**
 * /tunnel/{kid}: an end of a tunnel, a device's, a browser's, or another server's that forwards a browser. The ticket says which;
 * the feature that issued it is asked about it, and for what the bytes pass through.
 */
export function tunnelUpgrade(app: FastifyInstance, deps: Deps): Upgrade {
  const { tunnels } = deps.memory
  const { admit, left, watch } = deps.features.tunnels
  let is_looking = false
  // The machine's own timer: what a session ends by is the clock that `watch` looks at.
  const looks = setInterval(() => {
    if (is_looking || tunnels.size === 0) return
    is_looking = true
    void watch(deps)
      .catch((error: unknown) => deps.log.warn({ err: error }, 'tunnels could not be looked at'))
      .finally(() => (is_looking = false))
  }, looked_every_ms).unref()
  app.addHook('preClose', async () => {
    clearInterval(looks)
    await tunnels.close()
  })

  return {
    sockets: new WebSocketServer({
      noServer: true,
      maxPayload: tunnel_frame_bytes.most,
      perMessageDeflate: false,
      autoPong: false,
      handleProtocols: (offered) => (offered.has(tunnel_protocol) ? tunnel_protocol : false),
    }),
    async accept({ request, rest: kid, address }) {
      const offered = String(request.headers['sec-websocket-protocol'] ?? '').split(/ *, */)
      const ticket = offered.map((each) => ticket_shape.exec(each)?.[1]).find(Boolean)
      if (!offered.includes(tunnel_protocol) || ticket === undefined) return '400 Bad Request'
      try {
        takeTry(deps, 'tunnels', tries, networkOf(address))
      } catch (error) {
        if (error instanceof Refusal) return '429 Too Many Requests'
        throw error
      }
      const admitted = await admit(deps, { kid, ticket, authorization: request.headers.authorization })
      if (!admitted) return '401 Unauthorized'
      const gone = () => left(deps, kid)
      return (socket: WebSocket) => {
        admitted.begin()
        if (admitted.end === 'device') return tunnels.park(kid, socket, gone)
        socket.pause()
        socket.on('error', () => socket.terminate())
        if (admitted.end === 'away') return joinAway(tunnels, kid, socket, admitted, gone)
        if (tunnels.join(kid, socket, admitted.carrier, admitted.forwards)) return
        shut(socket, 'device_gone')
        void gone()
      }
    },
  }
}
