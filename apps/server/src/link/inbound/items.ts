import type { Down, Up } from '@mdm/device-link'
import type { Transaction } from 'kysely'
import type { Tables } from '../../db/schema/tables.ts'
import type { Deps } from '../../deps.ts'
import type { Peer } from '../peer.ts'
import type { Device } from './device.ts'

/** One thing that happened, waiting for its group commit. `at` is when the server received it. */
export type Item = { kid: string; at: Date } & (
  | { kind: 'connected'; peer: Peer; node_kid: string | null }
  /** It is not connected: it came to say and to fetch something, and comes again before `silent_at`. */
  | { kind: 'checked_in'; address: string; silent_at: Date; node_kid: string | null }
  /** `is_silent`: unless it has checked in meanwhile. */
  | { kind: 'disconnected'; epoch: string; is_silent?: boolean; is_asleep?: boolean }
  | { kind: 'hello'; body: Up['hello'] }
  | { kind: 'state'; body: Up['state'] }
  | { kind: 'event'; body: Up['event'] }
  | { kind: 'task'; body: Up['task'] }
  | { kind: 'refused'; body: Down['refused'] }
)
export type Kind = Item['kind']
export type ItemOf<K extends Kind> = Extract<Item, { kind: K }>

/** One transaction: the handlers change `devices` in memory and write their own tables. */
export type Batch = {
  deps: Deps
  trx: Transaction<Tables>
  devices: Map<string, Device>
  /** Runs after the commit. */
  after(effect: () => void): void
  outbound: {
    /** Tasks are due to devices. */
    wakeTasks(): void
    /** Configurations are due to devices. */
    wakeConfigurations(): void
    /** What was sent before no longer delays these rows. */
    forgetSends(rows: readonly { push_task_kid: string; terminal_kid: string }[]): void
    /** For what is not said again when it does not arrive. */
    tell<N extends 'cancel' | 'refused'>(kid: string, name: N, body: Down[N]): void
    /** A boot came back after another one: there may be two machines with one secret. */
    suspect(kid: string): void
    /** It is offline: whoever waits for its answer waits no longer. */
    left(kid: string): void
    /** It speaks and is said to be offline: its hello was lost. */
    unknown(kid: string): void
  }
}
