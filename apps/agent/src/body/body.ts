import type { ConfigSectionResult, FailureCode, Up } from '@mdm/device-link'
import type * as z from 'zod'
import type {
  Announce,
  AppEntry,
  AppToInstall,
  DeviceEvent,
  FileEntry,
  FileToFetch,
  OsManifest,
  OsPackageOf,
  ParamsOf,
  StateParts,
  TaskWork,
  Usage,
} from '@mdm/device-link'
import type { Payload } from '../bulk.ts'
import type { Answer } from '../conditions.ts'
import type { RemoteBody } from '../remote/source.ts'

export type StatePartsOf = z.infer<typeof StateParts>
export type DeviceEventOf = z.infer<typeof DeviceEvent>
export type NetworkType = NonNullable<StatePartsOf['network']>['type']
export type UsageOf = Usage
export type FileOf = z.infer<typeof FileToFetch>
/** What is known of a file before it comes. */
export type FileToLand = Pick<FileOf, 'name' | 'path' | 'size' | 'sha256'>
export type InventoryOf = Up['hello']['inventory']
export type Identity = Omit<z.infer<typeof Announce>, 'claim_hash'>

/** Why a task cannot be done: `code` is for programs, the message for people. */
export class TaskFailure extends Error {
  constructor(
    readonly code: FailureCode,
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

/** A file of the device as it is now; `open` gives all of it, or `length` bytes from `from` on. */
export type OwnFile = Payload & {
  modified_at: Date
  open(part?: { from: number; length: number }): ReturnType<Payload['open']>
}
/** What people may see and change of a device's files. Throws TaskFailure: bad_path, not_found, exists. */
export type Files = {
  /** By name, from the one after `after` on, at most as many as one answer may have. */
  list(path: string, after: string | undefined): Promise<{ items: FileEntry[]; has_more: boolean }>
  make_folder(path: string): Promise<void>
  /** `name` is the new one, in the same folder. */
  rename(path: string, name: string): Promise<void>
  /** A folder goes with all that is in it. */
  remove(path: string): Promise<void>
  read(path: string): Promise<OwnFile>
}
/** A version that is there; not every system counts them. */
export type InstalledApp = { version: string; version_code?: number | undefined }
export type Apps = {
  list(): Promise<AppEntry[]>
  /** Undefined where it is not installed. */
  installed(name: string): Promise<InstalledApp | undefined>
  /** Throws TaskFailure where an app does not run here: package_kind, abi, sdk. */
  assertFits(app: AppToInstall): Promise<void>
  /** Where the bytes of its package go. */
  land(app: AppToInstall): Promise<Landing>
  /**
   * From the package that has landed, whose digest was verified: the new version is there as a whole, or the old one still.
   * Says which APKs were taken of a package in several.
   */
  install(app: AppToInstall, landing: Landing, signal: AbortSignal): Promise<void | readonly string[]>
  /** Starts an app that is there. Throws TaskFailure where it cannot be started. */
  start(name: string, signal: AbortSignal): Promise<void>
  uninstall(name: string): Promise<void>
  set_permission(name: string, permission: string, state: ParamsOf<'app_permission'>['state']): Promise<void>
}

export type SectionOutcome = Omit<ConfigSectionResult, 'section'>
/** A version that was written into the other slot. `until` is when it has to have reported, once it is being tried. */
export type Trial = {
  id: string
  state: 'written' | 'trying' | 'confirmed' | 'rolled_back'
  confirm_seconds: number
  until?: string | undefined
  reason?: string | undefined
  note?: string | undefined
}
export type OsBuildOf = { uid: string; os_version: string; version_code: number; ver: number }
/** A package that is on the device, and what it makes of it. `place` is what the landing's `place` said, `note` is kept with the trial. */
export type OsWrite = {
  id: string
  manifest: OsManifest
  part: OsPackageOf
  place: string
  confirm_seconds: number
  note?: string | undefined
}

/** Of two slots one runs and the other is written. What is not confirmed is left again. */
export type Trials = {
  /** Of the last version that was written. */
  trial(): Promise<Trial | undefined>
  confirm(): Promise<void>
  /** The next start is of the version before. */
  roll_back(reason: string): Promise<void>
}

/** A system in two slots, of this agent or of a tool. */
export type OsBody = Trials & {
  /** Of packages that it can apply. */
  readonly formats: readonly string[]
  build(): Promise<OsBuildOf>
  land(file: FileOf): Promise<Landing>
  /** Writes the slot that does not run, whole, and has the next start try it. Throws TaskFailure: package_broken. */
  write(of: OsWrite, signal: AbortSignal): Promise<void>
}

/** The agent's own versions, where it was started by something that starts the one that counts. */
export type SelfBody = Trials & {
  /** Of the agent that runs. */
  readonly version: string
  /** Unpacks a package, whose digest was verified, into the slot that does not run. Throws TaskFailure: bad_package. */
  write(of: { id: string; kind: AppToInstall['kind']; place: string }, signal: AbortSignal): Promise<void>
  /** Ends this agent, which runs the version in the slot on trial and watches it. */
  restart(): void
  /** Ends this agent, which is on trial; the one that watches it goes by the state of the trial. */
  leave(): void
}

/** Everything that differs between a real terminal and a simulated one. */
export type Body = {
  /** Types of tasks that it really carries out, for hello. */
  readonly task_types: readonly TaskWork['type'][]
  identity(): Promise<Identity>
  inventory(): Promise<InventoryOf>
  /** `uptime` in seconds, of a monotonic clock. */
  boot(): Promise<{ boot_id: string; boot_at: Date; uptime?: number | undefined }>
  /** It knows where it is well enough to watch a fence. */
  judges_fence: boolean
  state(): Promise<StatePartsOf>
  /** Events since the last call. */
  events(): Promise<DeviceEventOf[]>
  /** What was sent and received, as totals of the last days. */
  usage(): Promise<UsageOf[]>
  /** Looks at who uses the network now, every few seconds, where that is the only way to tell apps apart. */
  watch_usage?(): Promise<void>
  /** False while the device has no network at all (a simulated one, by its schedule). */
  is_reachable(): boolean
  /** What it is connected by; undefined where it cannot be told. */
  network(): Promise<NetworkType | undefined>
  /** The zone by which its clock is shown, as IANA calls it. */
  zone(): string
  /** Asks the person at the device. `later` is no answer yet; it is offered where the question may be put off. */
  ask(question: string, options: { may_put_off: boolean }, signal: AbortSignal): Promise<Answer>
  /** Tells the person at the device what happens in so many seconds, whatever they say; does not wait for that. */
  warn(text: string, seconds: number, signal: AbortSignal): Promise<void>
  /** The only broker that it can speak to, where it cannot choose among those that the server names. */
  readonly broker?: string
  /** Of the sections that the agent itself obeys, those that it can where this body runs; all when absent. */
  readonly agent_sections?: readonly string[]
  /** Sections of a configuration that it can obey, for hello; the agent's own are added to them. */
  readonly config_sections: readonly string[]
  /** Applies one section. What it throws counts as a failure. */
  configure(section: string, value: unknown, signal: AbortSignal): Promise<SectionOutcome>
  /** Reads a configuration file that was put in place; answers with what there is to say of it. */
  read_config_file(path: string, signal: AbortSignal): Promise<string>
  show_message(message: { title: string; text: string }, signal: AbortSignal): Promise<Outcome>
  /**
   * Throws TaskFailure when the path leaves the folders that may be written. A simulated device has the bytes afterwards
   * only when they are to be kept: a fleet could not hold what is pushed to it.
   */
  land(file: FileToLand, options?: { is_kept?: boolean }): Promise<Landing>
  /** Bytes that files pushed to it may take. */
  room(): Promise<number>
  /** Removes a file that was pushed to `path`, unless what is there now has another digest. Says whether it did. */
  remove_pushed(path: string, sha256: string): Promise<boolean>
  files: Files
  apps: Apps
  /** Absent where the system is not updated by this agent. */
  os?: OsBody | undefined
  /** Absent where the agent cannot try another version of itself. */
  self?: SelfBody | undefined
  /** Absent where nobody may look at it from afar. */
  remote?: RemoteBody | undefined
  screenshot(signal: AbortSignal): Promise<Uint8Array>
  find(seconds: number, signal: AbortSignal): Promise<Outcome>
  lock(password: string | undefined, signal: AbortSignal): Promise<Outcome>
  restart(signal: AbortSignal): Promise<Outcome>
  /** `rebooting` when it goes down; nobody knows when it is on again. */
  shut_down(signal: AbortSignal): Promise<Outcome>
  /** Erases apps, files and settings, but neither this agent's identity nor its tasks, and boots again. */
  factory_reset(signal: AbortSignal): Promise<Outcome>
  /** The log of the system, which goes with that of the agent; undefined when there is none. */
  log(signal: AbortSignal): Promise<Uint8Array | undefined>
}
