import { UnorderedListOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { batch_limits } from '@mdm/contract'
import type { BatchJob } from '@mdm/contract'
import { invalidate } from '../../core/api.ts'
import type { CallFailed } from '../../core/call-failed.ts'
import { notify } from '../../core/notices.ts'
import { ConfirmDanger } from '../../ui/dialog/ConfirmDanger.tsx'
import { JobFacts, JobFiles } from './job-facts.tsx'
import type { BulkSide } from './sides.ts'

/** Sheets of the last days, newest first: how far they are, and their results. */
export function BulkJobs({
  side,
  jobs,
  onShow,
}: {
  side: BulkSide
  jobs: readonly BatchJob[]
  onShow: (job: BatchJob) => void
}) {
  const { t } = useTranslation('device-batch')
  const { texts } = side
  const [canceling, setCanceling] = useState<string | null>(null)
  const cancel = useMutation<unknown, CallFailed, string>({
    mutationFn: side.cancel,
    onSuccess: () => {
      void invalidate(side.jobs.call.group)
      notify.ok(t(`${texts}.cancelled`))
      setCanceling(null)
    },
  })
  if (jobs.length === 0) return null
  return (
    <section className="bulk-jobs">
      <h3>{t('earlier')}</h3>
      <p className="dim">{t('until', { count: batch_limits.result_days })}</p>
      <ul>
        {jobs.map((job) => (
          <li key={job.schedule_version}>
            <Line
              side={side}
              job={job}
              onShow={() => onShow(job)}
              onCancel={() => setCanceling(job.schedule_version)}
            />
          </li>
        ))}
      </ul>
      {canceling && (
        <ConfirmDanger
          title={t(`${texts}.cancel_title`)}
          submit={t(`${texts}.cancel`)}
          dismiss={t(`${texts}.keep`)}
          loading={cancel.isPending}
          submitError={cancel.error}
          onConfirm={() => cancel.mutateAsync(canceling)}
          onClose={() => setCanceling(null)}
        >
          {t(`${texts}.cancel_text`)}
        </ConfirmDanger>
      )}
    </section>
  )
}

type LineProps = { side: BulkSide; job: BatchJob; onShow: () => void; onCancel: () => void }
function Line({ side, job, onShow, onCancel }: LineProps) {
  const { t } = useTranslation('device-batch')
  return (
    <>
      <JobFacts side={side} job={job} />
      <div className="bulk-job">
        <Button size="small" icon={<UnorderedListOutlined aria-hidden />} onClick={onShow}>
          {t('rows')}
        </Button>
        {job.state === 'running' ? (
          <Button size="small" onClick={onCancel}>
            {t(`${side.texts}.cancel`)}
          </Button>
        ) : (
          <JobFiles side={side} job={job} />
        )}
      </div>
    </>
  )
}
