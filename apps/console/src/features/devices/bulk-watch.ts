import type { BatchJob } from '@mdm/contract'
import { api, invalidate, send } from '../../api.ts'
import { CallFailed } from '../../call-failed.ts'
import { say } from '../../i18n/say.ts'
import { sessionState } from '../../session-store.ts'
import { useTray } from '../../shell/tray.ts'

/** Live events are faster where they come; this is for the tray, which has to end even when they do not. */
const look_ms = 2_000
const watched = new Set<string>()

/** Keeps a line in the tray for as long as the job runs, whatever screen is open. */
export function watch({ schedule_version }: Pick<BatchJob, 'schedule_version'>): void {
  const { account_kid } = sessionState()
  const id = `batch-${account_kid}-${schedule_version}`
  if (watched.has(id)) return
  watched.add(id)
  void follow(id, schedule_version, account_kid).finally(() => watched.delete(id))
}

async function follow(id: string, schedule_version: string, account_kid: string | null): Promise<void> {
  for (;;) {
    // In another account nobody can see it; whoever comes back finds it in the list of sheets.
    if (sessionState().account_kid !== account_kid) return useTray.getState().remove(id)
    try {
      const job = await send(api.terminalBatch.get_batch_registered_schedule, { schedule_version })
      show(id, job)
      if (job.state !== 'running') return void invalidate('terminal_batch')
    } catch (error) {
      // The network may be away; anything else will not get better.
      if (!(error instanceof CallFailed && error.is_offline)) return useTray.getState().remove(id)
    }
    await new Promise((resolve) => setTimeout(resolve, look_ms))
  }
}

function show(id: string, { state, done, total, ok, failed }: BatchJob): void {
  useTray.getState().put({
    id,
    title: say('device-batch:tray'),
    done,
    total,
    state: state === 'running' || state === 'done' ? state : 'failed',
    detail: say('device-batch:counts', { done, total, ok, failed }),
  })
}
