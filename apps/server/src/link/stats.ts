import type { BrokerRefusal } from './broker/broker-messages.ts'

/** What the link counts since the server began; /metrics shows each as mdm_link_<name>. */
const counters = new Map<string, number>()
export type Counted =
  | BrokerRefusal
  | 'messages_committed'
  | 'messages_refused'
  | 'messages_mended'
  | 'refusals_untold'
  | 'events_over_limit'
  | 'reports_over_limit'
  | 'messages_of_unknown_devices'
  | 'reports_late'
  | 'reports_illegal'
  | 'reports_unknown'
  | 'tasks_sent'
  | 'cancels_sent'
  | 'sends_not_delivered'
  | 'devices_quarantined'
  | 'configs_sent'
  | 'usage_refused'

export const count = (name: Counted, by = 1): void => void counters.set(name, (counters.get(name) ?? 0) + by)
export const linkStats = (): Record<string, number> => Object.fromEntries(counters)
