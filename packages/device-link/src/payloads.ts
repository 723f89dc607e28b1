import * as z from 'zod'
import { ApiAuthorisation } from './api-authorisation.ts'
import { Fence, FenceAction, FenceStanding, isPlace } from './fence.ts'
import { limits } from './limits.ts'
import { agent_package, OsUpdate, SignedAgent } from './os-update.ts'
import { upNames } from './topics.ts'

const shortText = z.string().max(200)
const kid = z.uuid()
const percent = z.number().min(0).max(100)
const instant = z.iso.datetime({ offset: true })
const count = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER)
const bytes = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER)

export const Battery = z.object({
  level: percent,
  charging: z.enum(['charging', 'discharging', 'full', 'low']),
  temperature: z.number().min(-60).max(150).optional().describe('degrees Celsius'),
  voltage: z.number().min(0).max(100_000).optional().describe('millivolts'),
  capacity: z.number().min(0).max(1_000_000).optional().describe('milliampere-hours'),
  health: z.enum(['good', 'fair', 'poor', 'unknown']).optional(),
  trigger: z.enum(['charge', 'outage', 'change', 'connect', 'disconnect']).optional(),
})

export const Network = z.object({
  type: z.enum(['wifi', 'mobile', 'ethernet', 'none']),
  internal_ip: z.string().max(64).optional(),
  signal: z.number().min(-150).max(0).optional().describe('dBm'),
  is_metered: z.boolean().optional(),
  is_roaming: z.boolean().optional(),
})

export const Sim = z.object({
  slot: z.union([z.literal(1), z.literal(2)]),
  operator: shortText.optional(),
  network_type: z.string().max(20).optional(),
  signal: z.number().min(-150).max(0).optional(),
})

export const Wifi = z.object({
  ssid: z.string().max(64).optional(),
  bssid: z.string().max(32).optional(),
  frequency: z.number().int().min(0).max(10_000).optional().describe('MHz'),
  channel: z.number().int().min(0).max(300).optional(),
  signal: z.number().min(-150).max(0).optional(),
})

export const Run = z.object({
  cpu: percent.optional(),
  memory_used: bytes.optional(),
  memory_total: bytes.optional(),
  storage_used: bytes.optional(),
  storage_total: bytes.optional(),
  uptime: z.number().min(0).max(1e10).optional().describe('seconds since boot, from a monotonic clock'),
})

export const Location = z
  .object({
    longitude: z.number().min(-180).max(180),
    latitude: z.number().min(-90).max(90),
    accuracy: z.number().min(0).max(1e6).optional().describe('metres; 0 is as if it were not there'),
    provider: z.enum(['gps', 'network', 'fused', 'other']).optional().describe('how it was found'),
    at: instant.optional(),
  })
  .refine(isPlace, 'longitude 0, latitude 0 is what receivers say that have no position')

/** The parts of a device's running state. A report carries those that changed. */
export const StateParts = z.object({
  battery: Battery.optional(),
  network: Network.optional(),
  sims: z.array(Sim).max(2).optional(),
  wifi: Wifi.optional(),
  run: Run.optional(),
  location: Location.optional(),
  foreground_app: shortText.optional(),
  fence: FenceStanding.optional(),
})

export const packageKinds = ['apk', 'apks', 'xapk', 'deb', 'zip'] as const
const PackageKind = z.enum(packageKinds)

export const Package = z.object({
  name: shortText,
  version: z.string().max(100),
  version_code: count.optional().describe('grows with each version; where the app has one'),
  size: bytes.optional(),
  title: shortText.optional(),
})

