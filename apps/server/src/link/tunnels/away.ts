import { ticketProtocol, tunnel_frame_bytes, tunnel_protocol } from '@mdm/device-link'
import { WebSocket } from 'ws'
import { shut, unseen } from './tunnels.ts'
import type { Tunnels } from './tunnels.ts'

const connect_ms = 5_000

/** Joins a viewer to a device whose end is on another server, through that one. */
export function joinAway(
  tunnels: Tunnels,
  kid: string,
  viewer: WebSocket,
  there: { url: string; ticket: string },
  left: () => void | Promise<void>,
): void {
  const url = `${there.url.replace(/^http/, 'ws')}/tunnel/${kid}`
  const far = new WebSocket(url, [tunnel_protocol, ticketProtocol(there.ticket)], {
    perMessageDeflate: false,
    maxPayload: tunnel_frame_bytes.most,
    handshakeTimeout: connect_ms,
  })
  const lost = () => {
    shut(viewer, 'device_gone')
    void left()
  }
  far.once('error', lost)
  viewer.once('close', () => far.terminate())
  far.once('open', () => {
    far.off('error', lost)
    tunnels.park(kid, far, left, true)
    if (!tunnels.join(kid, viewer, unseen)) tunnels.end(kid, 'viewer_gone')
  })
}
