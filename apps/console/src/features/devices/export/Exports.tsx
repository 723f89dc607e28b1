import { DownloadOutlined } from '@ant-design/icons'
import { Button, Progress } from 'antd'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { constants } from '@mdm/contract'
import type { ExportState, TerminalExport } from '@mdm/contract'
import { listText } from '../../../i18n/list-text.ts'
import { api, download, useWrite } from '../../../core/api.ts'
import type { ReadResult } from '../../../core/api.ts'
import { notify } from '../../../core/notices.ts'
import { Failure } from '../../../ui/Failure.tsx'
import { durationText, useCount } from '../../../ui/value/format.ts'
import { SkeletonRows } from '../../../ui/list/SkeletonRows.tsx'
import { StateBadge } from '../../../ui/value/StateBadge.tsx'
import type { Tone } from '../../../ui/value/StateBadge.tsx'
import { Bytes, DateTime, useNow } from '../../../ui/value/values.tsx'
import { useSessionStore } from '../../../core/session-store.ts'
import { watch } from './export-watch.ts'

const tones: Record<ExportState, Tone> = { running: 'moving', done: 'good', canceled: 'quiet', failed: 'bad' }

/** Exports of the last days, newest first: how far they are, and their files. */
export function Exports({ query }: { query: ReadResult<typeof api.terminalExport.list_export_schedule> }) {
  const { t } = useTranslation(['devices/export', 'common'])
  const running = query.data?.find(({ state }) => state === 'running')?.schedule_version
  useEffect(() => {
    if (running !== undefined) watch({ schedule_version: running })
  }, [running])
  const count = constants.export_days
  return (
    <section className="exports" aria-label={t('earlier')}>
      <h3>{t('earlier')}</h3>
      {query.error && <Failure error={query.error} retry={query.refetch} is_line />}
      {query.isPending && <SkeletonRows columns={2} label={t('common:list.loading')} />}
      {query.data && <p className="dim">{t(query.data.length > 0 ? 'keeps' : 'none', { count })}</p>}
      <ul>
        {query.data?.map((job) => (
          <li key={job.schedule_version}>
            <Line job={job} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function Line({ job }: { job: TerminalExport }) {
  const { t } = useTranslation('devices/export')
  const count = useCount()
  const { schedule_version, state, done, total, name } = job
  const cancel = useWrite(api.terminalExport.cancel_export_schedule, { done: t('cancelled') })
  const is_running = state === 'running'
  return (
    <>
      <div className="export-line">
        <StateBadge tone={tones[state]}>{t(`state.${state}`)}</StateBadge>
        <strong className="export-name" title={listText(job.columns)}>
          {name}
        </strong>
        {is_running && (
          <Button size="small" loading={cancel.isPending} onClick={() => void cancel.run({ schedule_version })}>
            {t('cancel')}
          </Button>
        )}
        {state === 'done' && <Save job={job} />}
      </div>
      {is_running && (
        <Progress
          percent={total > 0 ? Math.min(100, Math.floor((done / total) * 100)) : 0}
          size="small"
          status="active"
          aria-label={t('progress', { name })}
        />
      )}
      <p className="export-facts dim">
        <span className="number">
          {is_running
            ? t('counts', { done: count(done), total: count(total) })
            : t('devices', { count: done, shown: count(done) })}
        </span>
        <span title={job.match ? filterText(job.match) : undefined}>{t(`range.${job.range}`)}</span>
        {job.size !== null && <Bytes value={job.size} />}
        <DateTime at={job.created_at} />
        <span>{t('by', { name: job.created_by })}</span>
        {state === 'done' && <Left until={job.expires_at} />}
      </p>
    </>
  )
}

/** The filter as it was sent, for who wants to know exactly. */
const filterText = (match: object): string =>
  Object.entries(match)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('\n')

function Left({ until }: { until: string }) {
  const { t } = useTranslation('devices/export')
  const language = useSessionStore((s) => s.language)
  const seconds = Math.max(0, (Date.parse(until) - useNow()) / 1000)
  return <span>{t('expires', { time: durationText(seconds, language, 1) })}</span>
}

function Save({ job: { schedule_version, name } }: { job: TerminalExport }) {
  const { t } = useTranslation('devices/export')
  const [is_loading, setLoading] = useState(false)
  const save = async () => {
    setLoading(true)
    await download(api.terminalExport.download_export, { schedule_version }).catch(notify.fail)
    setLoading(false)
  }
  return (
    <Button
      size="small"
      icon={<DownloadOutlined aria-hidden />}
      loading={is_loading}
      aria-label={t('download_name', { name })}
      onClick={() => void save()}
    >
      {t('download')}
    </Button>
  )
}
