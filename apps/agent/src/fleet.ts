import { join } from 'node:path'
import { startAgent } from './agent.ts'
import type { Agent, AgentEvent, AgentState } from './agent.ts'
import { seeded } from './body/random.ts'
import { simulatedBody } from './body/simulated.ts'
import type { SimulatedBody } from './body/simulated.ts'
import { someFaults } from './body/simulated-models.ts'
import type { Faults } from './body/simulated-models.ts'
import { sharedClock } from './clock.ts'
import { fileStore, memoryStore } from './store.ts'

export type FleetOptions = {
  server: string
  devices: number
  /** Decides models, faults and serial numbers: the same seed is the same fleet. */
  seed?: number
  /** Registers a device that shows its code, or a QR token that all of them use. Without it somebody types the codes. */
  register?: ((announced: { sn: string; registration_code: string }) => Promise<void>) | string
  /** Devices started per second. */
  ramp?: number
  /** Keeps identities, tasks and versions below this folder, so that the same fleet comes back. In memory without it. */
  data?: string
  /** Instead of the faults that the seed gives a device, `usual`. */
  faults?: (index: number, usual: Faults) => Faults
  state_every_ms?: number
  sample_ms?: number
  speed?: number
  reconnect?: { base_ms?: number; cap_ms?: number }
  log?: (line: string) => void
  on?: (device: { index: number; agent: Agent }, event: AgentEvent) => void
}
export type Fleet = {
  readonly devices: readonly { sn: string; agent: Agent; body: SimulatedBody }[]
  /** How many devices are in each state. */
  counts(): Record<AgentState, number>
  /** Resolves when so many are online at the same time. */
  online(count: number): Promise<void>
  stop(): Promise<void>
  kill(): void
}

const registrationsAtOnce = 4

/** Many simulated devices in one process, each with its own connection; they share one timer. */
export function startFleet(options: FleetOptions): Fleet {
  const { seed = 1, ramp = 50, register } = options
  const clock = sharedClock()
  const devices: Fleet['devices'][number][] = []
  const watchers = new Set<() => void>()
  const waiting: (() => Promise<void>)[] = []
  let registering = 0
  let is_stopped = false

  function registerNext() {
    if (registering >= registrationsAtOnce) return
    const next = waiting.shift()
    if (!next) return
    registering += 1
    void next().finally(() => {
      registering -= 1
      registerNext()
    })
    registerNext()
  }

  function add(index: number) {
    const sn = `SIM-${seed}-${String(index + 1).padStart(5, '0')}`
    const random = seeded(seed * 1_000_003 + index)
    const usual = someFaults(random)
    const faults = options.faults ? options.faults(index, usual) : usual
    const store = options.data === undefined ? memoryStore() : fileStore(join(options.data, sn.toLowerCase()))
    const body = simulatedBody({ sn, clock, faults, seed: seed * 7_919 + index, store, ...pick(options, 'speed') })
    const agent = startAgent({
      server: options.server,
      body,
      clock,
      store,
      ...pick(options, 'reconnect'),
      ...pick(options, 'state_every_ms'),
      ...pick(options, 'sample_ms'),
      ...(typeof register === 'string' ? { qrcode: register } : {}),
      ...(options.log ? { log: (line: string) => options.log?.(`${sn} ${line}`) } : {}),
    })
    agent.on((event) => {
      if (event.type === 'code' && typeof register === 'function') enlist(sn, agent, register, 0)
      options.on?.({ index, agent }, event)
      if (event.type === 'state') for (const watcher of watchers) watcher()
    })
    devices.push({ sn, agent, body })
  }

  function enlist(
    sn: string,
    agent: Agent,
    register: Exclude<FleetOptions['register'], string | undefined>,
    failures: number,
  ) {
    waiting.push(async () => {
      const { registration_code } = agent
      if (is_stopped || registration_code === undefined || agent.state !== 'waiting') return
      try {
        await register({ sn, registration_code })
        agent.askRegistered()
      } catch (error) {
        options.log?.(`${sn} not registered: ${(error as Error).message}`)
        const retry = () => enlist(sn, agent, register, failures + 1)
        clock.after(Math.min(60_000, 1000 * 2 ** failures), retry)
      }
    })
    registerNext()
  }

  const counts = () => {
    const result: Record<AgentState, number> = {
      announcing: 0,
      waiting: 0,
      connecting: 0,
      online: 0,
      offline: 0,
      rebooting: 0,
      stopped: 0,
    }
    for (const { agent } of devices) result[agent.state] += 1
    return result
  }

  const step = Math.max(1, Math.ceil(ramp / 10))
  let started = 0
  const grow = () => {
    if (is_stopped) return
    for (const end = Math.min(options.devices, started + step); started < end; started += 1) add(started)
    if (started < options.devices) clock.after((1000 * step) / ramp, grow)
  }
  grow()

  return {
    devices,
    counts,
    online: (count) =>
      new Promise((resolve) => {
        const look = () => {
          if (counts().online < count) return
          watchers.delete(look)
          resolve()
        }
        watchers.add(look)
        look()
      }),
    async stop() {
      is_stopped = true
      await Promise.all(devices.map(({ agent }) => agent.stop()))
      clock.close()
    },
    kill() {
      is_stopped = true
      for (const { agent } of devices) agent.kill()
      clock.close()
    },
  }
}

/** A property only where it is set, as exact optional properties want it. */
const pick = <T extends object, K extends keyof T>(from: T, key: K): Pick<T, K> =>
  (from[key] === undefined ? {} : { [key]: from[key] }) as Pick<T, K>
