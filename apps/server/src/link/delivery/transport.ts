import { downTopic } from '@mdm/device-link'
import type { DownName } from '@mdm/device-link'
import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { Tables } from '../../db/schema/tables.ts'
import type { openCheckIns } from '../check-ins.ts'
import { checked_in } from '../peer.ts'
import type { Broker, Delivery } from '../peer.ts'
import { count } from '../stats.ts'
import type { Counted } from '../stats.ts'

const counters = new Map<DownName, Counted>([
  ['task', 'tasks_sent'],
  ['cancel', 'cancels_sent'],
  ['config', 'configs_sent'],
])

type Row = Pick<Tables['terminal_state'], 'transport'>

/** How messages reach devices that speak one protocol. */
export type Transport = {
  /** Of the node whose devices it reaches; null where every node reaches all of them. */
  node_kid: string | null
  /** Of the row `s` of terminal_state: whether what this device is owed is left to other nodes, or until the broker is back. */
  isLeft(): RawBuilder<boolean>
  /** Whether a message would reach the device now. `is_online` and `transport` are what its row says. */
  isReachable(device: { terminal_kid: string; is_online: boolean | null; transport: Row['transport'] }): boolean
  deliver(terminal_kid: string, name: DownName, payload: string): Promise<Delivery>
}

/**
 * To devices that are connected by MQTT, over a broker that may still be about to start, and to those that check in, while they are
 * here. Whom the embedded broker reaches is known here; an external one serves all nodes, so that only the rows of its devices tell.
 */
export function openTransport(
  brokerOf: () => Broker | undefined,
  node_kid: string | null,
  isConnected: (terminal_kid: string) => boolean,
  checkIns: () => Pick<ReturnType<typeof openCheckIns>, 'isHere' | 'deliver'>,
): Transport {
  return {
    node_kid,
    isLeft() {
      if (node_kid !== null) return sql`(s.is_online AND s.node_kid IS DISTINCT FROM ${node_kid}::uuid) IS TRUE`
      if (brokerOf()?.isUp()) return sql`false`
      return sql`(s.is_online AND s.transport IS DISTINCT FROM ${checked_in}) IS TRUE`
    },
    isReachable({ terminal_kid, is_online, transport }) {
      if (checkIns().isHere(terminal_kid)) return true
      return node_kid === null ? is_online === true && transport !== checked_in : isConnected(terminal_kid)
    },
    async deliver(kid, name, payload) {
      const counter = counters.get(name)
      if (counter) count(counter)
      return (
        checkIns().deliver(kid, name, payload) ?? brokerOf()?.deliver(kid, downTopic(kid, name), payload) ?? 'offline'
      )
    },
  }
}
