import { limits } from '@mdm/device-link/limits.ts'
import type { UpName } from '@mdm/device-link'
import type { Certificate } from '../../lib/certificate.ts'

/** Where it listens for MQTT over TLS, and by which certificate: without one nobody gets beyond the greeting. */
export type TlsListener = {
  port: number
  certificate: Certificate | undefined
  /** PEM of the authority whose certificate everybody has to show who comes; nobody comes another way then. */
  device_ca?: string | undefined
}

/**
 * What the broker's process and the server say to each other, over the process's own channel. Both sides gather what
 * is said within one turn of the event loop and send it as one array: a channel message costs far more than its items.
 */
export type ToServer =
  | { t: 'listening'; port: number; tls_port: number | undefined; stream: string }
  | { t: 'connect'; id: number; kid: string; secret: string; address: string }
  | { t: 'opened'; kid: string; epoch: string; address: string; transport: Transport }
  | { t: 'closed'; kid: string; epoch: string }
  | { t: 'subscribed'; kid: string; epoch: string }
  | { t: 'up'; id: number; kid: string; name: UpName; payload: Uint8Array }
  | { t: 'delivered'; id: number; outcome: Outcome }
  | { t: 'stats'; id: number; stats: BrokerStats }
  | { t: 'refused'; counts: Partial<Record<BrokerRefusal, number>> }
  | { t: 'log'; level: 'info' | 'warn'; message: string; details: Record<string, unknown> }

export type ToBroker =
  | { t: 'listen'; host: string; port: number; limits: Limits; tls?: TlsListener | undefined }
  | { t: 'certificate'; certificate: Certificate }
  | { t: 'admit'; id: number; is_admitted: boolean | undefined }
  | { t: 'committed'; id: number; is_committed: boolean }
  | { t: 'deliver'; id: number; kid: string; topic: string; payload: string }
  | { t: 'kick'; kid: string; reason: string }
  | { t: 'stats'; id: number }
  | { t: 'close' }

export type Transport = 'mqtt' | 'websocket'
export type Outcome = 'acknowledged' | 'offline' | 'window_full'
/** What the broker refuses by itself, each a counter of /metrics. */
export type BrokerRefusal =
  | 'connects_wrong_secret'
  | 'connects_too_many'
  | 'connects_malformed'
  | 'publishes_refused'
  | 'subscribes_refused'
  | 'packets_refused'
export type BrokerStats = {
  connections: number
  refused: number
  waiting_up: number
  waiting_down: number
  memory: number
}

export type Limits = {
  connections: number
  /** Connects a second that are looked at, and how many may come at once. The rest is told to come again. */
  connect_rate: number
  connect_burst: number
  /** Connects of one device with its right secret that may come at once; then one every 10 s. */
  device_connects: number
  /** Wrong secrets a minute from one address, before its unknown devices no longer take from what all share. */
  wrong_secrets: number
  /** Publishes of one device that wait for their commit, and their bytes, before nothing more is read from it. */
  inflight_up: number
  inflight_bytes: number
  /** Bytes of one packet, of a stranger and of a device. */
  connect_bytes: number
  packet_bytes: number
  /** Publishes to one device that it has not acknowledged. */
  inflight_down: number
  keepalive_s: number
  /** Bytes that wait in one connection because its peer does not read. */
  unread_bytes: number
  connect_ms: number
}
export const defaultLimits: Limits = {
  connections: 50_000,
  connect_rate: 500,
  connect_burst: 1_000,
  device_connects: 60,
  wrong_secrets: 120,
  inflight_up: 500,
  inflight_bytes: 1_048_576,
  connect_bytes: 4_096,
  // The largest payload, and its topic.
  packet_bytes: limits.packet_bytes + 1_024,
  inflight_down: 16,
  keepalive_s: 300,
  unread_bytes: 1_048_576,
  connect_ms: 10_000,
}

/** Sends everything said within one turn as one message. `false` from `post` means that the other side is gone. */
export function gather<T>(post: (batch: T[]) => void): (item: T) => void {
  let batch: T[] = []
  return (item) => {
    if (batch.push(item) > 1) return
    setImmediate(() => {
      const full = batch
      batch = []
      post(full)
    })
  }
}
