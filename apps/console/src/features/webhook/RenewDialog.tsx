import { useTranslation } from 'react-i18next'
import type { Webhook } from '@mdm/contract'
import { ConfirmWrite } from '../../ui/dialog/ConfirmWrite.tsx'
import { webhookSides } from './sides.ts'
import type { WebhookSide } from './sides.ts'

type Props = { side: WebhookSide; webhook: Webhook; onClose: () => void }

export function RenewDialog({ side, webhook, onMade, onClose }: Props & { onMade: (secret: string) => void }) {
  const { t } = useTranslation('webhook')
  const { name, kid } = webhook
  return (
    <ConfirmWrite
      call={webhookSides[side].calls.renew_secret}
      input={{ kid }}
      onDone={({ secret }) => onMade(secret)}
      title={t('renew.title', { name })}
      submit={t('renew.submit')}
      onClose={onClose}
    >
      <p>{t('renew.what')}</p>
    </ConfirmWrite>
  )
}
