import type { Trials } from './body/body.ts'
import { wait } from './clock.ts'
import type { Clock } from './clock.ts'

const look_ms = 500

type Options = {
  /** Absent where nothing is tried. */
  trials: Trials | undefined
  /** What is tried, in words. */
  what: string
  clock: Clock
  signal: AbortSignal
  /** Starts what counts now. */
  leave: () => Promise<void>
  /** After the version was kept. */
  kept?: () => void
  log: (line: string) => void
}

/**
 * Looks after a version that is being tried: it is kept once the server has heard from it, and left when its time is over.
 * Whatever became of the task that brought it.
 */
export function watchTrial({ trials, what, clock, signal, leave, kept, log }: Options) {
  let is_heard = false
  async function run() {
    let left_ms: number | undefined
    let reason = 'The new version did not reach the server in time'
    for (;;) {
      const trial = await trials?.trial()
      if (trial?.state !== 'trying') return
      if (is_heard) {
        const failure = await trials!.confirm().then(
          () => undefined,
          (error: Error) => error,
        )
        if (failure) {
          reason = `The new version could not be kept: ${failure.message}`
          break
        }
        log(`the new version of ${what} is kept`)
        return kept?.()
      }
      left_ms ??= trial.until === undefined ? Infinity : Date.parse(trial.until) - clock.now().getTime()
      // A clock that was set back must not keep a device on a version that does not work.
      if (left_ms <= 0 || (left_ms !== Infinity && left_ms > trial.confirm_seconds * 1_000)) break
      // Counted from here on: a clock that was lost is set while the version is tried.
      const pause_ms = Math.min(left_ms, look_ms)
      await wait(clock, pause_ms, signal)
      left_ms -= pause_ms
    }
    await trials!.roll_back(reason)
    log(`${what}: ${reason}: going back to the one before`)
    await leave()
  }
  const failed = (error: Error) => {
    if (!signal.aborted) log(`trial of a version: ${error.message}`)
  }
  run().catch(failed)
  return {
    /** The server has acknowledged a hello of this session. */
    heard() {
      is_heard = true
    },
  }
}
