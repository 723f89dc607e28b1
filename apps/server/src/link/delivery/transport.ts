import { downTopic } from '@mdm/device-link'
import type { DownName } from '@mdm/device-link'
import type { Broker, Delivery } from '../peer.ts'
import { count } from '../stats.ts'
import type { Counted } from '../stats.ts'

const counters = new Map<DownName, Counted>([
  ['task', 'tasks_sent'],
  ['cancel', 'cancels_sent'],
  ['config', 'configs_sent'],
])

/** How messages reach devices that speak one protocol. */
export type Transport = {
  /** Of the node whose devices it reaches; null where every node reaches all of them. */
  node_kid: string | null
  /** Whether a message would reach the device now. `is_online` is what its row says. */
  isReachable(device: { terminal_kid: string; is_online: boolean | null }): boolean
  deliver(terminal_kid: string, name: DownName, payload: string): Promise<Delivery>
}

/**
 * MQTT, over a broker that may still be about to start. Whom the embedded broker reaches is known here; an external one serves
 * all nodes, so that only the rows of its devices tell.
 */
export function mqttTransport(
  brokerOf: () => Broker | undefined,
  node_kid: string | null,
  isConnected: (terminal_kid: string) => boolean,
): Transport {
  return {
    node_kid,
    isReachable: ({ terminal_kid, is_online }) => (node_kid === null ? is_online === true : isConnected(terminal_kid)),
    async deliver(kid, name, payload) {
      const counter = counters.get(name)
      if (counter) count(counter)
      return brokerOf()?.deliver(kid, downTopic(kid, name), payload) ?? 'offline'
    },
  }
}
