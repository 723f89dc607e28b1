import { useTranslation } from 'react-i18next'
import type { SubAccountRow } from '@mdm/contract'
import { api, useWrite } from '../../core/api.ts'
import { link } from '../../core/links.ts'
import { notify } from '../../core/notices.ts'
import { useAnnounceInvitation } from '../../shared/accounts/invitation.ts'
import { shownState } from '../../shared/accounts/quota.ts'
import { ConfirmWrite } from '../../ui/dialog/ConfirmWrite.tsx'
import type { Dialogs } from '../../ui/dialog/use-dialog.ts'
import type { RowAction } from '../../ui/list/RowActions.tsx'
import { useCount } from '../../ui/value/format.ts'

export const subAccountDialogs = {
  disable: 'subAccountManageList:disable',
  delete: 'subAccountManageList:delete',
} as const
/** What changes the shares changes what the account above has left. */
const also = ['account']

type Open = Dialogs<keyof typeof subAccountDialogs, SubAccountRow>['open']
export function useSubAccountActions(open: Open): (row: SubAccountRow) => RowAction[] {
  const { t } = useTranslation(['sub-account', 'accounts', 'common'])
  const count = useCount()
  // Giving back what was taken needs no question.
  const enable = useWrite(api.subAccount.set_status, { also })
  const giveBack = async ({ kid, name }: SubAccountRow) => {
    if (await enable.run({ kid, status: 'normal' })) notify.ok(t('accounts:disable.enabled', { name }))
  }
  const announce = useAnnounceInvitation()
  const invite = useWrite(api.subAccount.invite, { onSuccess: announce })
  return (row) => {
    const { kid, state, terminal_count } = row
    // Past its end an account is invalid whether it was disabled or not: then either can be meant.
    const is_expired = shownState(row, Date.now()) === 'expired'
    const on: RowAction = {
      needs: subAccountDialogs.disable,
      label: t('accounts:disable.enable'),
      onSelect: () => void giveBack(row),
    }
    const off: RowAction = {
      needs: subAccountDialogs.disable,
      label: t('accounts:disable.action'),
      onSelect: () => open('disable', row),
    }
    return [
      {
        needs: 'userManageSubAccountManageEdit',
        label: t('common:edit'),
        to: link.userManageSubAccountManageEdit.to({ kid }),
      },
      ...(row.invitation && state !== 'invalid'
        ? [
            {
              needs: 'userManageSubAccountManageEdit' as const,
              label: t('accounts:invitation.again'),
              onSelect: () => void invite.run({ kid }),
            },
          ]
        : []),
      ...(state === 'invalid' || is_expired ? [on] : []),
      ...(state !== 'invalid' || is_expired ? [off] : []),
      {
        needs: subAccountDialogs.delete,
        label: t('common:delete'),
        danger: true,
        disabled_reason:
          terminal_count > 0
            ? t('delete.has_devices', { count: terminal_count, shown: count(terminal_count) })
            : undefined,
        onSelect: () => open('delete', row),
      },
    ]
  }
}

type DialogProps = { account: SubAccountRow; onClose: () => void }

export function DisableDialog({ account: { kid, name, terminal_count }, onClose }: DialogProps) {
  const { t } = useTranslation(['sub-account', 'accounts'])
  const count = useCount()
  return (
    <ConfirmWrite
      call={api.subAccount.set_status}
      input={{ kid, status: 'invalid' }}
      title={t('accounts:disable.title', { name })}
      submit={t('accounts:disable.submit', { name })}
      dismiss={t('accounts:disable.keep')}
      done={t('accounts:disable.done', { name })}
      also={also}
      onClose={onClose}
    >
      <p>{t('disable_what')}</p>
      <p>{t('disable_devices', { count: terminal_count, shown: count(terminal_count) })}</p>
    </ConfirmWrite>
  )
}

export function DeleteDialog({ account: { kid, name, username }, onClose }: DialogProps) {
  const { t } = useTranslation('sub-account')
  return (
    <ConfirmWrite
      call={api.subAccount.delete}
      input={{ kid }}
      title={t('delete.title', { name })}
      submit={t('delete.submit', { name })}
      word="DELETE"
      done={t('delete.done', { name })}
      also={also}
      onClose={onClose}
    >
      <p>{t('delete.what', { username })}</p>
    </ConfirmWrite>
  )
}
