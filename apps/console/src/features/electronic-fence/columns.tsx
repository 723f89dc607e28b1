import { useTranslation } from 'react-i18next'
import { fenceAccuracyCodes, fenceAccuracyKeys } from '@mdm/contract'
import type { ElectronicFence } from '@mdm/contract'
import { listText } from '../../i18n/list-text.ts'
import { useSessionStore } from '../../core/session-store.ts'
import type { Column } from '../../ui/list/ListPage.tsx'
import { durationText, useCount } from '../../ui/value/format.ts'
import { ExplainedBadge } from '../../ui/value/ExplainedBadge.tsx'
import { StateBadge } from '../../ui/value/StateBadge.tsx'
import { Ago, CopyId, DateTime, Duration, Unit } from '../../ui/value/values.tsx'

export const accuracyOf = (code: number) => fenceAccuracyKeys.find((name) => fenceAccuracyCodes[name] === code)!

const tones = { on: 'good', off: 'quiet', nowhere: 'warn' } as const

export function useFenceColumns(): Column<ElectronicFence>[] {
  const { t } = useTranslation(['electronic-fence', 'common'])
  const language = useSessionStore((s) => s.language)
  const count = useCount()
  const actionsOf = ({ alarm_seconds, is_locking }: ElectronicFence) => [
    ...(alarm_seconds === null ? [] : [t('action.alarm', { time: durationText(alarm_seconds, language) })]),
    ...(is_locking ? [t('action.lock')] : []),
  ]
  return [
    { key: 'name', title: t('column.name'), sorter: true, is_fixed: true, render: (_, row) => row.name },
    {
      key: 'is_on',
      title: t('common:state'),
      export: { labels: { true: t('on'), false: t('off') } },
      render: (_, row) => {
        const state = !row.is_on ? 'off' : row.places > 0 ? 'on' : 'nowhere'
        return <StateBadge tone={tones[state]}>{t(state)}</StateBadge>
      },
    },
    {
      key: 'places',
      title: t('column.places'),
      render: (_, row) => t('places', { count: row.places, shown: count(row.places) }),
    },
    { key: 'inside', title: t('column.inside'), align: 'right', render: (_, row) => count(row.inside) },
    { key: 'outside', title: t('column.outside'), align: 'right', render: (_, row) => count(row.outside) },
    {
      key: 'place',
      title: t('column.place'),
      export: [
        { key: 'longitude', title: t('form.longitude') },
        { key: 'latitude', title: t('form.latitude') },
      ],
      render: (_, row) => <CopyId value={`${row.latitude.toFixed(5)}, ${row.longitude.toFixed(5)}`} />,
    },
    {
      key: 'radius',
      title: t('column.radius'),
      sorter: true,
      align: 'right',
      render: (_, row) =>
        row.points ? t('polygon', { count: row.points.length }) : <Unit value={count(row.radius)} unit="m" />,
    },
    {
      key: 'accuracy',
      title: t('column.accuracy'),
      export: { labels: { 0: t('accuracy.common'), 1: t('accuracy.high'), 2: t('accuracy.adaptive') } },
      render: (_, row) => t(`accuracy.${accuracyOf(row.accuracy)}`),
    },
    {
      key: 'duration',
      title: t('column.duration'),
      align: 'right',
      render: (_, row) => <Duration seconds={row.duration} />,
    },
    {
      key: 'fence_actions',
      title: t('column.actions'),
      export: [
        { key: 'alarm_seconds', title: t('form.alarm_seconds') },
        { key: 'is_locking', title: t('action.lock'), labels: { true: t('common:yes'), false: t('common:no') } },
      ],
      render: (_, row) => (
        <>
          {listText(actionsOf(row)) || <span className="dim">{t('action.none')}</span>}
          {row.last_error && (
            <>
              {' '}
              <ExplainedBadge tone="warn" why={row.last_error}>
                {t('action.failed')}
              </ExplainedBadge>
            </>
          )}
        </>
      ),
    },
    { key: 'version', title: t('column.version'), align: 'right', is_hidden: true, render: (_, row) => row.version },
    { key: 'updated_at', title: t('column.updated'), sorter: true, render: (_, row) => <Ago at={row.updated_at} /> },
    { key: 'updated_by', title: t('column.updated_by'), is_hidden: true, render: (_, row) => row.updated_by },
    {
      key: 'created_at',
      title: t('common:created_at'),
      is_hidden: true,
      render: (_, row) => <DateTime at={row.created_at} />,
    },
  ]
}
