import { useTranslation } from 'react-i18next'
import type { CustomerRow } from '@mdm/contract'
import { api } from '../../../core/api.ts'
import { ConfirmWrite } from '../../../ui/dialog/ConfirmWrite.tsx'
import { useCount } from '../../../ui/value/format.ts'

type Props = { customer: CustomerRow; onClose: () => void }

export function DisableDialog({ customer, onClose }: Props) {
  const { t } = useTranslation(['customer', 'accounts'])
  const count = useCount()
  const { kid, name, terminal_count, user_count } = customer
  return (
    <ConfirmWrite
      call={api.opsAccount.set_status}
      input={{ kid, status: 'invalid' }}
      title={t('accounts:disable.title', { name })}
      submit={t('accounts:disable.submit', { name })}
      dismiss={t('accounts:disable.keep')}
      done={t('accounts:disable.done', { name })}
      also={['ops/home']}
      onClose={onClose}
    >
      <p>{t('disable.people', { count: user_count, shown: count(user_count) })}</p>
      <p>{t('disable.devices', { count: terminal_count, shown: count(terminal_count) })}</p>
    </ConfirmWrite>
  )
}

export function ResetTotpDialog({ customer, onClose }: Props) {
  const { t } = useTranslation('customer')
  const { kid, name, username } = customer
  return (
    <ConfirmWrite
      call={api.opsAccount.reset_totp}
      input={{ kid }}
      title={t('totp.title', { username })}
      submit={t('totp.submit')}
      done={t('totp.done', { username })}
      onClose={onClose}
    >
      <p>{t('totp.what', { name, username })}</p>
    </ConfirmWrite>
  )
}
