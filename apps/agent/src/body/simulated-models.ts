import type { Random } from './random.ts'

type Build = { os_version: string; version_code: number; ver: number }
type Model = {
  model: string
  /** Of all its builds. */
  uid: string
  builds: readonly [Build, ...Build[]]
  resolution: readonly [number, number]
  /** Dots per inch, and the languages it is set to: they decide which parts of an app it needs. */
  density: number
  languages: readonly string[]
  battery_mah: number | undefined
  memory: number
  storage: number
  has_sim: boolean
  /** API level of its Android; the kiosk runs an old one. */
  sdk: number
  abis: readonly string[]
}
const arm32 = ['armeabi-v7a', 'armeabi']
const arm64 = ['arm64-v8a', ...arm32]
const gib = 1024 ** 3

/** Nobody's products. The kiosk has no battery and a cable. */
export const models: readonly [Model, ...Model[]] = [
  {
    model: 'm102',
    uid: 'NM11602S1E0ENGEN0001',
    builds: [
      { os_version: '9.00.101', version_code: 1, ver: 10 },
      { os_version: '9.00.123', version_code: 2, ver: 20 },
      { os_version: '9.01.004', version_code: 3, ver: 30 },
    ],
    density: 240,
    languages: ['en'],
    resolution: [480, 800],
    battery_mah: 4000,
    memory: 2 * gib,
    storage: 16 * gib,
    has_sim: true,
    sdk: 28,
    abis: arm32,
  },
  {
    model: 'm105',
    uid: 'NM26404S2E1VIGEN0001',
    builds: [
      { os_version: '10.02.011', version_code: 1, ver: 10 },
      { os_version: '10.02.020', version_code: 2, ver: 20 },
    ],
    density: 320,
    languages: ['vi', 'en'],
    resolution: [720, 1280],
    battery_mah: 5000,
    memory: 4 * gib,
    storage: 64 * gib,
    has_sim: true,
    sdk: 29,
    abis: arm64,
  },
  {
    model: 'm210',
    uid: 'NT18806T1E0ZHGEN0001',
    builds: [
      { os_version: '11.00.300', version_code: 1, ver: 10 },
      { os_version: '11.01.002', version_code: 2, ver: 20 },
    ],
    density: 240,
    languages: ['zh'],
    resolution: [800, 1280],
    battery_mah: 8200,
    memory: 6 * gib,
    storage: 128 * gib,
    has_sim: false,
    sdk: 30,
    abis: arm64,
  },
  {
    model: 's70',
    uid: 'NS10801S3E2ENCD10001',
    builds: [{ os_version: '9.00.123_CD01', version_code: 1, ver: 10 }],
    density: 240,
    languages: ['en'],
    resolution: [480, 640],
    battery_mah: 3000,
    memory: 1 * gib,
    storage: 8 * gib,
    has_sim: true,
    sdk: 28,
    abis: arm32,
  },
  {
    model: 'k300',
    uid: 'DK15608K1E0ENGEN0001',
    builds: [
      { os_version: '5.4.1', version_code: 1, ver: 10 },
      { os_version: '5.4.2', version_code: 2, ver: 20 },
    ],
    density: 160,
    languages: ['en'],
    resolution: [1280, 800],
    battery_mah: undefined,
    memory: 8 * gib,
    storage: 256 * gib,
    has_sim: false,
    sdk: 25,
    abis: ['x86_64', 'x86'],
  },
]

export const apps = [
  ['com.example.launcher', 'Launcher'],
  ['com.example.scan', 'Scan'],
  ['com.example.route', 'Route'],
  ['com.example.stock', 'Stock'],
  ['com.example.delivery', 'Delivery'],
  ['com.example.browser', 'Browser'],
  ['com.example.till', 'Till'],
  ['com.example.notes', 'Notes'],
] as const

export const operators = ['North Mobile', 'Delta Cell', 'Harbour Tel'] as const
export const places = [
  { latitude: 21.0278, longitude: 105.8342 },
  { latitude: 10.7769, longitude: 106.7009 },
  { latitude: 16.0544, longitude: 108.2022 },
  { latitude: 22.5431, longitude: 114.0579 },
] as const

/** How a simulated device misbehaves. */
export type Faults = {
  /** Without network for `for_ms` out of every `every_ms`. */
  offline?: { every_ms: number; for_ms: number }
  /** Share of downloads, 0 to 1, that end for want of space. */
  failing_downloads?: number
  /** Bytes that are free, instead of what its state says. */
  room?: number
  /** Sections of a configuration that it fails to apply. */
  failing_sections?: readonly string[]
  /** Share of OS packages, 0 to 1, of which half arrives. */
  failing_midway?: number
  /** Share of OS versions, 0 to 1, that do not come up, and how long they are tried. */
  no_start?: number
  trial_ms?: number
  /** Waits this long before everything it does, and between pieces of a download. */
  slow_ms?: number
  /** Its user says no to everything. */
  refuses?: boolean
  /** Why nothing of it can be opened from afar. */
  remote?: 'asleep' | 'permission_missing' | 'no_source'
  /** Share of questions, 0 to 1, that its user puts off. */
  puts_off?: number
}

/** One in three or so has something: the mix that demos and benches use. */
export function someFaults(random: Random): Faults {
  const dice = random.next()
  if (dice < 0.08) return { offline: { every_ms: 600_000, for_ms: 300_000 } }
  if (dice < 0.12) return { offline: { every_ms: 60_000, for_ms: 10_000 } }
  if (dice < 0.18) return { failing_downloads: 0.5 }
  if (dice < 0.26) return { slow_ms: 1500 }
  if (dice < 0.28) return { refuses: true }
  return dice < 0.4 ? { puts_off: 0.6 } : {}
}
