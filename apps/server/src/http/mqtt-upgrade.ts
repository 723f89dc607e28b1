import { WebSocketServer } from 'ws'
import type { WebSocket } from 'ws'
import { limits } from '@mdm/device-link'
import type { Upgrade } from './upgrades.ts'

/** Gives the broker a WebSocket that speaks MQTT, and the address of its peer. */
export type AttachWebSocket = (socket: WebSocket, address: string) => void

/** MQTT over WebSocket for devices behind firewalls. */
export const mqttUpgrade = (attach: AttachWebSocket): Upgrade => ({
  sockets: new WebSocketServer({
    noServer: true,
    maxPayload: limits.packet_bytes + 64,
    perMessageDeflate: false,
    autoPong: false,
    handleProtocols: (offered) => (offered.has('mqtt') ? 'mqtt' : false),
  }),
  accept:
    ({ address }) =>
    (socket) =>
      attach(socket, address),
})