export const Inventory = z.object({
  model: z.string().max(64).optional(),
  os_name: z.string().max(64).optional(),
  os_version: z.string().max(64).optional(),
  uid: z.string().max(64).optional().describe('of the build: hardware, language and customer, a code for each'),
  version_code: count.optional().describe('grows with each version of the UID'),
  ver: count.optional().describe('grows with each build of the UID'),
  service_version: z.string().max(64).optional(),
  protocol_version: z.number().int().min(1).max(1000).optional(),
  resolution: z.string().max(20).optional(),
  imei: z.string().max(40).optional(),
  host: z.string().max(255).optional(),
  agent: z
    .enum(['browser'])
    .optional()
    .describe('browser: a page, which does what a browser lets pages do; absent: a program'),
  packages: z.array(Package).max(limits.packages).optional(),
  task_types: z
    .array(z.string().regex(/^[a-z][a-z0-9_]{0,39}$/))
    .max(100)
    .optional()
    .describe('types of tasks that it carries out; absent: not said'),
  config_sections: z
    .array(z.string().regex(/^[a-z][a-z0-9_]{0,39}$/))
    .max(100)
    .optional()
    .describe('sections of a configuration that it can obey; absent: not said'),
  tunnels: z
    .array(z.string().max(20))
    .max(20)
    .optional()
    .describe('kinds of tunnels that it can open: desktop, terminal, log; absent: none'),
  abis: z
    .array(z.string().max(20))
    .max(20)
    .optional()
    .describe('as Android calls them, the best first; absent: not said'),
  sdk: z.number().int().min(1).max(10_000).optional().describe('API level of Android; absent where it is none'),
  package_kinds: z.array(z.string().max(20)).max(20).optional().describe('what it can install; absent: not said'),
  os_formats: z
    .array(z.string().max(20))
    .max(20)
    .optional()
    .describe('formats of OS packages that it can apply: zip, swu, raucb, mender; absent: zip'),
  judges_fence: z.boolean().optional().describe('it says itself where it is of its fence; absent: the server does'),
  judges_polygons: z
    .boolean()
    .optional()
    .describe(
      'with judges_fence: fences that are polygons too; absent: it is told of circles only, the server watches polygons',
    ),
  max_packet: z
    .number()
    .int()
    .min(limits.least_packet_bytes)
    .max(limits.packet_bytes)
    .optional()
    .describe('bytes of the largest MQTT packet that it takes, its header included; absent: what the broker takes'),
})

/** States a device reports for a task it holds; `wait_receipt` is the server's own. */
export const ReportedState = z.enum([
  'receipt',
  'wait_download',
  'downloading',
  'downloaded',
  'wait_execute',
  'executing',
  'completed',
  'failed',
  'canceled',
])
export type ReportedState = z.infer<typeof ReportedState>

export const HeldTask = z.object({ task_kid: kid, attempt: z.number().int().min(1), state: ReportedState })

export const Hello = z.object({
  epoch: z.string().min(1).max(64).describe('fresh for each connection'),
  boot_id: z.string().max(64),
  device_time: instant,
  boot_at: instant.optional(),
  inventory: Inventory,
  state: StateParts.optional(),
  config_version: z.number().int().min(0).optional(),
  tasks: z.array(HeldTask).max(limits.open_tasks).optional().describe('open and recently finished attempts'),
})

/** What became of one section of a configuration on the device. */
export const ConfigSectionResult = z.object({
  section: z.string().regex(/^[a-z][a-z0-9_]{0,39}$/),
  outcome: z.enum(['applied', 'failed', 'not_supported']),
  reason: z
    .enum(['unknown_section', 'no_command', 'no_root', 'no_hardware', 'command_failed', 'out_of_range', 'test_failed'])
    .optional()
    .describe('of what was not applied'),
  message: z.string().max(300).optional(),
})
export type ConfigSectionResult = z.infer<typeof ConfigSectionResult>

export const State = StateParts.extend({
  seq: z.number().int().min(0),
  device_time: instant,
  config_version: z.number().int().min(0).optional().describe('once, when it begins to go by a configuration'),
  config_results: z
    .array(ConfigSectionResult)
    .max(100)
    .optional()
    .describe('with config_version: what became of each section of it'),
})

