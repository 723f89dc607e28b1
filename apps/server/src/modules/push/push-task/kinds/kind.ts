import { deadlineSeconds } from '@mdm/contract'
import type { PushPayload, PushSubject, PushTaskType } from '@mdm/contract'
import type { Up } from '@mdm/device-link'
import type { Kysely } from 'kysely'
import type { Actor } from '../../../../actor.ts'
import type { Tables } from '../../../../db/schema/tables.ts'
import type { Deps } from '../../../../deps.ts'

/** The column `push_task.payload`. */
export type Stored = Record<string, unknown>

/** An app of a push, as far as devices are sorted out by it. */
export type AppRule = {
  package: string
  version_name: string
  version_code: number
  kind: string
  min_sdk: number | null
  abis: string[]
  is_dependency: boolean
  may_downgrade: boolean
}
/** What of a push decides which devices it is not for. */
export type PushRules = { apps?: AppRule[]; uninstalls?: string[]; os?: { os_version_kid: string } }

/** Who stops a push; whoever ordered it where it could not begin. `after` runs once that is committed. */
export type Stopping = { deps: Deps; user: { kid: string; name: string }; after(effect: () => void): void }

/**
 * What the server does with a kind of push, where that is more than to store the payload and to send it to the device as
 * it was given.
 */
export type Kind<T extends PushTaskType> = {
  /**
   * What is stored of the payload. What the payload names is copied, so that deleting it later changes no running task; secrets are
   * sealed. `summary` is what lists show. Refuses what cannot be pushed.
   */
  store?(actor: Actor, payload: PushPayload<T>): Promise<{ payload: Stored; summary: string }>
  /** What is pushed, by its name, where the payload as it is stored has more names than its summary. */
  subject?(stored: Stored): PushSubject
  /** What is shown of it, and what a copy of the push takes over: a payload as it was given, without secrets. */
  shown?(stored: Stored): unknown
  /** By what devices are left out, besides what they can do at all. */
  rules?(stored: Stored): PushRules
  /** In the transaction that creates the task. Refuses when something that was stored has gone since. */
  created?(trx: Kysely<Tables>, actor: Actor, stored: Stored, push_task_kid: string): Promise<void>
  /** In the transaction that changes a push before it begins: takes back what `created` did for what it brought until then. */
  withdrawn?(trx: Kysely<Tables>, stored: Stored, push_task_kid: string): Promise<void>
  /** What is stored when a push is changed before it begins: a secret that is not said again stays. */
  keptSecret?(stored: Stored, before: Stored): Stored
  /** So many devices of each push have just finished their download. */
  downloaded?(trx: Kysely<Tables>, devices: readonly { push_task_kid: string; n: number }[]): Promise<void>
  /**
   * What goes to the device. Links in it live until `expires_at` and for as long as the device may take after that.
   * `upload_url` is the attempt's own, of a kind that has `uploads`. A throw is logged and the device is not told.
   */
  toDevice?(deps: Deps, stored: Stored, attempt: { expires_at: Date; upload_url: string | undefined }): Promise<unknown>
  /** Devices that it is for, where it finds them by itself: the next ones after `after`, in the order of their kids. */
  devicesAfter?(db: Kysely<Tables>, stored: Stored, after: string | undefined, limit: number): Promise<string[]>
  /**
   * In the transaction that takes what is due, where it reaches devices otherwise than as a task: from then on nothing more is
   * owed to them by these rows, and `endRows` says how they end.
   */
  deliver?(
    trx: Kysely<Tables>,
    rows: readonly { push_task_kid: string; terminal_kid: string }[],
    now: Date,
  ): Promise<void>
  /** In the transaction that ends pushes of which no device has anything left to do. */
  ended?(trx: Kysely<Tables>, push_task_kids: readonly string[], now: Date): Promise<void>
  /** In the transaction that stops a push before its end, be it by rejecting it. */
  stopped?(trx: Kysely<Tables>, stored: Stored, by: Stopping): Promise<void>
  /** It changes apps: what devices say with their result about them is kept. */
  reports_apps?: true
  /**
   * Whether what these devices say elsewhere denies that they have completed it: the code with which each fails then, in the order
   * of the reports.
   */
  contradicted?(
    trx: Kysely<Tables>,
    stored: Stored,
    reports: readonly { terminal_kid: string; result: Up['task']['result'] }[],
  ): Promise<(string | undefined)[]>
  /** The file that a device uploads as the result; an attempt that completes without one fails with `missing`. */
  uploads?: { kind: string; max_bytes: number; content_type: string; name: (sn: string) => string; missing: string }
  /**
   * The key of the stored payload that is removed as soon as no device has to be told any more, and what is stored instead, by which
   * `assertRetry` refuses a retry.
   */
  redacts?: { key: string; redacted: Stored }
  /** In a transaction that tries it again. Refuses what cannot be done any more. */
  assertRetry?(stored: Stored, by: { trx: Kysely<Tables>; account_kid: string }): Promise<void> | void
}

/** How much longer than its task what a device needs for it lives: it goes by its own clock, and is at it until it notices. */
export const spare_ms = 86_400_000 + deadlineSeconds.executing * 1_000
/** How long from now links live that a device needs for an attempt. */
export const linkSeconds = (deps: Deps, expires_at: Date): number =>
  Math.ceil((expires_at.getTime() + spare_ms - deps.clock.now().getTime()) / 1_000)
