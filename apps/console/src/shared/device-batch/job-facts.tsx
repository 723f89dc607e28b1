import { DownloadOutlined } from '@ant-design/icons'
import { Progress } from 'antd'
import { useTranslation } from 'react-i18next'
import type { BatchJob, BatchState } from '@mdm/contract'
import { useCount } from '../../ui/value/format.ts'
import { StateBadge } from '../../ui/value/StateBadge.tsx'
import type { Tone } from '../../ui/value/StateBadge.tsx'
import { DateTime } from '../../ui/value/values.tsx'
import { Save } from './Save.tsx'
import type { BulkSide } from './sides.ts'

const tones: Record<BatchState, Tone> = { running: 'moving', done: 'good', canceled: 'quiet', failed: 'bad' }
type Props = { side: BulkSide; job: BatchJob }

/** Whose sheet it is, how far it is and what came of its rows. */
export function JobFacts({ side: { texts }, job }: Props) {
  const { t } = useTranslation('device-batch')
  const count = useCount()
  const { state, done, total, ok, failed, already } = job
  const counts = { done, total, ok, already, refused: failed - already }
  return (
    <>
      <div className="bulk-job">
        <StateBadge tone={tones[state]}>{t(`state.${state}`)}</StateBadge>
        <DateTime at={job.created_at} />
        <span className="dim">{t('by', { name: job.created_by })}</span>
      </div>
      {state === 'running' && (
        <Progress
          percent={Math.floor((done / total) * 100)}
          size="small"
          status="active"
          aria-label={t(`${texts}.progress`)}
        />
      )}
      <p className="number">
        {t(
          `${texts}.counts`,
          Object.fromEntries(Object.entries(counts).map(([name, value]) => [name, count(value)])) as Record<
            keyof typeof counts,
            string
          >,
        )}
      </p>
    </>
  )
}

/** Its result as a sheet: of all rows, or of those to correct. */
export function JobFiles({ side, job: { schedule_version, ok, total } }: Props) {
  const { t } = useTranslation('device-batch')
  return (
    <>
      <Save size="small" icon={<DownloadOutlined aria-hidden />} save={() => side.result(schedule_version, false)}>
        {t('result')}
      </Save>
      {ok < total && (
        <Save
          size="small"
          icon={<DownloadOutlined aria-hidden />}
          hint={t('failed_rows_hint')}
          save={() => side.result(schedule_version, true)}
        >
          {t('failed_rows')}
        </Save>
      )}
    </>
  )
}
