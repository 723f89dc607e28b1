import { useTranslation } from 'react-i18next'
import { api, useCall } from '../../core/api.ts'
import { partOf } from '../../shared/accounts/quota.ts'
import { UsageBar } from '../../shared/device/DeviceParts.tsx'
import { Failure } from '../../ui/Failure.tsx'
import { useCount } from '../../ui/value/format.ts'
import { Bytes } from '../../ui/value/values.tsx'

/** All customers together. */
export function Totals({ from, to }: { from: string | undefined; to: string | undefined }) {
  const { t } = useTranslation('content-report')
  const count = useCount()
  const query = useCall(api.opsContentReport.total, { from, to }, { keepPrevious: true })
  if (query.error) return <Failure error={query.error} retry={query.refetch} is_line />
  const sum = query.data
  const number = (value: number | undefined) => (value === undefined ? '–' : count(value))
  const stored = (label: string, used = 0, space = 0) => (
    <>
      <dd className="report-note">
        <Bytes value={used} />
        <span className="dim">
          {' / '}
          <Bytes value={space} />
        </span>
      </dd>
      <dd>
        <UsageBar part={partOf(used, space)} label={label} />
      </dd>
    </>
  )
  return (
    <dl className="report-totals" aria-busy={query.isPending} aria-label={t('total')}>
      <div>
        <dt>{t('column.files')}</dt>
        <dd className="report-number">{number(sum?.file_count)}</dd>
        {stored(t('column.file_space'), sum?.file_used, sum?.file_space)}
      </div>
      <div>
        <dt>{t('column.apps')}</dt>
        <dd className="report-number">{number(sum?.app_count)}</dd>
        {stored(t('column.app_space'), sum?.app_used, sum?.app_space)}
      </div>
      <div>
        <dt>{t('column.pushes')}</dt>
        <dd className="report-number">{number(sum?.push_count)}</dd>
        <dd className="report-note dim">{t(from || to ? 'in_period' : 'in_30_days')}</dd>
      </div>
      <div>
        <dt>{t('column.downloads')}</dt>
        <dd className="report-number">{number(sum?.download_count)}</dd>
        <dd className="report-note" data-bad={(sum?.failed_count ?? 0) > 0 || undefined}>
          {t('failed', { count: sum?.failed_count ?? 0, shown: number(sum?.failed_count) })}
        </dd>
      </div>
    </dl>
  )
}
