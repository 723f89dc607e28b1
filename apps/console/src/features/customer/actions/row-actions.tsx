import { LoginOutlined } from '@ant-design/icons'
import { useTranslation } from 'react-i18next'
import type { CustomerRow, Permission } from '@mdm/contract'
import { api, useWrite } from '../../../core/api.ts'
import { link } from '../../../core/links.ts'
import { notify } from '../../../core/notices.ts'
import { useAnnounceInvitation } from '../../../shared/accounts/invitation.ts'
import type { Dialogs } from '../../../ui/dialog/use-dialog.ts'
import type { RowAction } from '../../../ui/list/RowActions.tsx'
import { whyNot } from './why-not.ts'

/** What is done with a customer in a dialog, and the permission it needs. */
export const customerDialogs = {
  enter: 'externalUserManageList:enter',
  register: 'externalUserManageList:register',
  renew: 'externalUserManageList:renew',
  space: 'externalUserManageList:space',
  disable: 'externalUserManageList:disable',
  reset_totp: 'externalUserManageList:reset_totp',
} as const satisfies Record<string, Permission>
export type CustomerDialogs = Dialogs<keyof typeof customerDialogs, CustomerRow>

export function useCustomerActions(dialog: CustomerDialogs): (row: CustomerRow) => RowAction[] {
  const { t } = useTranslation(['customer', 'accounts', 'common'])
  // Giving back what was taken needs no question.
  const enable = useWrite(api.opsAccount.set_status, { also: ['ops/home'] })
  const giveBack = async ({ kid, name }: CustomerRow) => {
    if (await enable.run({ kid, status: 'normal' })) notify.ok(t('accounts:disable.enabled', { name }))
  }
  const announce = useAnnounceInvitation()
  const invite = useWrite(api.opsAccount.invite, { onSuccess: announce })
  return (row) => {
    const reason = whyNot(row)
    const open = (kind: keyof typeof customerDialogs, label: string, danger = false): RowAction => ({
      needs: customerDialogs[kind],
      label,
      danger,
      onSelect: () => dialog.open(kind, row),
    })
    return [
      {
        needs: customerDialogs.enter,
        icon: <LoginOutlined aria-hidden />,
        text: t('enter.button'),
        label: t('enter.button_of', { name: row.name }),
        disabled_reason: reason && t(`why_not.${reason}`),
        onSelect: () => dialog.open('enter', row),
      },
      {
        needs: 'mdmManageExternalUserManageEdit',
        label: t('common:edit'),
        to: link.mdmManageExternalUserManageEdit.to({ kid: row.kid }),
      },
      ...(row.invitation && row.state !== 'invalid'
        ? [
            {
              needs: 'mdmManageExternalUserManageEdit' as const,
              label: t('accounts:invitation.again'),
              onSelect: () => void invite.run({ kid: row.kid }),
            },
          ]
        : []),
      ...(row.can.includes('enter') ? [open('register', t('register'))] : []),
      ...(row.can.includes('renew') ? [open('renew', t('renew.action'))] : []),
      open('space', t('space.action')),
      ...(row.can.includes('enable')
        ? [
            {
              needs: customerDialogs.disable,
              label: t('accounts:disable.enable'),
              onSelect: () => void giveBack(row),
            },
          ]
        : []),
      open('reset_totp', t('totp.action')),
      ...(row.can.includes('disable') ? [open('disable', t('accounts:disable.action'), true)] : []),
    ]
  }
}
