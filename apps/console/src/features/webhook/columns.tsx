import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { constants } from '@mdm/contract'
import type { Webhook } from '@mdm/contract'
import { listText } from '../../i18n/list-text.ts'
import type { Column } from '../../ui/list/ListPage.tsx'
import { ExplainedBadge } from '../../ui/value/ExplainedBadge.tsx'
import { useCount } from '../../ui/value/format.ts'
import { StateBadge } from '../../ui/value/StateBadge.tsx'
import { Ago, Clipped, Code, DateTime } from '../../ui/value/values.tsx'
import { eventLabels, everything, healthOf, healthTones } from './labels.ts'

/** `linkTo` leads to the deliveries of a webhook. */
export function useWebhookColumns(linkTo: (kid: string) => { search: string }): Column<Webhook>[] {
  const { t } = useTranslation(['webhook', 'common'])
  return [
    {
      key: 'name',
      title: t('name'),
      is_fixed: true,
      render: (_, row) => (
        <Link to={linkTo(row.kid)}>
          <Clipped text={row.name} />
        </Link>
      ),
    },
    {
      key: 'health',
      title: t('common:state'),
      export: [
        { key: 'is_enabled', title: t('form.enabled'), labels: { true: t('common:yes'), false: t('common:no') } },
        { key: 'failing_since', title: t('health.failing') },
        { key: 'left_out', title: t('left_out') },
      ],
      render: (_, row) => {
        const health = healthOf(row)
        return (
          <>
            <StateBadge tone={healthTones[health]} since={health === 'failing' ? row.failing_since : undefined}>
              {t(`health.${health}`)}
            </StateBadge>
            {row.left_out > 0 && <LeftOut count={row.left_out} />}
          </>
        )
      },
    },
    {
      key: 'url',
      title: t('address'),
      render: (_, row) => <Code className="webhook-address" value={row.url} />,
    },
    {
      key: 'events',
      title: t('events'),
      export: { labels: eventLabels(t('event', { returnObjects: true })) },
      render: (_, row) => <Heard events={row.events} />,
    },
    {
      key: 'last_delivery_at',
      title: t('last_delivery'),
      render: (_, row) =>
        row.last_delivery_at ? <Ago at={row.last_delivery_at} /> : <span className="ago">{t('never')}</span>,
    },
    {
      key: 'created_at',
      title: t('common:created_at'),
      is_hidden: true,
      render: (_, row) => <DateTime at={row.created_at} />,
    },
    {
      key: 'updated_at',
      title: t('common:updated_at'),
      is_hidden: true,
      render: (_, row) => <DateTime at={row.updated_at} />,
    },
  ]
}

/** Messages that were not sent, because too many were waiting. */
function LeftOut({ count }: { count: number }) {
  const { t } = useTranslation('webhook')
  const text = useCount()
  const { webhook_waiting_max: max, webhook_waiting_of_customer: all } = constants
  return (
    <>
      {' '}
      <ExplainedBadge tone="warn" why={t('left_out_why', { max: text(max), all: text(all) })}>
        {t('left_out_n', { n: text(count) })}
      </ExplainedBadge>
    </>
  )
}

const shown = 1
/** The first of what it hears, and how many more. */
function Heard({ events }: { events: Webhook['events'] }) {
  const { t } = useTranslation('webhook')
  const names = events.includes(everything)
    ? [t('everything'), ...events.filter((event) => event !== everything).map((event) => t(`event.${event}`))]
    : events.map((event) => t(`event.${event}`))
  return (
    <span title={names.join('\n')}>
      {listText(names.slice(0, shown))}
      {names.length > shown && <span className="dim"> +{names.length - shown}</span>}
    </span>
  )
}
