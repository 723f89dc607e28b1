import * as z from 'zod'
import { ConfigSectionResult, DownConfig } from '@mdm/device-link'
import type { ApiAuthorisation, CollectionPolicy, Down } from '@mdm/device-link'
import { TaskFailure } from './body/body.ts'
import type { Body } from './body/body.ts'
import type { Clock } from './clock.ts'
import { isSameJson } from './same-json.ts'
import type { Store } from './store.ts'

/** By which a device goes that was never told otherwise. */
export const defaultPolicy: CollectionPolicy = {
  is_battery_on: true,
  battery_percent: 5,
  is_wifi_on: true,
  wifi_dbm: 10,
  is_mobile_on: true,
  mobile_dbm: 5,
  is_timed_on: true,
  every_hours: 2,
  is_location_on: true,
  location_metres: 30,
  location_hours: 24,
  is_usage_on: true,
}

const Version = z.object({ version: z.number().int() })
const Outcomes = z.object({ results: z.array(ConfigSectionResult) })

/** What failed is tried again after so long, each time after twice as long, and at last every hour. */
const again_ms = { first: 15_000, last: 3_600_000 }

type Options = {
  store: Store
  body: Pick<Body, 'configure' | 'judges_fence'>
  clock: Clock
  /** The device goes by another version, or said again by which it goes. */
  on_applied: () => void
  log: (line: string) => void
  /** Tests another server and, where it answers for this device, leads the agent there. */
  move: (url: string) => Promise<Omit<ConfigSectionResult, 'section'>>
  /** Fetches the list of calls that is in force from now on. */
  authorise: (list: ApiAuthorisation, signal: AbortSignal) => Promise<void>
}

/**
 * The newest configuration that came; it holds over restarts. An older one that arrives late changes nothing. What was cut off
 * between being stored and being applied is applied at the next start.
 */
