import type { SimulatedBody } from '@mdm/agent/body/simulated.ts'
import type { DeviceEventOf } from '@mdm/agent/body/body.ts'
import { metresBetween } from '@mdm/agent/changes.ts'
import type { StatePartsOf } from '@mdm/agent/body/body.ts'

type Place = NonNullable<StatePartsOf['location']>
export type Spell = { from: number; until: number | null }
/** What a simulated device really did, as its own side saw it. */
export type Truth = {
  spells: Spell[]
  /** When it introduced itself over a connection that stands, as long as the server has not said that it heard. */
  greeted_at: number | undefined
  /** Greetings that nobody answered before the connection was gone: the server knows of it, or does not. */
  unanswered: number
  kills: number
  triggers: { at: string; trigger: string; level: number }[]
  places: Place[]
  metres: number
}

export const newTruth = (): Truth => ({
  spells: [],
  greeted_at: undefined,
  unanswered: 0,
  kills: 0,
  triggers: [],
  places: [],
  metres: 0,
})

/** The body with a witness: every battery event and every place it is at is written down. */
export function witnessed(body: SimulatedBody, truth: Truth): SimulatedBody {
  return Object.assign(Object.create(body) as SimulatedBody, {
    async events(): Promise<DeviceEventOf[]> {
      const happened = await body.events()
      for (const { type, at, detail } of happened)
        if (type === 'battery')
          truth.triggers.push({ at, trigger: String(detail?.['trigger']), level: Number(detail?.['level']) })
      return happened
    },
    // What it has on board it says in its greeting, and nowhere else.
    async inventory() {
      if (truth.greeted_at !== undefined) truth.unanswered += 1
      truth.greeted_at = Date.now()
      return body.inventory()
    },
    async state(): Promise<StatePartsOf> {
      const state = await body.state()
      const { location } = state
      const before = truth.places.at(-1)
      if (location) {
        truth.metres += before ? metresBetween(before, location) : 0
        truth.places.push(location)
      }
      return state
    },
  })
}

export function began(truth: Truth, at: number): void {
  truth.greeted_at = undefined
  const last = truth.spells.at(-1)
  if (!last || last.until !== null) truth.spells.push({ from: at, until: null })
}
export function ended(truth: Truth, at: number): void {
  const last = truth.spells.at(-1)
  if (last && last.until === null) last.until = at
}

/** Seconds of the spells until `now`. */
export const secondsOf = (spells: readonly Spell[], now: number): number =>
  spells.reduce((sum, { from, until }) => sum + ((until ?? now) - from), 0) / 1000
