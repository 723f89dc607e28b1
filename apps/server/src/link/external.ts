import { parseUp, upTopic } from '@mdm/device-link'
import { sql } from 'kysely'
import type { MqttClient } from 'mqtt'
import type { Deps } from '../deps.ts'
import { clockDoubt } from '../lib/clock-watch.ts'
import { newKid } from '../lib/ids.ts'
import { connectExternal } from './external-connect.ts'
import { openKicks } from './external-kick.ts'
import { listenFor } from './external-listen.ts'
import { opennessOf } from './external-probe.ts'
import { keepSession } from './external-sessions.ts'
import type { SessionClient } from './external-sessions.ts'
import type { Broker, LinkCallbacks } from './peer.ts'
import { endConnectionsAt } from './presence.ts'

const connect_ms = 10_000
const proof_ms = 5_000
/** A broker that is silent for half as long again is taken for away, and this server's session there given up. */
const keepalive_seconds = 10
const reconnect_ms = 2_000
/** Wills tell of ends; this is for what a broker itself lost. Devices report every two hours at least. */
const silent_ms = 3 * 60 * 60_000
const inbound_filter = '$share/mdm/mdm/v1/+/up/#'

type Packet = { cmd: string; messageId?: number }
type Sender = (packet: Packet, done?: (error?: Error) => void, ...rest: unknown[]) => void

/**
 * An MQTT broker or cluster of somebody else's. Messages of devices are shared among all server nodes, and each is
 * acknowledged after its commit. Throws when the broker cannot be reached or does not deliver shared subscriptions.
 */
export async function startExternal(deps: Deps, url: string, callbacks: LinkCallbacks): Promise<Broker> {
  const shown = withoutPassword(url)
  const session = await keepSession(deps, inbound_filter, (of) =>
    open(deps, url, callbacks, { ...of, reconnects: false }),
  )
  let client: MqttClient
  try {
    ;({ client } = await open(deps, url, callbacks, { node_kid: deps.node_kid, clean: false, reconnects: true }))
  } catch (error) {
    await session.forget()
    throw new Error(`MQTT_URL: the broker ${shown} cannot be used: ${(error as Error).message}`, { cause: error })
  }
  try {
    await proveSharing(deps, client, shown)
    await assertClosed(deps, url, client, shown)
    await client.subscribeAsync(inbound_filter, { qos: 1 })
  } catch (error) {
    await client.endAsync(true)
    // Why the broker cannot be used is what has to be said, also where it is gone by now.
    await session.end().catch(() => session.leave())
    throw error
  }
  const repeat = () => callbacks.resumed?.(true)
  session.inheritOthers(repeat)
  // While no server listened, what devices said may have gone beyond what the broker keeps.
  if (!(await session.hasOthers())) repeat()
  const reopen = async (is_kept: boolean) => {
    const { stream } = client
    try {
      const { lost_at, was_ended } = await session.reopened()
      // A broker that was killed remembers no session: the connections of devices ended with it, and nobody tells their ends.
      if (!is_kept && !was_ended && lost_at) await endConnectionsAt(deps, lost_at)
      await client.subscribeAsync(inbound_filter, { qos: 1 })
      callbacks.resumed?.(is_kept)
    } catch (error) {
      deps.log.warn({ err: error }, 'external MQTT broker: connecting once more')
      stream.destroy()
    }
  }
  client.on('connect', ({ sessionPresent }) => void reopen(sessionPresent))
  client.on('close', () => {
    session.lost()
    deps.log.warn({ broker: shown }, 'connection to the external MQTT broker closed')
  })
  const stop = deps.clock.every(60_000, () => endSilent(deps))
  return {
    async deliver(_kid, topic, payload) {
      if (!client.connected) return 'offline'
      await client.publishAsync(topic, payload, { qos: 1 })
      return 'acknowledged'
    },
    kick: openKicks(deps, url, () => client.connected),
    isUp: () => client.connected,
    async close() {
      stop()
      try {
        // The last server goes on collecting: what devices say meanwhile waits for the next.
        if (client.connected && (await session.hasOthers())) await client.unsubscribeAsync(inbound_filter)
      } catch (error) {
        deps.log.warn({ err: error }, 'other servers get their share of messages only once this one is gone')
      }
      await client.endAsync()
      await session.leave()
    },
  }
}

async function open(
  deps: Deps,
  url: string,
  callbacks: LinkCallbacks,
  { node_kid, clean, reconnects }: { node_kid: string; clean: boolean; reconnects: boolean },
): Promise<SessionClient> {
  const clientId = `mdm-server-${node_kid}`
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

/** Some brokers accept a shared subscription and deliver nothing (aedes, NATS): devices would be mute without a sign of it. */
async function proveSharing(deps: Deps, client: MqttClient, shown: string): Promise<void> {
  const kid = newKid()
  const topic = upTopic(kid, 'gone')
  const filter = `$share/mdm-proof-${kid}/${topic}`
  let stop = () => {}
  try {
    await client.subscribeAsync(filter, { qos: 1 })
    const message = listenFor(deps, client, { topic, most_ms: proof_ms })
    stop = message.stop
    await client.publishAsync(topic, JSON.stringify({ epoch: kid }), { qos: 1 })
    if (await message.came) return
    throw new Error('it accepts shared subscriptions ($share) but delivers nothing to them')
  } catch (error) {
    throw new Error(
      `MQTT_URL: the broker ${shown} cannot be used: ${(error as Error).message}. Use one with shared subscriptions, ` +
        'such as Mosquitto, EMQX, HiveMQ or VerneMQ, or leave MQTT_URL out for the embedded broker.',
      { cause: error },
    )
  } finally {
    stop()
    await client.unsubscribeAsync(filter).catch(() => {})
  }
}

async function assertClosed(deps: Deps, url: string, client: MqttClient, shown: string): Promise<void> {
  const { reads, speaks } = await opennessOf(deps, url, client)
  const may = [reads && 'read what devices say', speaks && 'speak as a device'].filter(Boolean).join(' and ')
  if (!may) return
  const found = `the broker ${shown} lets anybody without name and password ${may}`
  if (!deps.config.mqtt.may_be_open)
    throw new Error(
      `MQTT_URL: ${found}. Give it an access list (docs/external-broker.md), or set MDM_ALLOW_OPEN_BROKER=true to take that risk.`,
    )
  deps.log.warn({}, found)
}

async function endSilent(deps: Deps): Promise<void> {
  if (clockDoubt(deps)) return
  try {
    const since = new Date(deps.clock.now().getTime() - silent_ms)
    await sql`
      UPDATE terminal_state SET is_online = false, last_online_at = last_contact_at
      WHERE is_online AND node_kid IS NULL AND silent_at IS NULL AND GREATEST(last_contact_at, connected_at) < ${since}
    `.execute(deps.db)
  } catch (error) {
    deps.log.warn({ err: error }, 'silent devices could not be set offline')
  }
}

function withoutPassword(url: string): string {
  const { protocol, host } = new URL(url)
  return `${protocol}//${host}`
}
