import { TaskFailure } from '../body/body.ts'
import type { Trial, Trials } from '../body/body.ts'
import { wait } from '../clock.ts'
import type { TaskContext } from './kind.ts'

const look_ms = 500
/** Time for a device to go down and to come up, beside the time that it has to report. */
const spare_seconds = 600

/** Waits until a version that is being tried is kept. Throws `rolled_back` with the reason when it was left. */
export async function keptVersion(
  trials: Trials,
  confirm_seconds: number,
  { clock, signal }: Pick<TaskContext, 'clock' | 'signal'>,
): Promise<Trial> {
  let left_ms = (confirm_seconds + spare_seconds) * 1_000
  for (; left_ms > 0; left_ms -= look_ms) {
    const trial = await trials.trial()
    if (trial?.state === 'confirmed') return trial
    if (!trial) throw new TaskFailure('rolled_back', 'Nobody knows of it any more')
    if (trial.state === 'rolled_back')
      throw new TaskFailure('rolled_back', trial.reason ?? 'The new version did not report')
    await wait(clock, look_ms, signal)
  }
  throw new TaskFailure('rolled_back', 'The new version was neither kept nor left')
}
