/** The only source of time in the server, so that tests can move it. */
export type Clock = {
  now(): Date
  /** Milliseconds since some moment, which no setting of the clock moves: what durations are measured with. */
  elapsed(): number
  /** Runs `fn` every `ms`; a run that is still going is not started again. Returns the stop. */
  every(ms: number, fn: () => Promise<void> | void): () => void
  after(ms: number, fn: () => Promise<void> | void): () => void
}

export const realClock: Clock = {
  now: () => new Date(),
  elapsed: () => performance.now(),
  every(ms, fn) {
    let is_running = false
    const run = async () => {
      if (is_running) return
      is_running = true
      try {
        await fn()
      } finally {
        is_running = false
      }
    }
    const timer = setInterval(() => void run(), ms)
    return () => clearInterval(timer)
  },
  after(ms, fn) {
    const timer = setTimeout(() => void fn(), ms)
    return () => clearTimeout(timer)
  },
}

type Timer = { at: number; every: number | undefined; fn: () => Promise<void> | void }

/**
 * A clock that stands still until `advance` moves it; timers that fall due run in order and are awaited. `jump` sets it
 * to another time, as a wrong time server does: nothing has elapsed. With `repeats_ms` what repeats runs no more often than
 * that meanwhile, as on a machine that is busy: hours in which nothing happens cost a test thousands of looks otherwise.
 */
export function fakeClock(
  start: Date = new Date('2026-01-15T08:00:00Z'),
): Clock & { advance(ms: number, repeats_ms?: number): Promise<void>; jump(ms: number): void } {
  let now = 0
  let began = start.getTime()
  const timers = new Set<Timer>()
  const add = (ms: number, fn: Timer['fn'], every?: number) => {
    const timer: Timer = { at: now + ms, every, fn }
    timers.add(timer)
    return () => void timers.delete(timer)
  }
  return {
    now: () => new Date(began + now),
    elapsed: () => now,
    jump: (ms) => void (began += ms),
    every: (ms, fn) => add(ms, fn, ms),
    after: (ms, fn) => add(ms, fn),
    async advance(ms, repeats_ms = 0) {
      const until = now + ms
      for (;;) {
        const due = [...timers].filter((t) => t.at <= until).sort((a, b) => a.at - b.at)[0]
        if (!due) break
        now = Math.max(now, due.at)
        if (due.every === undefined) timers.delete(due)
        else due.at += Math.max(due.every, repeats_ms)
        await due.fn()
      }
      now = until
      for (const timer of timers) if (timer.every !== undefined) timer.at = Math.min(timer.at, until + timer.every)
    },
  }
}
