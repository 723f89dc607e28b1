import { Alert, Button, Popconfirm } from 'antd'
import { useTranslation } from 'react-i18next'
import type { TerminalDetail } from '@mdm/contract'
import { api, useWrite } from '../../../core/api.ts'
import { DateTime } from '../../../ui/value/values.tsx'
import { May } from '../../../core/session.tsx'

type Props = { device: TerminalDetail }

/** Takes the secret of a device away; it comes back when the code that it then shows is typed. */
export function RenewSecret({ device }: Props) {
  const { t } = useTranslation('device-detail')
  const renew = useWrite(api.terminal.renew_secret, { done: t('secret.renewed') })
  if (device.renewal_asked_at) return null
  return (
    <May needs="deviceList:cancel">
      <Popconfirm
        title={t('secret.renew_title')}
        description={t('secret.renew_hint')}
        okText={t('secret.renew')}
        onConfirm={() => renew.mutateAsync({ kid: device.kid }).catch(() => undefined)}
      >
        <Button>{t('secret.renew')}</Button>
      </Popconfirm>
    </May>
  )
}

/** Why a device cannot connect although nothing is wrong with it. */
export function SecretNotice({ device }: Props) {
  const { t } = useTranslation('device-detail')
  const { quarantined_until, renewal_asked_at } = device
  if (renewal_asked_at)
    return <Alert type="info" showIcon title={t('secret.waits')} description={t('secret.waits_hint')} />
  if (!quarantined_until || Date.parse(quarantined_until) <= Date.now()) return null
  return (
    <Alert
      type="error"
      showIcon
      title={t('secret.cloned')}
      description={
        <>
          {t('secret.cloned_hint')} <DateTime at={quarantined_until} />
        </>
      }
    />
  )
}
