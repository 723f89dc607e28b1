import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import type { RemoteSession } from '@mdm/contract'
import type { Column } from '../../../ui/list/ListPage.tsx'
import { useCount } from '../../../ui/value/format.ts'
import { StateBadge } from '../../../ui/value/StateBadge.tsx'
import { Code, DateTime, Duration } from '../../../ui/value/values.tsx'

/** Open and since when, or how it ended. */
export function SessionState({ session }: { session: RemoteSession }) {
  const { t } = useTranslation('remote')
  if (session.ended_at === null)
    return (
      <StateBadge tone="good" since={session.created_at}>
        {t('state.open')}
      </StateBadge>
    )
  const reason = session.end_reason ?? 'ended'
  return <StateBadge tone={reason === 'failed' ? 'bad' : 'quiet'}>{t(`end_reason.${reason}`)}</StateBadge>
}

export const secondsOf = ({ created_at, ended_at }: RemoteSession): number | null =>
  ended_at === null ? null : (Date.parse(ended_at) - Date.parse(created_at)) / 1_000

export function useSessionColumns(linkTo: (kid: string) => { search: string }): Column<RemoteSession>[] {
  const { t } = useTranslation(['remote', 'common'])
  const count = useCount()
  return [
    {
      key: 'sn',
      title: t('column.sn'),
      is_fixed: true,
      render: (_, row) => (
        <Link to={linkTo(row.kid)}>
          <Code value={row.sn} />
        </Link>
      ),
    },
    {
      key: 'kind',
      title: t('column.kind'),
      export: { labels: t('kind', { returnObjects: true }) },
      render: (_, row) => t(`kind.${row.kind}`),
    },
    {
      key: 'end_reason',
      title: t('common:state'),
      export: { labels: t('end_reason', { returnObjects: true }) },
      render: (_, row) => <SessionState session={row} />,
    },
    { key: 'created_by', title: t('column.created_by'), render: (_, row) => <bdi>{row.created_by}</bdi> },
    {
      key: 'created_at',
      title: t('column.created_at'),
      sorter: true,
      render: (_, row) => <DateTime at={row.created_at} />,
    },
    {
      key: 'ended_at',
      title: t('column.ended_at'),
      sorter: true,
      render: (_, row) => <DateTime at={row.ended_at} />,
    },
    {
      key: 'duration',
      title: t('column.duration'),
      align: 'right',
      export: false,
      render: (_, row) => <Duration seconds={secondsOf(row)} />,
    },
    {
      key: 'viewers',
      title: t('column.viewers'),
      align: 'right',
      export: false,
      render: (_, row) => <span className="number">{count(row.viewers.length)}</span>,
    },
    {
      key: 'recordings',
      title: t('column.recordings'),
      align: 'right',
      export: false,
      render: (_, row) => (
        <span className={row.recordings.length > 0 ? 'number' : 'number dim'}>{count(row.recordings.length)}</span>
      ),
    },
    {
      key: 'consent',
      title: t('column.consent'),
      is_hidden: true,
      export: { labels: t('consent', { returnObjects: true }) },
      render: (_, row) => t(`consent.${row.consent}`),
    },
  ]
}
