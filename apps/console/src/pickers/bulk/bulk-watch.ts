import type { BatchJob } from '@mdm/contract'
import { invalidate, keyOf } from '../../api.ts'
import { CallFailed } from '../../call-failed.ts'
import { say } from '../../i18n/say.ts'
import { queryClient } from '../../queries.ts'
import { sessionState } from '../../session-store.ts'
import { useTray } from '../../shell/tray.ts'
import type { BulkSide } from './sides.ts'

/** Live events are faster where they come; this is for the tray, which has to end even when they do not. */
const look_ms = 2_000
const watched = new Set<string>()

/** Keeps a line in the tray for as long as the job runs, whatever screen is open. */
export function watch(side: BulkSide, { schedule_version }: Pick<BatchJob, 'schedule_version'>): void {
  const { account_kid } = sessionState()
  const id = `batch-${account_kid}-${schedule_version}`
  if (watched.has(id)) return
  watched.add(id)
  void follow(id, side, schedule_version, account_kid).finally(() => watched.delete(id))
}

async function follow(id: string, side: BulkSide, schedule_version: string, account_kid: string | null): Promise<void> {
  for (;;) {
    // In another account nobody can see it; whoever comes back finds it in the list of sheets.
    if (sessionState().account_kid !== account_kid) return useTray.getState().remove(id)
    try {
      const job = await side.progress(schedule_version)
      show(id, side, job)
      if (job.state !== 'running') {
        for (const group of [side.jobs.call.group, ...side.also]) void invalidate(group)
        return
      }
    } catch (error) {
      // The network may be away; anything else will not get better.
      if (!(error instanceof CallFailed && error.is_offline)) return useTray.getState().remove(id)
    }
    await new Promise((resolve) => setTimeout(resolve, look_ms))
  }
}

function show(id: string, { words, jobs }: BulkSide, job: BatchJob): void {
  const { state, done, total, ok, failed } = job
  useTray.getState().put({
    id,
    title: say(`device-batch:${words}.tray`),
    done,
    total,
    state: state === 'running' || state === 'done' ? state : 'failed',
    detail: say(`device-batch:${words}.counts`, { done, total, ok, failed }),
  })
  queryClient.setQueryData<BatchJob[]>(keyOf(jobs.call, jobs.input), (all) =>
    all?.map((each) => (each.schedule_version === job.schedule_version ? job : each)),
  )
}
