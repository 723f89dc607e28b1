import type { Clock } from '../clock.ts'

export type JumpingClock = Clock & {
  /** As if so much time had passed at once: what has fallen due runs. */
  jump(ms: number): void
}

/** A clock that runs as the real one does, and can be put forward. */
export function jumpingClock(at = new Date()): JumpingClock {
  let ahead_ms = at.getTime() - Date.now()
  const timers = new Map<() => void, { due: number; timer: NodeJS.Timeout }>()
  const now = () => Date.now() + ahead_ms
  return {
    now: () => new Date(now()),
    after(ms, run) {
      const fire = () => {
        clearTimeout(timers.get(fire)?.timer)
        if (timers.delete(fire)) run()
      }
      timers.set(fire, { due: now() + ms, timer: setTimeout(fire, Math.min(Math.max(0, ms), 2_147_483_647)) })
      return () => {
        clearTimeout(timers.get(fire)?.timer)
        timers.delete(fire)
      }
    },
    jump(ms) {
      ahead_ms += ms
      for (const [fire, { due }] of [...timers]) if (due <= now()) fire()
    },
  }
}
