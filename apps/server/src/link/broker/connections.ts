import type { Socket } from 'node:net'
import type { Client } from 'aedes'
import { writeToStream } from 'mqtt-packet'
import type { Limits, Outcome } from './broker-messages.ts'

export type Connection = {
  kid: string
  /** Of this connection alone: presence is decided by it, never by the order in which things arrive. */
  epoch: string
  client: Client
  socket: Socket
  /** Publishes that wait for their commit, in the order in which they came, and their bytes. */
  waiting_up: Publish[]
  waiting_bytes: number
  /** Stops reading while too much is waiting. */
  intake: { readOn(): void }
  /** Message id -> what to do at its PUBACK or at the end. */
  waiting_down: Map<number, (outcome: Outcome) => void>
  last_id: number
}

export type Publish = { done: (error?: Error | null) => void; bytes: number; is_committed: boolean | undefined }

/**
 * Acknowledgements leave in the order of the publishes [MQTT-4.6.0-2], whatever the order of their commits. What is not
 * committed ends the connection: the device sends it again.
 */
export function acknowledgeInOrder(connection: Connection): void {
  const { waiting_up, client } = connection
  // After its end aedes would report each of them as one more error.
  while (!client.closed && waiting_up.length > 0 && waiting_up[0]!.is_committed !== undefined) {
    const { done, bytes, is_committed } = waiting_up.shift()!
    connection.waiting_bytes -= bytes
    done(is_committed ? null : new Error('not committed'))
  }
  if (!client.closed) connection.intake.readOn()
}

/**
 * Sends one QoS 1 publish and answers once the device acknowledged it. Written straight to the connection: aedes'
 * routing would queue for a peer that does not read, and crash by recursion when such a peer goes.
 */
export function deliver(
  connection: Connection,
  topic: string,
  payload: string,
  limits: Limits,
  done: (outcome: Outcome) => void,
): void {
  const { socket, waiting_down, client } = connection
  if (client.closed || socket.destroyed || !isSubscribed(connection, topic)) return done('offline')
  if (waiting_down.size >= limits.inflight_down) return done('window_full')
  if (socket.writableLength > limits.unread_bytes) {
    socket.destroy()
    return done('offline')
  }
  do connection.last_id = (connection.last_id % 65_535) + 1
  while (waiting_down.has(connection.last_id))
  const messageId = connection.last_id
  waiting_down.set(messageId, done)
  writeToStream({ cmd: 'publish', topic, payload, qos: 1, messageId, dup: false, retain: false }, socket)
}

export function acknowledged(connection: Connection, messageId: number): void {
  const done = connection.waiting_down.get(messageId)
  connection.waiting_down.delete(messageId)
  done?.('acknowledged')
}

export function ended(connection: Connection): void {
  for (const done of connection.waiting_down.values()) done('offline')
  connection.waiting_down.clear()
  connection.waiting_up.length = 0
}

const isSubscribed = ({ client, kid }: Connection, topic: string): boolean => {
  const { subscriptions } = client as unknown as { subscriptions: Record<string, unknown> }
  return topic in subscriptions || `mdm/v1/${kid}/down/#` in subscriptions
}
