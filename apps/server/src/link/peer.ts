import type { UpName } from '@mdm/device-link'

/** One connection of a device to a broker, as the broker saw it begin. */
export type Peer = {
  kid: string
  /** Of this connection alone; presence is decided by it. */
  epoch: string
  /** Without port. */
  address: string
  transport: 'mqtt' | 'websocket'
}

/** What a broker asks of the link, whatever the broker. */
export type LinkCallbacks = {
  /** Whether this device may connect with this secret. */
  authenticate(kid: string, secret: string): Promise<boolean>
  connected(peer: Peer): void
  disconnected(kid: string, epoch: string): void
  /** The device listens to what the server sends, from now on. */
  subscribed?(kid: string, epoch: string): void
  /** The broker was away: what was on its way may be lost; of what devices said nothing, where it has kept the session. */
  resumed?(is_kept: boolean): void
  /** Resolves once what the message says is committed: only then may its PUBACK leave. Rejects when it cannot be. */
  inbound(kid: string, name: UpName, payload: Uint8Array): Promise<void>
}

/** `terminal_state.transport` of a device that checks in instead of being connected. */
export const checked_in = 'check_in'

export type Delivery = 'sent' | 'acknowledged' | 'offline' | 'window_full'

/** What the link asks of a broker. */
export type Broker = {
  deliver(kid: string, topic: string, payload: string): Promise<Delivery>
  kick(kid: string, reason: string): Promise<void>
  /** Whether devices can reach it now. */
  isUp(): boolean
  close(): Promise<void>
}
