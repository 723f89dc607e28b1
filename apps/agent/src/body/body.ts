import type { Up } from '@mdm/device-link'
import type * as z from 'zod'
import type { Announce, DeviceEvent, FileToFetch, StateParts } from '@mdm/device-link'

export type StatePartsOf = z.infer<typeof StateParts>
export type DeviceEventOf = z.infer<typeof DeviceEvent>
export type FileOf = z.infer<typeof FileToFetch>
export type InventoryOf = Up['hello']['inventory']
export type Identity = Omit<z.infer<typeof Announce>, 'claim_hash'>

/** Why a task cannot be done: `code` is for programs, the message for people. */
export class TaskFailure extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message)
  }
}

/**
 * What doing something brought; `rebooting` when the device goes down and the answer comes with the next boot. A body
 * that only plays a device says for how long (`down_ms`), and the agent plays along.
 */
export type Outcome = { text?: string; rebooting?: { down_ms?: number } }

/** Where the bytes of a download go. Bytes that arrived before a cut are still there when it is opened again. */
export type Landing = {
  position: number
  write(chunk: Uint8Array): Promise<void>
  /** Digests of all bytes so far, earlier ones included. */
  digests(): { md5: string; sha256: string }
  /** Puts the complete file in its place, at once or not at all. Returns where it is on the device. */
  place(): Promise<string>
  /** Keeps the bytes for a later resume. */
  close(): Promise<void>
  /** Throws the bytes away and starts at 0. */
  reset(): Promise<void>
}

/** Everything that differs between a real terminal and a simulated one. */
export type Body = {
  identity(): Promise<Identity>
  inventory(): Promise<InventoryOf>
  boot(): Promise<{ boot_id: string; boot_at: Date }>
  state(): Promise<StatePartsOf>
  /** Events since the last call. */
  events(): Promise<DeviceEventOf[]>
  /** False while the device has no network at all (a simulated one, by its schedule). */
  is_reachable(): boolean
  /** Asks the person at the device; true when nobody can be asked. */
  ask(question: string, signal: AbortSignal): Promise<boolean>
  show_message(message: { title: string; text: string }, signal: AbortSignal): Promise<Outcome>
  /** Throws TaskFailure when the path leaves the folders that may be written. */
  land(file: FileOf): Promise<Landing>
  screenshot(signal: AbortSignal): Promise<Buffer>
  find(seconds: number, signal: AbortSignal): Promise<Outcome>
  lock(password: string | undefined, signal: AbortSignal): Promise<Outcome>
  restart(signal: AbortSignal): Promise<Outcome>
}
