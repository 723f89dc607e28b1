import { useTranslation } from 'react-i18next'
import type { CustomerRow } from '@mdm/contract'
import { api, useWrite } from '../../core/api.ts'
import { notify } from '../../core/notices.ts'
import { ConfirmDanger } from '../../ui/dialog/ConfirmDanger.tsx'
import { useCount } from '../../ui/value/format.ts'

type Props = { customer: CustomerRow; onClose: () => void }

export function DisableDialog({ customer, onClose }: Props) {
  const { t } = useTranslation(['customer', 'accounts'])
  const count = useCount()
  const { name, terminal_count, user_count } = customer
  const disable = useWrite(api.opsAccount.set_status, {
    done: t('accounts:disable.done', { name }),
    also: ['ops/home'],
  })
  return (
    <ConfirmDanger
      title={t('accounts:disable.title', { name })}
      submit={t('accounts:disable.submit', { name })}
      dismiss={t('accounts:disable.keep')}
      loading={disable.isPending}
      submitError={disable.error}
      onConfirm={async () => {
        await disable.mutateAsync({ kid: customer.kid, status: 'invalid' })
        onClose()
      }}
      onClose={onClose}
    >
      <p>{t('disable.people', { count: user_count, shown: count(user_count) })}</p>
      <p>{t('disable.devices', { count: terminal_count, shown: count(terminal_count) })}</p>
    </ConfirmDanger>
  )
}

/** Giving back what was taken needs no question. */
export function useEnable(): (customer: CustomerRow) => Promise<void> {
  const { t } = useTranslation('accounts')
  const enable = useWrite(api.opsAccount.set_status, { also: ['ops/home'] })
  return async ({ kid, name }) => {
    if (await enable.run({ kid, status: 'normal' })) notify.ok(t('disable.enabled', { name }))
  }
}

export function ResetTotpDialog({ customer, onClose }: Props) {
  const { t } = useTranslation('customer')
  const { name, username } = customer
  const reset = useWrite(api.opsAccount.reset_totp, { done: t('totp.done', { username }) })
  return (
    <ConfirmDanger
      title={t('totp.title', { username })}
      submit={t('totp.submit')}
      loading={reset.isPending}
      submitError={reset.error}
      onConfirm={async () => {
        await reset.mutateAsync({ kid: customer.kid })
        onClose()
      }}
      onClose={onClose}
    >
      <p>{t('totp.what', { name, username })}</p>
    </ConfirmDanger>
  )
}