export async function openConfig({ store, body, clock, on_applied, log, move, authorise }: Options) {
  const stored: unknown = await store.read('config')
  let held: Down['config'] | undefined = DownConfig.safeParse(stored).data
  // What a newer agent wrote is told by its version, so that the server sends what this one understands.
  let version = Version.safeParse(stored).data?.version
  let results = Outcomes.safeParse(stored).data?.results
  const ended = new AbortController()
  let applying: Promise<void> | undefined
  /** What is to be applied as soon as what is being applied is done. */
  let next: { wanted: Down['config']; before: Down['config'] | undefined } | undefined
  /** When a section that failed is tried again, and after how long it was put off. */
  const waits = new Map<string, { wait_ms: number; due: number }>()

  async function applyAll(wanted: Down['config'], before: Down['config'] | undefined): Promise<void> {
    const known = new Map((results ?? []).map((result) => [result.section, result]))
    // The same again is asked for by somebody: then all of it is done again.
    const is_again = isSameJson(wanted.config, before?.config)
    const said: ConfigSectionResult[] = []
    for (const [section, value] of Object.entries(wanted.config)) {
      ended.signal.throwIfAborted()
      const earlier = known.get(section)
      const is_same = earlier?.outcome === 'applied' && isSameJson(value, before?.config[section])
      said.push(is_same && !is_again ? earlier : { section, ...(await applyOne(section, value)) })
    }
    await store.write('config', { ...wanted, results: said })
    results = said
    version = wanted.version
    on_applied()
  }

  async function applyOne(section: string, value: unknown): Promise<Omit<ConfigSectionResult, 'section'>> {
    try {
      if (section === 'collection') return { outcome: 'applied' }
      // Watched by the agent itself, where the body knows where it is.
      if (section === 'fence')
        return body.judges_fence ? { outcome: 'applied' } : { outcome: 'not_supported', reason: 'no_hardware' }
      if (section === 'server_address') return await move((value as { url: string }).url)
      if (section === 'api_authorisation') {
        await authorise(value as ApiAuthorisation, ended.signal)
        return { outcome: 'applied' }
      }
      return await body.configure(section, value, ended.signal)
    } catch (error) {
      ended.signal.throwIfAborted()
      putOff(section, error)
      return { outcome: 'failed', reason: 'command_failed', message: (error as Error).message.slice(0, 300) }
    }
  }

  /** What came and is wrong is the same in a minute: only what could not be had is tried again soon. A fleet spreads over half of the wait. */
  function putOff(section: string, error: unknown): void {
    const is_final = error instanceof TaskFailure && error.code !== 'download_failed'
    const doubled = (waits.get(section)?.wait_ms ?? again_ms.first / 2) * 2
    const wait_ms = is_final ? again_ms.last : Math.min(doubled, again_ms.last)
    waits.set(section, { wait_ms, due: clock.now().getTime() + wait_ms * (1 - Math.random() / 2) })
  }

  function apply(wanted: Down['config'], before: Down['config'] | undefined): Promise<void> {
    next = { wanted, before }
    return inTurn()
  }
  /** One thing at a time: `first`, then what is to be applied by then. */
  function inTurn(first?: () => Promise<void>): Promise<void> {
    applying ??= run(first).finally(() => (applying = undefined))
    return applying
  }
  async function run(first?: () => Promise<void>): Promise<void> {
    try {
      await first?.()
      for (let work = next; work; work = next) {
        next = undefined
        await applyAll(work.wanted, work.before)
      }
    } catch (error) {
      if (!ended.signal.aborted) log(`configuration: ${(error as Error).message}`)
    }
  }

  return {
    /** That the device goes by; one that is stored and not applied yet is not said. */
    get version() {
      return results === undefined && Object.keys(held?.config ?? {}).some((name) => name !== 'collection')
        ? undefined
        : version
    },
    get results() {
      return results
    },
    get collection(): CollectionPolicy {
      return held?.config.collection ?? defaultPolicy
    },
    get fence() {
      return held?.config.fence
    },
    get api_authorisation(): ApiAuthorisation | undefined {
      return held?.config.api_authorisation
    },
    /** Once more what failed, when it is time; what became of it is told as before. */
    async again(section: string): Promise<void> {
      const wanted = held
      const value = wanted?.config[section]
      const has_failed = results?.some((one) => one.section === section && one.outcome === 'failed')
      if (applying || !wanted || value === undefined || !has_failed) return
      if (clock.now().getTime() < (waits.get(section)?.due ?? 0)) return
      await inTurn(async () => {
        const result = { section, ...(await applyOne(section, value)) }
        if (held !== wanted || result.outcome === 'failed') return
        results = results!.map((one) => (one.section === section ? result : one))
        await store.write('config', { ...wanted, results })
        on_applied()
      })
    },
    /** Throws when it makes no sense: then the one before goes on. Resolves when it is stored, not when it is applied. */
    async take(json: unknown): Promise<void> {
      const given = DownConfig.parse(json)
      const newest = held?.version ?? version
      if (newest !== undefined && given.version < newest) return on_applied()
      if (newest !== undefined && given.version === newest && results !== undefined) return on_applied()
      if (newest !== undefined && given.version === newest && applying) return
      const before = held
      await store.write('config', given)
      held = given
      waits.clear()
      void apply(given, before)
    },
    /** Goes on with what was cut off; and tells again what may not have been heard. */
    resume(): void {
      if (held && results === undefined) void apply(held, undefined)
      else if (results !== undefined) on_applied()
    },
    /** The device is about to lose what was applied. All of it is applied again: by the next start, or by `keep` where it did not. */
    async undone(): Promise<{ keep: () => void }> {
      await applying
      if (held) {
        await store.write('config', held)
        results = undefined
      }
      return { keep: () => held && void apply(held, undefined) }
    },
    /** For tests: resolves when nothing is being applied. */
    settled: async () => applying,
    halt: () => ended.abort(new Error('stopped')),
  }
}
export type DeviceConfig = Pick<Awaited<ReturnType<typeof openConfig>>, 'version' | 'results' | 'collection' | 'fence'>
