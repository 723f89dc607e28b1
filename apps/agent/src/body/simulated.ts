import type { LostMode } from '@mdm/device-link'
import { TaskFailure } from './body.ts'
import type { Apps, Body, Identity, NetworkType, Outcome } from './body.ts'
import { realClock, wait } from '../clock.ts'
import type { Clock } from '../clock.ts'
import { configSections } from './config-sections.ts'
import type { Store } from '../store.ts'
import { drawScreen } from './picture.ts'
import { seeded } from './random.ts'
import { agentVersion, protocolVersion } from '../version.ts'
import { simulateApps } from './simulated-apps.ts'
import { simulateFiles } from './simulated-files.ts'
import { chooseSplits } from '../splits.ts'
import { models } from './simulated-models.ts'
import type { Faults } from './simulated-models.ts'
import { simulateOs } from './simulated-os.ts'
import { simulateRemote } from '../remote/simulated-remote.ts'
import { simulateState } from './simulated-state.ts'
import { simulateUsage } from './simulated-usage.ts'

/** What the models of this house can do: everything. */
const task_types: Body['task_types'] = [
  'message',
  'file',
  'config_file',
  'app_install',
  'app_uninstall',
  'find',
  'lock',
  'restart',
  'shutdown',
  'factory_reset',
  'screenshot',
  'remote_log',
  'os',
]

const package_kinds: readonly string[] = ['apk', 'apks', 'xapk']

export type SimulatedOptions = {
  sn: string
  seed: number
  clock?: Clock
  faults?: Faults
  /** How many times faster than life its battery empties and it walks. */
  speed?: number
  /** How long a restart takes. */
  down_ms?: number
  /** How long nobody switches it on again after it was shut down. */
  off_ms?: number
  /** Instead of that of this process. */
  zone?: string
  /** Keeps the version that it was updated to. */
  store?: Store
  /** False: it leaves its fence to the server. */
  judges_fence?: boolean
}
export type SimulatedBody = Body & {
  readonly remote: ReturnType<typeof simulateRemote>
  /** What was done, oldest first, at most 200: `message Hello`, `restart`, `file /sdcard/a.bin`. */
  readonly performed: readonly string[]
  faults: Faults
  /** What it is connected by, instead of what its model and its SIM make of it. */
  connected_by: NetworkType | undefined
  /** Where it is, instead of where it walks. */
  placed_at: { longitude: number; latitude: number; accuracy?: number } | undefined
  /** What its screen is locked with since it was told that it is lost, or that it is not any more. */
  lost: LostMode | undefined
}

