import { upTopic } from '@mdm/device-link'
import type { MqttClient } from 'mqtt'
import type { Deps } from '../deps.ts'
import { newKid } from '../lib/ids.ts'
import { connectExternal } from './external-connect.ts'
import { listenFor } from './external-listen.ts'

const connect_ms = 5_000
const answer_ms = 2_000

/** What somebody without name and password may do at a broker: read what devices say, or speak as any of them. */
export type Openness = { reads: boolean; speaks: boolean }

/** Tries it, with messages of a device that does not exist. `server` may read and speak. */
export async function opennessOf(deps: Deps, url: string, server: MqttClient): Promise<Openness> {
  const nameless = new URL(url)
  nameless.username = nameless.password = ''
  const options = { clientId: `mdm-stranger-${newKid()}`, clean: true, connect_ms, reconnectPeriod: 0 }
  const stranger = await connectExternal(nameless.href, options).catch(() => undefined)
  if (!stranger) return { reads: false, speaks: false }
  const topic = upTopic(newKid(), 'gone')
  const [of_server, of_stranger] = ['server', 'stranger'].map((epoch) => JSON.stringify({ epoch })) as [string, string]
  const stops: (() => void)[] = []
  const hears = (client: MqttClient, payload: string) => {
    const { came, stop } = listenFor(deps, client, { topic, payload, most_ms: answer_ms })
    stops.push(stop)
    return came
  }
  try {
    const reads = hears(stranger, of_server)
    const speaks = hears(server, of_stranger)
    await server.subscribeAsync(topic, { qos: 1 })
    // A broker may refuse either with words, or by ending the connection.
    await stranger.subscribeAsync(topic, { qos: 1 }).catch(() => {})
    stranger.publish(topic, of_stranger, { qos: 1 }, () => {})
    await server.publishAsync(topic, of_server, { qos: 1 })
    return { reads: await reads, speaks: await speaks }
  } finally {
    for (const stop of stops) stop()
    await server.unsubscribeAsync(topic).catch(() => {})
    await stranger.endAsync(true).catch(() => {})
  }
}
