import type { LiveEvent } from '@mdm/contract'
import type { Kysely } from 'kysely'
import type { Config } from './config.ts'
import type { Database } from './db/client.ts'
import type { Replica } from './db/replica.ts'
import type { Tables } from './db/schema/tables.ts'
import type { Features } from './features.ts'
import type { ObjectStore } from './files/object-store.ts'
import type { Clock } from './lib/clock.ts'
import type { Log } from './lib/log.ts'
import type { PasswordCost } from './lib/passwords.ts'
import type { CheckIn, DownMessage, Waker } from './link/check-ins.ts'
import type { Memory } from './memory.ts'

/** Everything a handler or a job may use, wired by hand in server.ts; tests override what they must. */
export type Deps = {
  config: Config
  log: Log
  clock: Clock
  /** This server instance. */
  node_kid: string
  database: Database
  /** All tenants' rows: for sign-in, jobs and the device link. Modules that serve an account use `scope`. */
  db: Kysely<Tables>
  scope(account_kid: string, group_kids?: readonly string[]): Kysely<Tables>
  /** Where DATABASE_REPLICA_URL names one; `db/replica.ts` says what reads from it. */
  replica?: Replica | undefined
  live: Live
  memory: Memory
  /** Functions of modules that the device link and the HTTP edge, which stand below them, may call. */
  features: Features
  objects: ObjectStore
  /** Download path of an object, signed and good for `seconds` (an hour when absent). */
  signFile(object: string, as: { name: string; content_type?: string; seconds?: number }): string
  link: Outbound
  /** Whether an error says that the database cannot answer now, rather than that we made a mistake. */
  isUnavailable(error: unknown): boolean
  /** Of a password's hash; absent it is what `lib/passwords.ts` says. Tests take a small one. */
  password_cost?: PasswordCost | undefined
  /** Devices of a push that are frozen while its caller waits; absent it is what `push-task` says. Tests take few. */
  frozen_at_once?: number | undefined
  /** Tests make every internal error fail them. */
  onInternalError?: ((error: unknown) => void) | undefined
}

/** Live events to the browsers of one account, on every server node. `null` reaches the provider's own staff only. */
export type Live = { publish(account_kid: string | null, event: LiveEvent): void }

/** What modules may ask of the device link; the work itself is rows (link/delivery). */
export type Outbound = {
  /** Something is owed to these devices: send it now rather than at the next timer. */
  wake(terminal_kids: readonly string[]): void
  /** Works out now, rather than in its turn, which configuration a device ought to hold. */
  workOutConfig(terminal_kid: string): Promise<void>
  /**
   * Resolves with what the device answers. Throws RequestError: offline, timeout, or the device's own code. `timeout_ms`
   * begins anew whenever the device says how far it is.
   */
  request(
    terminal_kid: string,
    method: string,
    params: Record<string, unknown>,
    timeout_ms: number,
    on_progress?: (percent: number) => void,
  ): Promise<unknown>
  /** A device that is not connected says what it has to say, and is given what it is owed. It has proved who it is. */
  checkIn(said: CheckIn): Promise<DownMessage[]>
  /**
   * A device that checks in can be told to come from now on, until the answer is called: what it is sent meanwhile waits for its next
   * check-in. It has proved who it is.
   */
  wakeBy(terminal_kid: string, waker: Waker): () => void
  /** Ends a device's connection, when it was cancelled or quarantined. */
  kick(terminal_kid: string, reason: string): Promise<void>
  /**
   * When a broker last began anew without what it held: hellos until then may be lost, and what a device said in an earlier one may
   * not hold any more.
   */
  hellosLostUntil?(): Date | undefined
  /** Whether the broker can be reached now; absent where there is none. */
  brokerIsUp?(): boolean
}