/** A device that is played: what it is and how it goes follow from the seed, what it downloads it really downloads. */
export function simulatedBody(options: SimulatedOptions): SimulatedBody {
  const { sn, clock = realClock, down_ms = 3000, off_ms = 600_000, zone } = options
  const random = seeded(options.seed)
  const model = random.pick(models)
  const build = random.pick(model.builds)
  const phase = random.next()
  const hue = 1 + Math.floor(random.between(0, 7))
  let boot_at = new Date(clock.now().getTime() - random.between(600, 600_000) * 1000)
  let boot_id = random.hex(32)
  const user = seeded(options.seed + 2)
  const usage = simulateUsage(seeded(options.seed + 1))
  const life = simulateState(random, model, options.speed ?? 20, clock.now(), usage)
  const performed: string[] = []

  const perform = (what: string) => {
    performed.push(what)
    if (performed.length > 200) performed.shift()
  }
  const played = simulateApps(random, perform)
  const {
    files,
    land,
    removePushed,
    reset: eraseFiles,
  } = simulateFiles({
    random,
    now: () => clock.now(),
    perform,
    room: () => self.faults.room ?? life.room(),
    async pause() {
      if (self.faults.slow_ms !== undefined) await wait(clock, Math.min(200, self.faults.slow_ms))
    },
  })
  async function begin(signal?: AbortSignal) {
    if (self.faults.slow_ms !== undefined) await wait(clock, self.faults.slow_ms, signal)
    if (self.faults.refuses) throw new TaskFailure('refused', 'Refused at the device')
  }
  /** What is done is done with the boot that follows. */
  function boot(after_ms: number): Outcome {
    const down = after_ms + system.start()
    boot_at = new Date(clock.now().getTime() + down)
    boot_id = random.hex(32)
    return { rebooting: { down_ms: down } }
  }
  /** What an Android looks at before it installs a package; the bytes are counted and digested. */
  const appsOfAndroid: Apps = {
    ...played.apps,
    async assertFits({ kind, abis, min_sdk, title, splits }) {
      if (!package_kinds.includes(kind))
        throw new TaskFailure('package_kind', `${title}: this device installs no ${kind}`)
      if (abis && !abis.some((abi) => model.abis.includes(abi)))
        throw new TaskFailure('abi', `${title} is for ${abis.join(', ')}, this device is ${model.abis[0]}`)
      if (min_sdk !== undefined && min_sdk > model.sdk)
        throw new TaskFailure('sdk', `${title} needs API level ${min_sdk}, this device has ${model.sdk}`)
      if (splits) chooseSplits(splits, model, title)
    },
    land: ({ file }) => self.land({ ...file, path: '/data/app' }),
    async install(app, landing, signal) {
      await begin(signal)
      const parts = app.splits && chooseSplits(app.splits, model, app.title).map(({ file }) => file)
      await landing.reset()
      played.put(app)
      if (parts) perform(`parts ${app.package} ${parts.join(' ')}`)
      return parts
    },
    async start(name) {
      played.need(name)
      perform(`start ${name}`)
    },
  }
  const system = simulateOs({
    build: { uid: model.uid, ...build },
    random: seeded(options.seed + 3),
    now: () => clock.now(),
    faults: () => self.faults,
    land: async (file) => land(file, false),
    perform,
    store: options.store,
  })
  const identityOf = (): Identity => ({
    sn,
    model: model.model,
    os_name: 'Demo OS',
    os_version: system.build().os_version,
    service_version: agentVersion,
    protocol_version: protocolVersion,
  })

  const self: SimulatedBody = {
    task_types,
    performed,
    faults: options.faults ?? {},
    connected_by: undefined,
    config_sections: configSections,
    placed_at: undefined,
    lost: undefined,
    judges_fence: options.judges_fence ?? true,
    async identity() {
      await system.loaded
      return identityOf()
    },
    inventory: async () => ({
      model: model.model,
      os_name: 'Demo OS',
      ...(await system.body.build()),
      service_version: agentVersion,
      protocol_version: protocolVersion,
      resolution: model.resolution.join('x'),
      host: sn.toLowerCase(),
      packages: played.packages(),
      abis: [...model.abis],
      sdk: model.sdk,
      package_kinds: [...package_kinds],
    }),
    boot: async () => ({ boot_id, boot_at, uptime: Math.max(0, (clock.now().getTime() - boot_at.getTime()) / 1000) }),
    async state() {
      const state = life.read(clock.now(), boot_at)
      const { connected_by, placed_at } = self
      if (connected_by) state.network = { ...state.network, type: connected_by }
      if (placed_at) state.location = { ...state.location, ...placed_at }
      return state
    },
    network: async () => (self.is_reachable() ? (self.connected_by ?? life.network) : 'none'),
    zone: () => zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    events: async () => life.events(),
    usage: async () => usage.read(),
    is_reachable() {
      const { offline } = self.faults
      if (!offline) return true
      const at = (clock.now().getTime() + phase * offline.every_ms) % offline.every_ms
      return at < offline.every_ms - offline.for_ms
    },
    async ask(question, { may_put_off }, signal) {
      await wait(clock, self.faults.slow_ms ?? 0, signal)
      perform(`ask ${question}`)
      if (self.faults.refuses) return 'no'
      return may_put_off && user.next() < (self.faults.puts_off ?? 0) ? 'later' : 'yes'
    },
    warn: async (text) => perform(`warn ${text}`),
    async configure(section, value, signal) {
      await begin(signal)
      if (!configSections.includes(section)) return { outcome: 'not_supported', reason: 'unknown_section' }
      if (self.faults.failing_sections?.includes(section))
        return { outcome: 'failed', reason: 'command_failed', message: `${section} failed (simulated)` }
      if (section === 'permission_policy') played.decide(value)
      if (section === 'lost') self.lost = value as LostMode
      perform(`configure ${section}`)
      return { outcome: 'applied' }
    },
    read_config_file: async (path) => {
      perform(`configuration file ${path}`)
      return ''
    },
    async show_message({ title }, signal) {
      await begin(signal)
      perform(`message ${title}`)
      return {}
    },
    async land(file, { is_kept = false } = {}) {
      await begin()
      if (random.next() < (self.faults.failing_downloads ?? 0))
        throw new TaskFailure('no_space', `${file.name}: no space left on the device (simulated)`)
      return land(file, is_kept)
    },
    room: async () => self.faults.room ?? life.room(),
    remove_pushed: async (path, sha256) => removePushed(path, sha256),
    files,
    apps: appsOfAndroid,
    os: system.body,
    remote: simulateRemote({ sn, hue, clock, faults: () => self.faults }),
    async screenshot(signal) {
      await begin(signal)
      const [width, height] = model.resolution
      const now = clock.now().toISOString()
      perform('screenshot')
      return drawScreen(width, height, hue, [
        sn,
        `${model.model} ${system.build().os_version}`,
        now.slice(0, 10),
        now.slice(11, 19),
      ])
    },
    async find(seconds, signal): Promise<Outcome> {
      await begin(signal)
      await wait(clock, seconds * 1000, signal)
      perform(`find ${seconds}`)
      return { text: `Rang for ${seconds} s` }
    },
    async lock(password, signal) {
      await begin(signal)
      perform(password === undefined ? 'lock' : 'lock with password')
      return {}
    },
    async restart(signal) {
      await begin(signal)
      perform('restart')
      return boot(down_ms)
    },
    async shut_down(signal) {
      await begin(signal)
      perform('shutdown')
      return boot(off_ms)
    },
    async factory_reset(signal) {
      await begin(signal)
      perform('factory reset')
      self.lost = undefined
      eraseFiles()
      played.reset()
      return boot(down_ms)
    },
    async log(signal) {
      await begin(signal)
      perform('log')
      const lines = [`${model.model} ${system.build().os_version}, on since ${boot_at.toISOString()}`, ...performed]
      return Buffer.from(lines.map((line) => `system: ${line}\n`).join(''))
    },
  }

  return self
}
