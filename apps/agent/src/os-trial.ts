import type { Body } from './body/body.ts'
import { wait } from './clock.ts'
import type { Clock } from './clock.ts'

type Options = {
  body: Body
  clock: Clock
  signal: AbortSignal
  on_reboot: (down_ms: number) => void
  log: (line: string) => void
}

/**
 * Looks after a version that is being tried: it is kept once the server has heard from it, and left when its time is over.
 * Whatever became of the task that brought it.
 */
export function watchTrial({ body, clock, signal, on_reboot, log }: Options) {
  let is_heard = false
  async function run() {
    const { os } = body
    for (;;) {
      const trial = await os?.trial()
      if (trial?.state !== 'trying') return
      if (is_heard) {
        await os!.confirm()
        return log('the new version of the operating system is kept')
      }
      const left_ms = Date.parse(trial.until!) - clock.now().getTime()
      // A clock that was set back must not keep a device on a version that does not work.
      if (left_ms <= 0 || left_ms > trial.confirm_seconds * 1_000) break
      await wait(clock, Math.min(left_ms, 500), signal)
    }
    await os!.roll_back('The new version did not reach the server in time')
    log('the new version did not reach the server in time: going back to the one before')
    const { rebooting } = await body.restart(signal)
    if (rebooting?.down_ms !== undefined) on_reboot(rebooting.down_ms)
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
