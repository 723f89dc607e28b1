import type { Quality } from '../picture.ts'

/** What the way from a device to this browser bears, as far as it was seen, and the quality that fits it. */
export type Link = {
  quality: Quality
  /** Null until a picture came in more than one piece: one that came whole says nothing of the speed. */
  bytes_per_second: number | null
  round_trip_ms: number | null
}
/** What was seen between two beats. Of pictures the one that took longest, of what was asked for the wait above the shortest. */
export type Seen = { picture_ms: number; delay_ms: number }
export type Steps = {
  quality: Quality
  /** Beats in a row. */
  slow: number
  easy: number
  /** How many easy beats a step up takes. One that had to be taken back makes the next wait twice as long. */
  wanted: number
  is_trial: boolean
}

const levels = ['low', 'medium', 'high'] as const satisfies Quality[]
const slow = { picture_ms: 1_000, delay_ms: 700, beats: 2 }
/** A step up makes pictures about three times as large. In the lowest quality a device may let an answer wait for its next frame. */
const easy = { picture_ms: 300, delay_ms: 400, beats: 3, most_beats: 48 }
/** A step up that has lasted so long is not taken back for what was wrong with it. */
const trial_beats = 4

export const firstSteps: Steps = { quality: 'medium', slow: 0, easy: 0, wanted: easy.beats, is_trial: false }

/** A step down after two slow beats, a step up only after several easy ones: between the two nothing changes. */
export function nextSteps(steps: Steps, { picture_ms, delay_ms }: Seen): Steps {
  const at = levels.indexOf(steps.quality)
  if (picture_ms >= slow.picture_ms || delay_ms >= slow.delay_ms) {
    const next = { ...steps, slow: steps.slow + 1, easy: 0 }
    if (next.slow < slow.beats || at === 0) return next
    const wanted = steps.is_trial ? Math.min(easy.most_beats, steps.wanted * 2) : steps.wanted
    return { quality: levels[at - 1]!, slow: 0, easy: 0, wanted, is_trial: false }
  }
  if (picture_ms > easy.picture_ms || delay_ms > easy.delay_ms) return { ...steps, slow: 0, easy: 0 }
  const next = { ...steps, slow: 0, easy: steps.easy + 1, is_trial: steps.is_trial && steps.easy + 1 < trial_beats }
  if (next.easy < steps.wanted || at === levels.length - 1) return next
  return { ...next, quality: levels[at + 1]!, easy: 0, is_trial: true }
}

/**
 * Measures the way by what comes anyway. Bytes that come while a picture is half there were on their way all the time since the piece
 * before; the pixel that is asked for at every beat says how long the way is, with all that waits on it.
 */
export class LinkMeter {
  #link: Link = { quality: firstSteps.quality, bytes_per_second: null, round_trip_ms: null }
  #steps = firstSteps
  readonly #listeners = new Set<() => void>()
  #asked_at: number | undefined
  #shortest_ms = Infinity
  #last_at: number | undefined
  #is_under_way = false
  #bytes = 0
  #busy_ms = 0
  #picture_ms = 0
  #longest_ms = 0

  readonly current = (): Link => this.#link
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Another connection, which may go another way; what fits it is not forgotten for that. */
  begin(): void {
    this.#asked_at = this.#last_at = undefined
    this.#shortest_ms = Infinity
    this.#is_under_way = false
    this.#picture_ms = 0
    this.#clear()
    this.#put({ bytes_per_second: null, round_trip_ms: null })
  }
  /** A piece has come, and is not read yet. */
  arrived(bytes: number, at: number): void {
    if (this.#is_under_way && this.#last_at !== undefined) {
      this.#bytes += bytes
      this.#busy_ms += at - this.#last_at
      this.#picture_ms += at - this.#last_at
      this.#longest_ms = Math.max(this.#longest_ms, this.#picture_ms)
    }
    this.#last_at = at
  }
  /** It was read. `is_under_way`: it ends in the middle of a picture. */
  read(is_under_way: boolean): void {
    this.#is_under_way = is_under_way
  }
  /** All of a picture is there, also where it was drawn only after its last piece was read. */
  pictureEnded(): void {
    this.#is_under_way = false
    this.#picture_ms = 0
  }
  /** The pixel that was asked for is there. */
  answered(at: number): void {
    if (this.#asked_at === undefined) return
    const round_trip_ms = Math.max(0, at - this.#asked_at)
    this.#asked_at = undefined
    this.#shortest_ms = Math.min(this.#shortest_ms, round_trip_ms)
    this.#put({ round_trip_ms })
  }
  /** A pixel is asked for. What was seen since the last time decides about the quality. */
  beat(at: number): void {
    const waited_ms = this.#asked_at === undefined ? this.#link.round_trip_ms : at - this.#asked_at
    if (waited_ms !== null) {
      const shortest_ms = Number.isFinite(this.#shortest_ms) ? this.#shortest_ms : 0
      const seen = { picture_ms: this.#longest_ms, delay_ms: waited_ms - shortest_ms }
      this.#steps = nextSteps(this.#steps, seen)
    }
    const rate = this.#busy_ms > 0 ? { bytes_per_second: (this.#bytes / this.#busy_ms) * 1_000 } : {}
    this.#put({ quality: this.#steps.quality, ...rate })
    this.#clear()
    this.#asked_at ??= at
  }

  #clear(): void {
    this.#bytes = this.#busy_ms = this.#longest_ms = 0
  }
  #put(change: Partial<Link>): void {
    this.#link = { ...this.#link, ...change }
    for (const listener of this.#listeners) listener()
  }
}
