import { SendOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import type { Webhook, WebhookDelivery } from '@mdm/contract'
import { useWrite } from '../../core/api.ts'
import { Drawer } from '../../ui/dialog/Drawer.tsx'
import type { Filter } from '../../ui/list/filters.tsx'
import { useCount } from '../../ui/value/format.ts'
import { ListPage } from '../../ui/list/ListPage.tsx'
import type { Column } from '../../ui/list/ListPage.tsx'
import { StateBadge } from '../../ui/value/StateBadge.tsx'
import { useListTable } from '../../ui/list/use-list-table.ts'
import { useOpened } from '../../ui/dialog/use-opened.ts'
import { DateTime, OrDash, Unit } from '../../ui/value/values.tsx'
import { May } from '../../core/session.tsx'
import { Delivery, Redeliver } from './Delivery.tsx'
import { webhookSides } from './sides.ts'
import type { WebhookSide } from './sides.ts'
import { eventLabels, tones, useDeliveryError, deliveryLabelOf } from './labels.ts'

const refetch_ms = 4_000
type Props = { side: WebhookSide; webhook: Webhook; onClose: () => void }

/** What was sent to one webhook, and what became of it. */
export function Deliveries({ side, webhook, onClose }: Props) {
  const { t } = useTranslation(['webhook', 'common'])
  const { calls, edit } = webhookSides[side]
  const { kid, name } = webhook
  const ping = useWrite(calls.ping, { done: t('pinged') })
  const { opened, open, linkTo } = useOpened('delivery')
  const list = useListTable(calls.paging_delivery, {
    id: 'webhook-delivery',
    filters: { state: 'text' },
    fixed: { webhook_kid: kid },
    refetchMs: refetch_ms,
  })
  const row = list.rows.find((delivery) => delivery.kid === opened)
  const filter: Filter = {
    key: 'state',
    kind: 'one',
    label: t('common:state'),
    options: (['queued', 'delivered', 'failed'] as const).map((value) => ({ value, label: t(`state.${value}`) })),
  }
  return (
    <Drawer
      rootClassName="list-drawer"
      size={960}
      title={t('deliveries.of', { name })}
      extra={
        <May needs={edit}>
          <Button icon={<SendOutlined aria-hidden />} loading={ping.isPending} onClick={() => void ping.run({ kid })}>
            {t('ping')}
          </Button>
        </May>
      }
      onClose={onClose}
    >
      <ListPage<WebhookDelivery>
        is_part
        list={list as never}
        title={t('deliveries.of', { name })}
        columns={useColumns(linkTo)}
        rowActions={(delivery) => [
          { needs: edit, label: t('resend'), own: <Redeliver side={side} delivery={delivery} /> },
        ]}
        filters={[filter]}
        empty={{ title: t('deliveries.empty'), hint: t('deliveries.empty_hint') }}
        onRow={(delivery) => open(delivery.kid)}
      />
      {row && <Delivery side={side} delivery={row} onClose={() => open(null)} />}
    </Drawer>
  )
}

function useColumns(linkTo: (kid: string) => { search: string }): Column<WebhookDelivery>[] {
  const { t } = useTranslation(['webhook', 'common'])
  const count = useCount()
  const reason = useDeliveryError()
  return [
    {
      key: 'created_at',
      title: t('deliveries.at'),
      sorter: true,
      is_fixed: true,
      render: (_, row) => (
        <Link className="webhook-at" to={linkTo(row.kid)}>
          <DateTime at={row.created_at} />
        </Link>
      ),
    },
    {
      key: 'event',
      title: t('deliveries.event'),
      export: { labels: eventLabels(t('event', { returnObjects: true })) },
      render: (_, row) => t(`event.${row.event}`),
    },
    {
      key: 'state',
      title: t('common:state'),
      export: { labels: t('state', { returnObjects: true }) },
      render: (_, row) => (
        <StateBadge tone={tones[deliveryLabelOf(row)]}>{t(`state.${deliveryLabelOf(row)}`)}</StateBadge>
      ),
    },
    {
      key: 'attempts',
      title: t('deliveries.attempts'),
      align: 'right',
      render: (_, row) => <span className="number">{count(row.attempts)}</span>,
    },
    {
      key: 'response_status',
      title: t('deliveries.status'),
      align: 'right',
      render: (_, row) => (
        <OrDash>{row.response_status && <span className="number">{row.response_status}</span>}</OrDash>
      ),
    },
    {
      key: 'duration_ms',
      title: t('deliveries.duration'),
      align: 'right',
      export: { title: t('common:list.export_unit', { name: t('deliveries.duration'), unit: 'ms' }) },
      render: (_, row) => (
        <OrDash>{row.duration_ms !== null && <Unit value={count(row.duration_ms)} unit="ms" />}</OrDash>
      ),
    },
    {
      key: 'error',
      title: t('deliveries.error'),
      render: (_, row) => reason(row),
    },
    {
      key: 'next_at',
      title: t('deliveries.next_at'),
      is_hidden: true,
      render: (_, row) => <DateTime at={row.next_at} />,
    },
    {
      key: 'delivered_at',
      title: t('deliveries.delivered_at'),
      is_hidden: true,
      render: (_, row) => <DateTime at={row.delivered_at} />,
    },
  ]
}
