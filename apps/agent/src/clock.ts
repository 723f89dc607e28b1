/** The only source of time in the agent. The server's clock, fake or real, fits here too. */
export type Clock = {
  now(): Date
  /** Runs `run` once after `ms`. Returns what cancels it. */
  after(ms: number, run: () => void): () => void
}

/** setTimeout fires at once beyond this. */
const longest = 2_147_483_647

export const realClock: Clock = {
  now: () => new Date(),
  after(ms, run) {
    const timer = setTimeout(run, Math.min(Math.max(0, ms), longest))
    return () => clearTimeout(timer)
  },
}

/**
 * One interval for many agents: what falls due in the same tick shares a bucket, so that thousands of devices cost one
 * timer. Nothing fires early; it may fire up to `tick_ms` late.
 */
export function sharedClock(tick_ms = 100): Clock & { close(): void } {
  const buckets = new Map<number, Set<() => void>>()
  const tickOf = (at: number) => Math.ceil(at / tick_ms)
  let last = tickOf(performance.now())
  const timer = setInterval(() => {
    const due = Math.floor(performance.now() / tick_ms)
    while (last <= due) {
      const bucket = buckets.get(last)
      buckets.delete(last)
      // Moved on first: what is added meanwhile belongs to a later tick.
      last += 1
      for (const run of bucket ?? []) run()
    }
  }, tick_ms)
  return {
    now: () => new Date(),
    after(ms, run) {
      const tick = Math.max(tickOf(performance.now() + ms), last)
      const entry = () => run()
      const bucket = buckets.get(tick) ?? new Set()
      buckets.set(tick, bucket.add(entry))
      return () => void bucket.delete(entry)
    },
    close: () => clearInterval(timer),
  }
}

/** Resolves after `ms`; rejects with the signal's reason when that comes first. */
export const wait = (clock: Clock, ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const abort = () => {
      cancel()
      reject(signal?.reason)
    }
    const cancel = clock.after(ms, () => {
      signal?.removeEventListener('abort', abort)
      resolve()
    })
    signal?.addEventListener('abort', abort, { once: true })
  })

/** Full jitter: anything between nothing and a ceiling that doubles with each failure, so that a fleet never returns at once. */
export const jitteredDelay = (
  failures: number,
  { base_ms, cap_ms }: { base_ms: number; cap_ms: number },
  random: () => number = Math.random,
): number => Math.round(random() * Math.min(cap_ms, base_ms * 2 ** Math.min(failures, 30)))
