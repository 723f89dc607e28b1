import { EllipsisOutlined, HistoryOutlined, SendOutlined } from '@ant-design/icons'
import { Button, Dropdown } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link, useNavigate } from 'react-router'
import type { Webhook } from '@mdm/contract'
import { useWrite } from '../../core/api.ts'
import type { Column } from '../../ui/list/ListPage.tsx'
import { StateBadge } from '../../ui/value/StateBadge.tsx'
import { Ago, DateTime } from '../../ui/value/values.tsx'
import { useMay } from '../../core/session.tsx'
import { webhookSides } from './sides.ts'
import type { WebhookSide } from './sides.ts'
import { eventLabels, everything, healthOf, healthTones } from './labels.ts'

export type Wanted = { what: 'edit' | 'renew' | 'delete'; row: Webhook }
type Props = {
  side: WebhookSide
  /** Where the deliveries of a webhook are. */
  linkTo: (kid: string) => { search: string }
  onWant: (wanted: Wanted) => void
}

export function useWebhookColumns(props: Props): Column<Webhook>[] {
  const { t } = useTranslation(['webhook', 'common'])
  return [
    {
      key: 'name',
      title: t('name'),
      is_fixed: true,
      render: (_, row) => (
        <Link className="clipped" to={props.linkTo(row.kid)} title={row.name}>
          {row.name}
        </Link>
      ),
    },
    {
      key: 'url',
      title: t('address'),
      render: (_, row) => (
        <code className="clipped webhook-address" title={row.url}>
          {row.url}
        </code>
      ),
    },
    {
      key: 'events',
      title: t('events'),
      export: { labels: eventLabels(t('event', { returnObjects: true })) },
      render: (_, row) => <Heard events={row.events} />,
    },
    {
      key: 'health',
      title: t('common:state'),
      export: [
        { key: 'is_enabled', title: t('form.enabled'), labels: { true: t('common:yes'), false: t('common:no') } },
        { key: 'failing_since', title: t('health.failing') },
      ],
      render: (_, row) => {
        const health = healthOf(row)
        return (
          <StateBadge tone={healthTones[health]} since={health === 'failing' ? row.failing_since : undefined}>
            {t(`health.${health}`)}
          </StateBadge>
        )
      },
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
    {
      key: 'actions',
      title: t('common:actions'),
      align: 'right',
      fixed: 'right',
      className: 'column-actions',
      render: (_, row) => <RowActions row={row} {...props} />,
    },
  ]
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
      {names.slice(0, shown).join(', ')}
      {names.length > shown && <span className="dim"> +{names.length - shown}</span>}
    </span>
  )
}

function RowActions({ row, side, linkTo, onWant }: Props & { row: Webhook }) {
  const { t } = useTranslation(['webhook', 'common'])
  const navigate = useNavigate()
  const { calls, edit } = webhookSides[side]
  const may_edit = useMay(edit)
  const ping = useWrite(calls.ping, { done: t('pinged') })
  const { kid, name } = row
  const tryIt = async () => {
    if (await ping.run({ kid })) void navigate(linkTo(kid))
  }
  return (
    <span className="row-actions">
      {may_edit && (
        <Button
          size="small"
          icon={<SendOutlined aria-hidden />}
          loading={ping.isPending}
          aria-label={t('ping_of', { name })}
          onClick={() => void tryIt()}
        >
          {t('ping')}
        </Button>
      )}
      <Link to={linkTo(kid)} aria-label={t('deliveries.of', { name })} title={t('deliveries.title')}>
        <HistoryOutlined aria-hidden />
      </Link>
      {may_edit && (
        <Dropdown
          autoFocus
          trigger={['click']}
          placement="bottomRight"
          menu={{
            items: [
              { key: 'edit', label: t('common:edit') },
              { key: 'renew', label: t('renew.action') },
              { type: 'divider' },
              { key: 'delete', label: t('common:delete'), danger: true },
            ],
            onClick: ({ key }) => onWant({ what: key as Wanted['what'], row }),
          }}
        >
          <Button
            type="text"
            size="small"
            icon={<EllipsisOutlined aria-hidden />}
            aria-label={t('more_of', { name })}
          />
        </Dropdown>
      )}
    </span>
  )
}
