import { DownloadOutlined } from '@ant-design/icons'
import { Button, Progress } from 'antd'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { batch_limits } from '@mdm/contract'
import type { BatchJob, BatchState } from '@mdm/contract'
import { invalidate } from '../../core/api.ts'
import type { CallFailed } from '../../core/call-failed.ts'
import { notify } from '../../core/notices.ts'
import { ConfirmDanger } from '../../ui/dialog/ConfirmDanger.tsx'
import { useCount } from '../../ui/value/format.ts'
import { StateBadge } from '../../ui/value/StateBadge.tsx'
import type { Tone } from '../../ui/value/StateBadge.tsx'
import { DateTime } from '../../ui/value/values.tsx'
import { Save } from './Save.tsx'
import type { BulkSide } from './sides.ts'

const tones: Record<BatchState, Tone> = { running: 'moving', done: 'good', canceled: 'quiet', failed: 'bad' }

/** Sheets of the last days, newest first: how far they are, and their results. */
export function BulkJobs({ side, jobs }: { side: BulkSide; jobs: readonly BatchJob[] }) {
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
            <Line side={side} job={job} onCancel={() => setCanceling(job.schedule_version)} />
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

function Line({ side, job, onCancel }: { side: BulkSide; job: BatchJob; onCancel: () => void }) {
  const { t } = useTranslation('device-batch')
  const count = useCount()
  const { texts } = side
  const { schedule_version, state, done, total, ok, failed } = job
  const is_running = state === 'running'
  return (
    <>
      <div className="bulk-job">
        <StateBadge tone={tones[state]}>{t(`state.${state}`)}</StateBadge>
        <DateTime at={job.created_at} />
        <span className="dim">{t('by', { name: job.created_by })}</span>
      </div>
      {is_running && (
        <Progress
          percent={Math.floor((done / total) * 100)}
          size="small"
          status="active"
          aria-label={t(`${texts}.progress`)}
        />
      )}
      <p className="number">
        {t(`${texts}.counts`, { done: count(done), total: count(total), ok: count(ok), failed: count(failed) })}
      </p>
      <div className="bulk-job">
        {is_running ? (
          <Button size="small" onClick={onCancel}>
            {t(`${texts}.cancel`)}
          </Button>
        ) : (
          <Save size="small" icon={<DownloadOutlined aria-hidden />} save={() => side.result(schedule_version, false)}>
            {t('result')}
          </Save>
        )}
        {!is_running && ok < total && (
          <Save
            size="small"
            icon={<DownloadOutlined aria-hidden />}
            hint={t('failed_rows_hint')}
            save={() => side.result(schedule_version, true)}
          >
            {t('failed_rows')}
          </Save>
        )}
      </div>
    </>
  )
}
