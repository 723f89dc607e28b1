import type { BatchJob } from '@mdm/contract'
import { invalidate, keyOf } from '../../core/api.ts'
import { translate } from '../../i18n/translate.ts'
import { queryClient } from '../../core/queries.ts'
import { sessionState } from '../../core/session-store.ts'
import { followWork } from '../../core/follow-work.ts'
import type { Work } from '../../core/tray.ts'
import type { BulkSide } from './sides.ts'

/** Shows in the tray and in the list of sheets how far a job is. */
export function watch(side: BulkSide, { schedule_version }: Pick<BatchJob, 'schedule_version'>): void {
  const look = async () => {
    const job = await side.progress(schedule_version)
    queryClient.setQueryData<BatchJob[]>(keyOf(side.jobs.call, side.jobs.input), (all) =>
      all?.map((each) => (each.schedule_version === job.schedule_version ? job : each)),
    )
    return workOf(side, job)
  }
  followWork(`batch-${sessionState().account_kid}-${schedule_version}`, look, () => {
    for (const group of [side.jobs.call.group, ...side.also]) void invalidate(group)
  })
}

const workOf = ({ texts }: BulkSide, { state, done, total, ok, failed, already }: BatchJob): Omit<Work, 'id'> => ({
  title: translate(`device-batch:${texts}.tray`),
  done,
  total,
  state: state === 'running' || state === 'done' ? state : 'failed',
  detail: translate(`device-batch:${texts}.counts`, { done, total, ok, already, refused: failed - already }),
})
