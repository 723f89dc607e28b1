import { DownloadOutlined } from '@ant-design/icons'
import { Button, Progress } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { batch_limits } from '@mdm/contract'
import type { BatchJob, BatchState } from '@mdm/contract'
import { api, download, useWrite } from '../../api.ts'
import { notify } from '../../notice.ts'
import { ConfirmDanger } from '../../screen/ConfirmDanger.tsx'
import { StateBadge } from '../../screen/StateBadge.tsx'
import type { Tone } from '../../screen/StateBadge.tsx'
import { DateTime } from '../../screen/values.tsx'

const tones: Record<BatchState, Tone> = { running: 'moving', done: 'good', canceled: 'quiet', failed: 'bad' }

/** Sheets of the last days, newest first: how far they are, and their results. */
export function BulkJobs({ jobs }: { jobs: readonly BatchJob[] }) {
  const { t } = useTranslation('device-batch')
  const [canceling, setCanceling] = useState<string | null>(null)
  const cancel = useWrite(api.terminalBatch.cancel_batch_registered, {
    done: t('cancelled'),
    onSuccess: () => setCanceling(null),
  })
  if (jobs.length === 0) return null
  return (
    <section className="bulk-jobs">
      <h3>{t('earlier')}</h3>
      <p className="dim">{t('until', { count: batch_limits.result_days })}</p>
      <ul>
        {jobs.map((job) => (
          <li key={job.schedule_version}>
            <Line job={job} onCancel={() => setCanceling(job.schedule_version)} />
          </li>
        ))}
      </ul>
      {canceling && (
        <ConfirmDanger
          title={t('cancel_title')}
          submit={t('cancel')}
          dismiss={t('keep')}
          loading={cancel.isPending}
          submitError={cancel.error}
          onConfirm={() => cancel.mutateAsync({ schedule_version: canceling })}
          onClose={() => setCanceling(null)}
        >
          {t('cancel_text')}
        </ConfirmDanger>
      )}
    </section>
  )
}

function Line({ job, onCancel }: { job: BatchJob; onCancel: () => void }) {
  const { t } = useTranslation('device-batch')
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
        <Progress percent={Math.floor((done / total) * 100)} size="small" status="active" aria-label={t('progress')} />
      )}
      <p className="number">{t('counts', { done, total, ok, failed })}</p>
      <div className="bulk-job">
        {is_running ? (
          <Button size="small" onClick={onCancel}>
            {t('cancel')}
          </Button>
        ) : (
          <Result schedule_version={schedule_version} label={t('result')} />
        )}
        {!is_running && ok < total && (
          <Result
            schedule_version={schedule_version}
            label={t('failed_rows')}
            hint={t('failed_rows_hint')}
            only_failed
          />
        )}
      </div>
    </>
  )
}

type ResultProps = { schedule_version: string; label: string; hint?: string; only_failed?: boolean }
function Result({ schedule_version, label, hint, only_failed = false }: ResultProps) {
  const [is_loading, setLoading] = useState(false)
  const save = async () => {
    setLoading(true)
    await download(api.terminalBatch.batch_result, { schedule_version, only_failed }).catch(notify.fail)
    setLoading(false)
  }
  return (
    <Button size="small" icon={<DownloadOutlined />} loading={is_loading} title={hint} onClick={() => void save()}>
      {label}
    </Button>
  )
}
