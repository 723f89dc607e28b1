import { parseUp } from '@mdm/device-link'
import type { MqttClient } from 'mqtt'
import type { Deps } from '../deps.ts'
import { connectExternal } from './external-connect.ts'
import type { LinkCallbacks } from './peer.ts'

const connect_ms = 10_000
/** A broker that is silent for half as long again is taken for away, and this server's sessions there given up. */
const keepalive_seconds = 10
const reconnect_ms = 2_000

type Packet = { cmd: string; messageId?: number }
type Sender = (packet: Packet, done?: (error?: Error) => void, ...rest: unknown[]) => void

/** A client under the name of one session (`broker_session.kid`), and when all that came over it is committed. */
export type SessionClient = { client: MqttClient; settled(): Promise<void> }
export type Connect = (of: { kid: string; clean: boolean; reconnects: boolean }) => Promise<SessionClient>

/** Connects to a broker of somebody else's; each message of a device is acknowledged after its commit. */
export const connectTo =
  (deps: Deps, url: string, callbacks: LinkCallbacks): Connect =>
  async ({ kid, clean, reconnects }) => {
    const clientId = `mdm-server-${kid}`
    let settled = async () => {}
    const client = await connectExternal(
      url,
      { clientId, clean, connect_ms, reconnectPeriod: reconnects ? reconnect_ms : 0, keepalive: keepalive_seconds },
      (opening) => {
        opening.on('error', (error) => deps.log.warn({ err: error }, 'external MQTT broker'))
        settled = acknowledgeAfter(opening, deps, callbacks)
      },
    )
    return { client, settled }
  }

/**
 * The client library acknowledges a message before it takes the next one, which would make every commit wait for the one
 * before. So its PUBACKs are held back here, each until its own message is committed, while the reading goes on; how many
 * may be open is the broker's own limit (max_inflight). The answer resolves once those that are open
 * have been sent, and rejects when a message could not be committed.
 */
function acknowledgeAfter(client: MqttClient, deps: Deps, callbacks: LinkCallbacks): () => Promise<void> {
  const committed = new Map<number, Promise<void>>()
  const open = new Set<Promise<void>>()
  let failure: Error | undefined
  const internals = client as unknown as { _sendPacket: Sender }
  const send = internals._sendPacket.bind(client)
  client.on('message', (topic, payload, packet) => {
    const up = parseUp(topic)
    const done = up ? callbacks.inbound(up.kid, up.name, payload) : Promise.resolve()
    done.catch(() => {})
    if (packet.messageId !== undefined) committed.set(packet.messageId, done)
  })
  internals._sendPacket = (packet, done, ...rest) => {
    if (packet.cmd !== 'puback' || packet.messageId === undefined) return send(packet, done, ...rest)
    const commit = committed.get(packet.messageId)
    committed.delete(packet.messageId)
    const { stream } = client
    const acknowledge = () => {
      // An id belongs to its connection; over another one it would acknowledge something else.
      if (client.stream === stream && client.connected) send(packet)
    }
    const refuse = (error: unknown) => {
      failure = new Error('a device message could not be committed', { cause: error })
      deps.log.warn({ err: error }, 'a device message could not be committed: it is asked for again')
      // MQTT 3.1.1 repeats what is not acknowledged only over a new connection.
      if (client.stream === stream) stream.destroy()
    }
    const answered = (commit ?? Promise.resolve()).then(acknowledge, refuse)
    open.add(answered)
    void answered.finally(() => open.delete(answered))
    done?.()
  }
  return async () => {
    await Promise.all(open)
    if (failure) throw failure
  }
}
