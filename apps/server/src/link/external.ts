import { upTopic } from '@mdm/device-link'
import type { MqttClient } from 'mqtt'
import type { Deps } from '../deps.ts'
import { clockDoubt } from '../lib/clock-watch.ts'
import { newKid } from '../lib/ids.ts'
import { connectTo } from './external-client.ts'
import { openConnection } from './external-connection.ts'
import type { Connection } from './external-connection.ts'
import { openKicks } from './external-kick.ts'
import { listenFor } from './external-listen.ts'
import { opennessOf } from './external-probe.ts'
import { hasOthers, takeOver } from './external-sessions.ts'
import type { Broker, LinkCallbacks } from './peer.ts'
import { endSilentSince } from './presence.ts'

const proof_ms = 5_000
/** Wills tell of ends; this is for what a broker itself lost. Devices report every two hours at least. */
const silent_ms = 3 * 60 * 60_000
const inbound_filter = '$share/mdm/mdm/v1/+/up/#'

/**
 * An MQTT broker or cluster of somebody else's. Messages of devices are shared among all connections of all servers, and each is
 * acknowledged after its commit. Throws when the broker cannot be reached or does not deliver shared subscriptions.
 */
export async function startExternal(deps: Deps, url: string, callbacks: LinkCallbacks): Promise<Broker> {
  const shown = withoutPassword(url)
  const connect = connectTo(deps, url, callbacks)
  const connections: Connection[] = []
  let is_all_kept = true
  /** A broker that was away is so for all connections: what it may have lost is asked for once, when the last of them is back. */
  const isBack = (is_kept: boolean) => {
    is_all_kept &&= is_kept
    if (connections.some(({ isLost }) => isLost())) return
    callbacks.resumed?.(is_all_kept)
    is_all_kept = true
  }
  const add = async (kid: string) => {
    connections.push(await openConnection(deps, { kid, filter: inbound_filter, connect, isBack }))
  }
  try {
    await add(deps.node_kid).catch(cannotBeUsed(shown))
    const { client } = connections[0]!
    await proveSharing(deps, client, shown)
    await assertClosed(deps, url, client, shown)
    while (connections.length < deps.config.mqtt.connections) await add(newKid()).catch(cannotBeUsed(shown))
    for (const { listen } of connections) await listen()
  } catch (error) {
    // Why the broker cannot be used is what has to be said, also where it is gone by now.
    for (const { abandon } of connections) await abandon()
    throw error
  }
  const up = () => connections.find(({ client }) => client.connected)
  const repeat = () => callbacks.resumed?.(true)
  const others = takeOver(deps, {
    own: connections.map(({ kid }) => kid),
    ...{ filter: inbound_filter, connect, taken: repeat },
    isPossible: () => connections.some(({ isLost }) => !isLost()),
  })
  // While no server listened, what devices said may have gone beyond what the broker keeps.
  if (!(await hasOthers(deps))) repeat()
  const stop = deps.clock.every(60_000, () => endSilent(deps))
  return {
    async deliver(_kid, topic, payload) {
      const connection = up()
      if (!connection) return 'offline'
      await connection.client.publishAsync(topic, payload, { qos: 1 })
      return 'acknowledged'
    },
    kick: openKicks(deps, url, () => up() !== undefined),
    isUp: () => up() !== undefined,
    async close() {
      stop()
      try {
        // The last server goes on collecting: what devices say meanwhile waits for the next.
        if (up() && (await hasOthers(deps))) await Promise.all(connections.map(({ leaveShare }) => leaveShare()))
      } catch (error) {
        deps.log.warn({ err: error }, 'other servers get their share of messages only once this one is gone')
      }
      await Promise.all(connections.map(({ client }) => client.endAsync()))
      await others.stop()
      await Promise.all(connections.map(({ giveUp }) => giveUp()))
    },
  }
}

const cannotBeUsed = (shown: string) => (error: Error) => {
  throw new Error(`MQTT_URL: the broker ${shown} cannot be used: ${error.message}`, { cause: error })
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
    await endSilentSince(deps, new Date(deps.clock.now().getTime() - silent_ms))
  } catch (error) {
    deps.log.warn({ err: error }, 'silent devices could not be set offline')
  }
}

function withoutPassword(url: string): string {
  const { protocol, host } = new URL(url)
  return `${protocol}//${host}`
}