export const DeviceEvent = z
  .object({
    type: z.string().regex(/^[a-z][a-z0-9_]{0,39}$/),
    at: instant,
    detail: z.record(z.string().max(60), z.union([z.string().max(1000), z.number(), z.boolean(), z.null()])).optional(),
  })
  // The server writes outcomes of its own into events of this type; a device cannot claim those.
  .refine(
    ({ type, detail }) =>
      type !== 'fence_action' || FenceAction.shape.outcome.optional().safeParse(detail?.['outcome']).success,
    { path: ['detail', 'outcome'], message: 'not an outcome of a device' },
  )

export const Events = z.object({
  seq: z.number().int().min(0),
  device_time: instant,
  events: z.array(DeviceEvent).min(1).max(limits.events_per_message),
})

/** What a task on the device waits for before its next step, for people to read. */
export const Waits = z.object({
  for: z.enum(['network', 'window', 'battery', 'download_prompt', 'install_prompt', 'warning']),
  until: instant.optional().describe('when it goes on or asks again, by the clock of the device'),
  put_off: z.number().int().min(0).max(100).optional().describe('how often the user has put it off'),
  put_off_max: z.number().int().min(0).max(100).optional(),
})
export type Waits = z.infer<typeof Waits>

export const TaskReport = z.object({
  task_kid: kid,
  attempt: z.number().int().min(1),
  state: ReportedState,
  progress: percent.optional(),
  code: z.string().max(60).optional(),
  message: z.string().max(1000).optional(),
  expected_version: z
    .number()
    .int()
    .min(0)
    .optional()
    .describe('the version of down/task plus the number of reports already sent for this attempt'),
  waits: Waits.optional().describe('of a state that waits; absent: for nothing that has to be told'),
  result: z
    .object({
      object: z.string().max(100).optional(),
      text: z.string().max(4000).optional(),
      apps: z
        .array(
          z.object({ package: shortText, version: z.string().max(100).optional(), version_code: count.optional() }),
        )
        .max(60)
        .optional()
        .describe('which versions of its apps are there now; without a version: none'),
    })
    .optional()
    .describe('what a finished task brought: an uploaded object or a text'),
})

export const Reply = z.object({
  id: kid,
  ok: z.boolean(),
  progress: percent.optional().describe('the request is being done and the answer is still to come'),
  data: z.unknown().optional(),
  error: z.object({ code: z.string().max(60), message: z.string().max(1000) }).optional(),
})

export const Gone = z.object({
  epoch: z.string().max(64),
  is_asleep: z.boolean().optional().describe('it is put to sleep, and comes back by itself once it is woken'),
})

export const up = { hello: Hello, state: State, event: Events, task: TaskReport, reply: Reply, gone: Gone } as const
export type Up = { [K in keyof typeof up]: z.infer<(typeof up)[K]> }

/** A file that a task asks the device to fetch: GET `url` with its credential, Range allowed, then verify both digests. */
export const FileToFetch = z.object({
  name: z.string().min(1).max(255),
  size: bytes,
  md5: z.string().regex(/^[0-9a-f]{32}$/),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  url: z.string().max(2000).describe('absolute, or a path on the server the device enrolled with'),
  path: z.string().min(1).max(1000).describe('folder on the device'),
  keep_days: z
    .number()
    .int()
    .min(1)
    .max(3650)
    .optional()
    .describe('days after which the device deletes it, unless it is another file by then; never when absent'),
})

/** One APK of a package in several (`apks`, `xapk`). What names no ABI, density or language is for every device. */
export const SplitOfApp = z.object({
  file: z.string().min(1).max(200).describe('its name in the package, a path without ..'),
  is_base: z.boolean().optional(),
  abi: z.string().max(20).optional(),
  density: z.enum(['ldpi', 'mdpi', 'tvdpi', 'hdpi', 'xhdpi', 'xxhdpi', 'xxxhdpi']).optional(),
  language: z.string().max(8).optional().describe('as Android calls it, without a region'),
})
export type SplitOfApp = z.infer<typeof SplitOfApp>

