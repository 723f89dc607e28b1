import { Alert, Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { TerminalDetail } from '@mdm/contract'
import { api } from '../../../core/api.ts'
import { May } from '../../../core/session.tsx'
import { ConfirmWrite } from '../../../ui/dialog/ConfirmWrite.tsx'
import { DateTime } from '../../../ui/value/values.tsx'
import { renewNeeds } from '../dialogs.ts'

type Props = { device: TerminalDetail }

/** Takes the secret of a device away; it comes back when the code that it then shows is typed. */
export function RenewDialog({ device, onClose }: Props & { onClose: () => void }) {
  const { t } = useTranslation('device-detail')
  return (
    <ConfirmWrite
      call={api.terminal.renew_secret}
      input={{ kid: device.kid }}
      done={t('secret.renewed')}
      title={t('secret.renew_title')}
      submit={t('secret.renew')}
      onClose={onClose}
    >
      <p>{t('secret.renew_hint')}</p>
    </ConfirmWrite>
  )
}

/** Lets a device connect again before its quarantine is over. */
function LiftQuarantine({ device }: Props) {
  const { t } = useTranslation('device-detail')
  const [is_open, setOpen] = useState(false)
  return (
    <May needs={renewNeeds}>
      <Button onClick={() => setOpen(true)}>{t('secret.lift')}</Button>
      {is_open && (
        <ConfirmWrite
          call={api.terminal.lift_quarantine}
          input={{ kid: device.kid }}
          done={t('secret.lifted')}
          title={t('secret.lift_title')}
          submit={t('secret.lift')}
          onClose={() => setOpen(false)}
        >
          <p>{t('secret.lift_hint')}</p>
        </ConfirmWrite>
      )}
    </May>
  )
}

/** Why a device cannot connect although nothing is wrong with it. */
export function SecretNotice({ device }: Props) {
  const { t } = useTranslation('device-detail')
  const { quarantined_until, renewal_asked_at } = device
  if (renewal_asked_at)
    return (
      <Alert
        className="secret-notice"
        type="info"
        showIcon
        title={t('secret.waits')}
        description={t('secret.waits_hint')}
      />
    )
  if (!quarantined_until || Date.parse(quarantined_until) <= Date.now()) return null
  return (
    <Alert
      className="secret-notice"
      type="error"
      showIcon
      title={t('secret.cloned')}
      action={<LiftQuarantine device={device} />}
      description={
        <>
          {t('secret.cloned_hint')} <DateTime at={quarantined_until} />
        </>
      }
    />
  )
}
