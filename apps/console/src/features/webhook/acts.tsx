import { useTranslation } from 'react-i18next'
import type { Webhook } from '@mdm/contract'
import { useWrite } from '../../core/api.ts'
import { ConfirmDanger } from '../../ui/dialog/ConfirmDanger.tsx'
import { webhookSides } from './sides.ts'
import type { WebhookSide } from './sides.ts'

type Props = { side: WebhookSide; webhook: Webhook; onClose: () => void }

export function RenewDialog({ side, webhook, onMade, onClose }: Props & { onMade: (secret: string) => void }) {
  const { t } = useTranslation('webhook')
  const { name, kid } = webhook
  const renew = useWrite(webhookSides[side].calls.renew_secret, {
    onSuccess: ({ secret }) => {
      onMade(secret)
      onClose()
    },
  })
  return (
    <ConfirmDanger
      title={t('renew.title', { name })}
      submit={t('renew.submit')}
      loading={renew.isPending}
      submitError={renew.error}
      onConfirm={() => renew.mutateAsync({ kid })}
      onClose={onClose}
    >
      <p>{t('renew.what')}</p>
    </ConfirmDanger>
  )
}

export function DeleteDialog({ side, webhook, onClose }: Props) {
  const { t } = useTranslation('webhook')
  const { name, kid, url } = webhook
  const remove = useWrite(webhookSides[side].calls.delete, { done: t('delete.done', { name }), onSuccess: onClose })
  return (
    <ConfirmDanger
      title={t('delete.title', { name })}
      submit={t('delete.submit')}
      loading={remove.isPending}
      submitError={remove.error}
      onConfirm={() => remove.mutateAsync({ kid })}
      onClose={onClose}
    >
      <p>{t('delete.what', { url })}</p>
    </ConfirmDanger>
  )
}