/** An app that a device installs. What others need stands before them; what is there in this version or a higher one stays. */
export const AppToInstall = z.object({
  package: z.string().min(1).max(200),
  title: shortText,
  version: z.string().max(100),
  version_code: count.describe('of two versions the higher one is newer'),
  kind: PackageKind,
  file: FileToFetch.omit({ path: true }),
  min_sdk: z.number().int().optional(),
  abis: z.array(z.string().max(20)).max(20).optional().describe('it runs on one of them; absent: on any'),
  splits: z
    .array(SplitOfApp)
    .max(200)
    .optional()
    .describe('the APKs in the package; absent: the package says it itself'),
  is_dependency: z.boolean().optional().describe('only because another one of the task needs it'),
  may_downgrade: z.boolean().optional().describe('a higher version that is there gives way to it'),
  signed: SignedAgent.optional().describe(
    `of the agent's own package, ${agent_package}: an agent takes no version of itself that is not signed`,
  ),
})
export type AppToInstall = z.infer<typeof AppToInstall>
/** Apps of one task, those that others need included. */
export const apps_of_task_max = 40
/** Files of one task, those in pushed folders included. */
export const files_of_task_max = 200

/** Work for a device. The type decides the shape of the payload. */
export const TaskWork = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('message'),
    payload: z.object({ title: z.string().max(100), text: z.string().max(2000) }),
  }),
  z.object({
    type: z.literal('file'),
    payload: z.object({ files: z.array(FileToFetch).min(1).max(files_of_task_max) }),
  }),
  z.object({ type: z.literal('config_file'), payload: z.object({ file: FileToFetch }) }),
  z.object({
    type: z.literal('app_install'),
    payload: z.object({ apps: z.array(AppToInstall).min(1).max(apps_of_task_max) }),
  }),
  z.object({
    type: z.literal('app_uninstall'),
    payload: z.object({ packages: z.array(z.string().min(1).max(200)).min(1).max(20) }),
  }),
  z.object({ type: z.literal('lock'), payload: z.object({ password: z.string().min(4).max(64).optional() }) }),
  z.object({ type: z.literal('find'), payload: z.object({ seconds: z.number().int().min(2).max(600) }) }),
  z.object({ type: z.literal('restart'), payload: z.object({}) }),
  z.object({ type: z.literal('shutdown'), payload: z.object({}) }),
  z.object({ type: z.literal('factory_reset'), payload: z.object({}) }),
  z.object({
    type: z.literal('screenshot'),
    payload: z.object({ upload_url: z.string().max(2000).describe('PUT the PNG here with the device credential') }),
  }),
  z.object({
    type: z.literal('remote_log'),
    payload: z.object({
      upload_url: z.string().max(2000).describe('PUT the log here with the device credential, as text or gzip'),
    }),
  }),
  z.object({ type: z.literal('os'), payload: OsUpdate }),
])
export type TaskWork = z.infer<typeof TaskWork>

