import { createHash } from 'node:crypto'
import { posix } from 'node:path'
import { TaskFailure } from './body.ts'
import type { Body, FileOf, Identity, Landing, Outcome } from './body.ts'
import { realClock, wait } from '../clock.ts'
import type { Clock } from '../clock.ts'
import { drawScreen } from './picture.ts'
import { seeded } from './random.ts'
import { agentVersion, protocolVersion } from './linux-identity.ts'
import { apps, models } from './simulated-models.ts'
import type { Faults } from './simulated-models.ts'
import { simulateState } from './simulated-state.ts'

export type SimulatedOptions = {
  sn: string
  seed: number
  clock?: Clock
  faults?: Faults
  /** How many times faster than life its battery empties and it walks. */
  speed?: number
  /** How long a restart takes. */
  down_ms?: number
}
export type SimulatedBody = Body & {
  /** What was done, oldest first, at most 200: `message Hello`, `restart`, `file /sdcard/a.bin`. */
  readonly performed: readonly string[]
  faults: Faults
}

type Arriving = { position: number; md5: ReturnType<typeof createHash>; sha256: ReturnType<typeof createHash> }
const fresh = (): Arriving => ({ position: 0, md5: createHash('md5'), sha256: createHash('sha256') })

/** A device that is played: what it is and how it goes follow from the seed, what it downloads it really downloads. */
export function simulatedBody(options: SimulatedOptions): SimulatedBody {
  const { sn, clock = realClock, down_ms = 3000 } = options
  const random = seeded(options.seed)
  const model = random.pick(models)
  const os_version = random.pick(model.os_versions)
  const phase = random.next()
  const hue = 1 + Math.floor(random.between(0, 7))
  const packages = apps.slice(0, 4 + Math.floor(random.between(0, 5))).map(([name, title]) => ({
    name,
    title,
    version: `${Math.floor(random.between(1, 4))}.${Math.floor(random.between(0, 20))}`,
    size: Math.floor(random.between(1e6, 8e7)),
  }))
  let boot_at = new Date(clock.now().getTime() - random.between(600, 600_000) * 1000)
  let boot_id = random.hex(32)
  const life = simulateState(random, model, options.speed ?? 20, clock.now())
  const performed: string[] = []
  const arriving = new Map<string, Arriving>()
  const placed = new Map<string, { md5: string; sha256: string }>()

  const perform = (what: string) => {
    performed.push(what)
    if (performed.length > 200) performed.shift()
  }
  async function begin(signal?: AbortSignal) {
    if (self.faults.slow_ms !== undefined) await wait(clock, self.faults.slow_ms, signal)
    if (self.faults.refuses) throw new TaskFailure('refused', 'Refused at the device')
  }
  const identity: Identity = {
    sn,
    model: model.model,
    os_name: 'Demo OS',
    os_version,
    service_version: agentVersion,
    protocol_version: protocolVersion,
  }

  const self: SimulatedBody = {
    performed,
    faults: options.faults ?? {},
    identity: async () => identity,
    inventory: async () => ({
      model: model.model,
      os_name: 'Demo OS',
      os_version,
      service_version: agentVersion,
      protocol_version: protocolVersion,
      resolution: model.resolution.join('x'),
      host: sn.toLowerCase(),
      packages,
    }),
    boot: async () => ({ boot_id, boot_at }),
    state: async () => life.read(clock.now(), boot_at),
    events: async () => life.events(),
    is_reachable() {
      const { offline } = self.faults
      if (!offline) return true
      const at = (clock.now().getTime() + phase * offline.every_ms) % offline.every_ms
      return at < offline.every_ms - offline.for_ms
    },
    ask: async () => !self.faults.refuses,
    async show_message({ title }, signal) {
      await begin(signal)
      perform(`message ${title}`)
      return {}
    },
    async land(file) {
      await begin()
      if (random.next() < (self.faults.failing_downloads ?? 0))
        throw new TaskFailure('no_space', `${file.name}: no space left on the device (simulated)`)
      return landing(file)
    },
    async screenshot(signal) {
      await begin(signal)
      const [width, height] = model.resolution
      const now = clock.now().toISOString()
      perform('screenshot')
      return drawScreen(width, height, hue, [sn, `${model.model} ${os_version}`, now.slice(0, 10), now.slice(11, 19)])
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
      boot_at = new Date(clock.now().getTime() + down_ms)
      boot_id = random.hex(32)
      return { rebooting: { down_ms } }
    },
  }

  /** Counts and digests what arrives instead of keeping it. */
  function landing(file: FileOf): Landing {
    const path = posix.join('/', file.path, file.name)
    const key = `${file.sha256} ${path}`
    const held = placed.get(path)
    const is_there = held?.sha256 === file.sha256
    let bytes = arriving.get(key) ?? fresh()
    if (!is_there) arriving.set(key, bytes)
    return {
      get position() {
        return is_there ? file.size : bytes.position
      },
      async write(chunk) {
        bytes.md5.update(chunk)
        bytes.sha256.update(chunk)
        bytes.position += chunk.byteLength
        if (self.faults.slow_ms !== undefined) await wait(clock, Math.min(200, self.faults.slow_ms))
      },
      digests: () =>
        is_there && held ? held : { md5: bytes.md5.copy().digest('hex'), sha256: bytes.sha256.copy().digest('hex') },
      async place() {
        if (is_there) return path
        placed.set(path, this.digests())
        arriving.delete(key)
        perform(`file ${path}`)
        return path
      },
      close: async () => {},
      async reset() {
        placed.delete(path)
        bytes = fresh()
        arriving.set(key, bytes)
      },
    }
  }
  return self
}
