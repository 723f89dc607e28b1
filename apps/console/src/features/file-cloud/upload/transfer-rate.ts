/** Bytes per second over the last few seconds, so that a stall shows and a burst does not. */
export class TransferRate {
  readonly #window_ms: number
  #samples: { at: number; bytes: number }[] = []

  constructor(window_ms = 5_000) {
    this.#window_ms = window_ms
  }

  /** How many bytes are there at an instant (milliseconds of any clock that only goes forward). */
  put(at: number, bytes: number): void {
    const last = this.#samples.at(-1)
    // Fewer than before means that a piece is sent again; what was measured until then says nothing any more.
    if (last && bytes < last.bytes) this.#samples = []
    this.#samples.push({ at, bytes })
    while (this.#samples.length > 2 && at - this.#samples[0]!.at > this.#window_ms) this.#samples.shift()
  }

  /** Undefined until half a second has been seen. */
  get per_second(): number | undefined {
    const first = this.#samples[0]
    const last = this.#samples.at(-1)
    if (!first || !last || last.at - first.at < 500) return undefined
    return ((last.bytes - first.bytes) * 1000) / (last.at - first.at)
  }

  /** Seconds until `total` at the present rate; undefined while nothing moves. */
  secondsLeft(total: number): number | undefined {
    const rate = this.per_second
    const done = this.#samples.at(-1)?.bytes ?? 0
    return rate ? Math.max(0, total - done) / rate : undefined
  }
}
