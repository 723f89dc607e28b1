import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import type { WebhookDelivery } from '@mdm/contract'
import { useWrite } from '../../core/api.ts'
import { DisabledReason } from '../../ui/dialog/DisabledReason.tsx'
import { Drawer } from '../../ui/dialog/Drawer.tsx'
import { CodeBlock } from '../../ui/value/CodeBlock.tsx'
import { Properties } from '../../ui/DetailPage.tsx'
import { useCount } from '../../ui/value/format.ts'
import { StateBadge } from '../../ui/value/StateBadge.tsx'
import { CopyId, DateTime, Unit } from '../../ui/value/values.tsx'
import { May } from '../../core/session.tsx'
import { webhookSides } from './sides.ts'
import type { WebhookSide } from './sides.ts'
import { tones, useDeliveryError, deliveryLabelOf } from './labels.ts'

type Props = { side: WebhookSide; delivery: WebhookDelivery }

/** One delivery with what was sent, as it was sent. */
export function Delivery({ side, delivery, onClose }: Props & { onClose: () => void }) {
  const { t } = useTranslation(['webhook', 'common'])
  const count = useCount()
  const reason = useDeliveryError()
  const { event, attempts, duration_ms } = delivery
  const word = deliveryLabelOf(delivery)
  return (
    <Drawer
      size={640}
      title={t(`event.${event}`)}
      extra={<Redeliver side={side} delivery={delivery} size="middle" />}
      onClose={onClose}
    >
      <div className="webhook-delivery">
        <Properties
          of={[
            { label: t('common:state'), value: <StateBadge tone={tones[word]}>{t(`state.${word}`)}</StateBadge> },
            { label: t('deliveries.attempts'), value: count(attempts) },
            { label: t('deliveries.at'), value: <DateTime at={delivery.created_at} /> },
            delivery.state === 'queued'
              ? { label: t('deliveries.next_at'), value: <DateTime at={delivery.next_at} /> }
              : { label: t('deliveries.delivered_at'), value: <DateTime at={delivery.delivered_at} /> },
            { label: t('deliveries.status'), value: delivery.response_status },
            {
              label: t('deliveries.duration'),
              value: duration_ms !== null && <Unit value={count(duration_ms)} unit="ms" />,
            },
            { label: t('deliveries.error'), value: reason(delivery), is_wide: true },
            { label: t('deliveries.event'), value: <code>{event}</code>, is_wide: true },
            { label: t('deliveries.id'), value: <CopyId value={delivery.kid} />, is_wide: true },
          ]}
        />
        <h2>{t('deliveries.payload')}</h2>
        <CodeBlock label={t('deliveries.payload')} text={delivery.payload} />
      </div>
    </Drawer>
  )
}

/** Sends the same once more, as a delivery of its own. */
export function Redeliver({ side, delivery, size = 'small' }: Props & { size?: 'small' | 'middle' }) {
  const { t } = useTranslation('webhook')
  const { calls, edit } = webhookSides[side]
  const again = useWrite(calls.redeliver, { done: t('resent') })
  const disabled_reason = delivery.state === 'queued' ? t('why_not.queued') : undefined
  return (
    <May needs={edit}>
      <DisabledReason disabled_reason={disabled_reason}>
        <Button size={size} loading={again.isPending} onClick={() => void again.run({ kid: delivery.kid })}>
          {t('resend')}
        </Button>
      </DisabledReason>
    </May>
  )
}