export const DownTask = z.intersection(
  z.object({
    task_kid: kid,
    attempt: z.number().int().min(1),
    version: z.number().int().min(0),
    expires_at: instant.describe('nothing begins to execute after it'),
    network: z.enum(['any', 'wifi']).optional().describe('downloads wait for it; absent: any'),
    window: z
      .object({
        from: z.string(),
        to: z.string(),
        days: z
          .array(z.number().int().min(1).max(7))
          .min(1)
          .optional()
          .describe('days of the week on which it opens, 1 is Monday; absent: every day'),
      })
      .optional()
      .describe('HH:MM in the zone of the device, when it may execute; `to` before `from` spans midnight'),
    min_battery: percent.optional().describe('of charge, below which it does not execute unless it is being charged'),
    download_prompt: z.boolean().optional().describe('the user is asked before it downloads'),
    install_prompt: z.boolean().optional().describe('the user is asked before it executes'),
    force_install: z.boolean().optional().describe('it executes without asking, and the user is warned 60 s ahead'),
    after_install: z.enum(['nothing', 'start_app', 'restart']).optional().describe('absent: nothing'),
  }),
  TaskWork,
)
/** Whether a device is lost. One that is keeps its screen locked behind this text, over restarts, until it is told otherwise. */
export const LostMode = z.object({
  is_lost: z.boolean().describe('false: it was found, and the screen is let go'),
  message: z.string().max(500).describe('for whoever finds it; empty when it is not lost'),
  phone: z.string().max(40).describe('to call; may be empty'),
})
export type LostMode = z.infer<typeof LostMode>
const variation = z.number().int().min(1).max(99)
/** What a device reports by itself, and after which change. */
export const CollectionPolicy = z.object({
  is_battery_on: z.boolean(),
  battery_percent: variation,
  is_wifi_on: z.boolean(),
  wifi_dbm: variation,
  is_mobile_on: z.boolean(),
  mobile_dbm: variation,
  is_timed_on: z.boolean().describe('everything at once, at intervals'),
  every_hours: z.number().int().min(1),
  is_location_on: z.boolean(),
  location_metres: z.number().int().min(1),
  location_hours: z.number().int().min(1),
  is_usage_on: z.boolean().describe('events of type usage'),
})
export type CollectionPolicy = z.infer<typeof CollectionPolicy>
/** Section by section; a device leaves alone what it does not know. */
export const Configuration = z.looseObject({
  collection: CollectionPolicy.optional(),
  url_lists: z.object({ whitelist: z.array(z.string()), blacklist: z.array(z.string()) }).optional(),
  fence: Fence.optional().describe('absent: none is in force'),
  lost: LostMode.optional().describe('absent: it was never lost'),
  api_authorisation: ApiAuthorisation.optional().describe('absent: no app may call anything'),
})
export const DownConfig = z.object({ version: z.number().int().min(0), config: Configuration })

/** The detail of an event of type `usage`: totals of one day so far, which only grow. */
export const Usage = z.object({
  day: z.iso.date(),
  app: z.string().max(200).optional().describe('absent for what cannot be told apart'),
  network: z.enum(['wifi', 'mobile', 'ethernet']),
  received: bytes,
  sent: bytes,
})
export type Usage = z.infer<typeof Usage>
export const DownRequest = z.object({
  id: kid,
  method: z.string().regex(/^[a-z][a-z0-9_]{0,39}$/),
  params: z.record(z.string(), z.unknown()),
  expires_at: instant,
})
export const DownCancel = z.object({ task_kid: kid, attempt: z.number().int().min(1) })
/** Why a place of a message was not taken over as it was said. */
export const refusedReasons = ['too_long', 'out_of_range', 'wrong', 'missing', 'not_json', 'too_many'] as const
export const RefusedPart = z.object({
  path: z.string().max(300).describe('names and positions, joined by dots; empty for the whole'),
  reason: z.enum(refusedReasons),
  message: z.string().max(300).describe('for whoever writes the agent'),
})
export type RefusedPart = z.infer<typeof RefusedPart>
/** What the server did not take over from a message, which it acknowledged all the same. Nothing is to be answered. */
export const DownRefused = z.object({
  name: z.enum(upNames),
  is_whole: z.boolean().describe('nothing of the message was stored'),
  seq: z.number().int().optional().describe('of the message, where it had one'),
  task_kid: z.string().optional().describe('of the report, where it had one'),
  parts: z.array(RefusedPart).min(1).max(limits.refused_parts),
})
export const down = {
  task: DownTask,
  config: DownConfig,
  request: DownRequest,
  cancel: DownCancel,
  refused: DownRefused,
} as const
export type Down = { [K in keyof typeof down]: z.infer<(typeof down)[K]> }
