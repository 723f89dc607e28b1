import { refuse } from '../../../../refusal.ts'
import type { Clock } from '../../../../lib/clock.ts'
import { networkOf } from '../../../../lib/network.ts'

/** Addresses that are remembered; a bucket that is full again needs no memory. */
const remembered = 20_000

/**
 * A token bucket per address. A whole warehouse sits behind one address, so bursts are large; what is limited is the
 * work that one stranger can cause, not guessing (claims and tokens have 256 bits).
 */
export class AddressLimit {
  readonly #buckets = new Map<string, { left: number; at: number }>()
  readonly #clock: Clock
  readonly #burst: number
  readonly #per_second: number

  constructor(clock: Clock, limit: { burst: number; per_second: number }) {
    this.#clock = clock
    this.#burst = limit.burst
    this.#per_second = limit.per_second
  }

  /** Refuses `too_many_requests` when the address has used up what it may ask. */
  take(address: string): void {
    const key = networkOf(address)
    const now = this.#clock.elapsed()
    const bucket = this.#buckets.get(key) ?? { left: this.#burst, at: now }
    const left = Math.min(this.#burst, bucket.left + (Math.max(0, now - bucket.at) / 1000) * this.#per_second)
    if (left < 1) refuse('too_many_requests', { seconds: Math.max(1, Math.ceil((1 - left) / this.#per_second)) })
    // Re-inserted, so that the map is in order of last use.
    this.#buckets.delete(key)
    this.#buckets.set(key, { left: left - 1, at: now })
    if (this.#buckets.size > remembered) this.#buckets.delete(this.#buckets.keys().next().value!)
  }
}

/** The same, but for who was right before: it goes on at a slow rate of its own when neighbours have used up what their address may ask. */
class NeighbourLimit {
  readonly #of_address: AddressLimit
  readonly #own: AddressLimit
  readonly #right = new Set<string>()

  constructor(clock: Clock, limit: ConstructorParameters<typeof AddressLimit>[1]) {
    this.#of_address = new AddressLimit(clock, limit)
    this.#own = new AddressLimit(clock, { burst: 5, per_second: 0.1 })
  }

  take(address: string, key: string): void {
    try {
      this.#of_address.take(address)
    } catch (refusal) {
      if (!this.#right.has(key)) throw refusal
      this.#own.take(key)
    }
  }

  /** It said something that only it can know. */
  noteRight(key: string): void {
    this.#right.delete(key)
    this.#right.add(key)
    if (this.#right.size > remembered) this.#right.delete(this.#right.values().next().value!)
  }
}

/** 1000 devices announce at once when a site is switched on; then 2 a second. Waiting devices poll every 5 s. */
export const enrolmentLimits = (clock: Clock) => ({
  announce: new AddressLimit(clock, { burst: 1_000, per_second: 2 }),
  enrol: new NeighbourLimit(clock, { burst: 2_000, per_second: 200 }),
})
