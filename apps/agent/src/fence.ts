import * as z from 'zod'
import { fenceUnknown, judgeFence, settleFence } from '@mdm/device-link'
import type { Fence, FenceAction, FenceCrossing, FenceMemory, FenceStanding } from '@mdm/device-link'
import type { Body, DeviceEventOf, StatePartsOf } from './body/body.ts'
import { asFailure } from './body/failures.ts'
import type { Clock } from './clock.ts'
import type { DeviceConfig } from './config.ts'
import type { Store } from './store.ts'

const Side = z.enum(['inside', 'outside'])
const Crossing = z.object({ to: Side, longitude: z.number(), latitude: z.number(), at: z.number() })
const Stored = z.object({
  fence_kid: z.string(),
  fence_version: z.number(),
  memory: z.object({ state: Side.nullable(), judged_at: z.number().nullable(), crossing: Crossing.nullable() }),
  since: z.number(),
})
type Stored = z.infer<typeof Stored>

const types = { inside: 'fence_in', outside: 'fence_out' } as const

/**
 * Watches the fence that is in force, also while the device is offline and over restarts: says when it is crossed, and
 * does what the fence orders when the device leaves.
 */
export async function openFence(options: {
  body: Body
  clock: Clock
  config: DeviceConfig
  store: Store
  log: (line: string) => void
  add: (events: DeviceEventOf[]) => Promise<void>
  /** It stands otherwise to its fence than it was told last. */
  on_change: () => void
}) {
  const { body, clock, config, store, log } = options
  const ended = new AbortController()
  let held: Stored | undefined = Stored.safeParse(await store.read('fence').catch(() => undefined)).data

  /** What is known of the fence that is in force: nothing of another one, or of another version. */
  const memoryOf = ({ fence_kid, fence_version }: Fence): FenceMemory =>
    held?.fence_kid === fence_kid && held.fence_version === fence_version ? held.memory : fenceUnknown

  /** Tells what became of an action, unless the agent ends before that is known. */
  async function act(fence: Fence, action: FenceAction['action'], doing: Promise<unknown>): Promise<void> {
    const failure = await doing.then(() => undefined, asFailure)
    if (ended.signal.aborted) return
    const { fence_kid, fence_version, name } = fence
    if (failure) log(`fence ${name}: ${failure.message}`)
    const detail: FenceAction = {
      fence_kid,
      fence_version,
      fence: name,
      action,
      outcome: failure ? 'failed' : 'done',
      ...(failure && { reason: failure.code, message: failure.message.slice(0, 1000) }),
    }
    await options.add([{ type: 'fence_action', at: clock.now().toISOString(), detail }])
  }

  /** Nobody waits for it: a bell rings for minutes, while positions come in. */
  function obey(fence: Fence): void {
    const { alarm_seconds, lock_password, name } = fence
    const untold = (error: Error) => log(`fence ${name}: ${error.message}`)
    if (lock_password !== undefined) act(fence, 'lock', body.lock(lock_password, ended.signal)).catch(untold)
    if (alarm_seconds !== undefined) act(fence, 'ring', body.find(alarm_seconds, ended.signal)).catch(untold)
  }

  async function take(fence: Fence, memory: FenceMemory, crossed: readonly FenceCrossing[]): Promise<void> {
    const before = memoryOf(fence)
    const { fence_kid, fence_version, name } = fence
    const since = crossed.at(-1)?.at ?? (before.state === memory.state && held ? held.since : (memory.judged_at ?? 0))
    held = { fence_kid, fence_version, memory, since }
    const is_same = before.state === memory.state && before.crossing?.at === memory.crossing?.at
    if (is_same && crossed.length === 0) return
    await store.write('fence', held)
    await options.add(
      crossed.map(({ to, at, longitude, latitude }) => ({
        type: types[to],
        at: new Date(at).toISOString(),
        detail: { fence_kid, fence_version, fence: name, longitude, latitude },
      })),
    )
    if (before.state !== memory.state) options.on_change()
    if (crossed.at(-1)?.to === 'outside') obey(fence)
  }

  return {
    get is_watched(): boolean {
      return config.fence !== undefined && body.judges_fence
    },
    /** A part of every hello, and of the report after a change. */
    standing(): z.infer<typeof FenceStanding> | undefined {
      const { fence } = config
      const state = fence && memoryOf(fence).state
      if (!fence || !state) return undefined
      const { fence_kid, fence_version } = fence
      return { fence_kid, fence_version, state, at: new Date(held!.since).toISOString() }
    },
    async look(location: StatePartsOf['location']): Promise<void> {
      const { fence } = config
      if (!fence || !body.judges_fence) return
      const now = clock.now().getTime()
      const at = location?.at === undefined ? now : Date.parse(location.at)
      const seen = judgeFence(fence, memoryOf(fence), location ? [{ ...location, at }] : [])
      const settled = settleFence(fence, seen.memory, now)
      await take(fence, settled.memory, [...seen.crossed, ...settled.crossed])
    },
    halt() {
      ended.abort(new Error('stopped'))
    },
  }
}
export type FenceWatch = Awaited<ReturnType<typeof openFence>>
