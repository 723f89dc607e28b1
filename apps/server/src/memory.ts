import type { Claims } from './db/claim.ts'
import type { Coalescer } from './link/coalesce.ts'
import type { KnownDevices } from './link/credentials.ts'
import type { UploadBytes } from './files/upload-bytes.ts'
import type { KnownSessions } from './http/session-cache.ts'
import type { SharedWork, Workers } from './lib/background.ts'
import { openTunnels } from './link/tunnels/tunnels.ts'
import type { Tunnels } from './link/tunnels/tunnels.ts'
import type { ClockWatch } from './lib/clock-watch.ts'
import type { DiskRoom } from './lib/disk-room.ts'
import type { RateLimiter } from './lib/rate-limit.ts'
import type { ChangedRules } from './modules/watch/alert/alert-worker.ts'
import type { FoundPlace } from './modules/configuration/electronic-fence/find-place.ts'
import type { AskedStanding } from './modules/fleet/enrolment/device/standing.ts'
import type { KnownProvider } from './modules/people/login/oidc.ts'
import type { PlatformRows } from './modules/configuration/terminal-config/levels.ts'
import type { HeldTunnels } from './modules/devices/terminal-remote/index.ts'
import type { KnownHooks } from './modules/watch/webhook/queue.ts'
import type { KnownTime } from './modules/people/activation/index.ts'
import { fileTurns } from './workers/turns.ts'
import type { Turns } from './workers/turns.ts'

/**
 * What a server keeps in memory beside its database. It is a member of Deps and never a global: a process can hold several
 * servers, as tests do.
 */
export type Memory = {
  /** When it is full, only what makes room goes on. Absent where nobody watches. */
  disk?: DiskRoom
  /** Absent where nobody watches. */
  clock?: ClockWatch
  /** How far the clock of this server is before the database's, as the last heartbeat found; absent where they are one. */
  clock_apart_ms?: number
  /** Set once the server begins to close: nothing new is to reach it. */
  is_draining?: boolean
  /** When the certificate of the TLS ports ends; absent where there are none. */
  certificateEndsAt?: () => Date | undefined
  /** Its database is being moved, or was: nothing may write, and no job is tried. */
  is_moving?: boolean
  /** What is known of the time that the activation goes by, and what its file held. */
  activation?: KnownTime
  activation_file?: string | undefined
  workers: Map<SharedWork, Workers>
  claims: Claims
  limiters: Map<string, RateLimiter>
  /** Who may have a file read next. */
  file_turns: Turns
  /** What secrets in the database are sealed with, once it was needed. */
  sealing_key?: Buffer
  sessions: KnownSessions
  devices: KnownDevices
  standing: AskedStanding
  coalescer: Coalescer
  webhooks: KnownHooks
  platform: PlatformRows
  places: Map<string, FoundPlace[]>
  oidc?: KnownProvider
  alert_rules: ChangedRules
  tunnels: Tunnels
  remote: HeldTunnels
  /** Where uploads arrive, once one did. */
  uploads?: UploadBytes
}

export const newMemory = (): Memory => ({
  workers: new Map(),
  claims: { held: new Set(), taking: Promise.resolve() },
  limiters: new Map(),
  file_turns: fileTurns(),
  sessions: new Map(),
  devices: { known: new Map(), wanted: new Map() },
  standing: new Map(),
  coalescer: { recent: new Set(), waiting: new Map(), is_ticking: false },
  webhooks: new Map(),
  platform: { times_forgotten: 0 },
  places: new Map(),
  alert_rules: { changed: new Set() },
  tunnels: openTunnels(),
  remote: new Map(),
})
