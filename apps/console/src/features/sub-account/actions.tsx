import { EllipsisOutlined } from '@ant-design/icons'
import { Button, Dropdown } from 'antd'
import type { MenuProps } from 'antd'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import type { SubAccountRow } from '@mdm/contract'
import { api, useWrite } from '../../core/api.ts'
import { notify } from '../../core/notices.ts'
import { shownState } from '../../shared/accounts/quota.ts'
import { ConfirmDanger } from '../../ui/dialog/ConfirmDanger.tsx'
import { useCount } from '../../ui/value/format.ts'
import { may, useSession } from '../../core/session.tsx'
import { link } from '../../core/links.ts'

export type Wanted = { what: 'disable' | 'enable' | 'delete'; row: SubAccountRow }
/** What changes the shares changes what the account above has left. */
const also = ['account']

export function SubAccountActions({ row, onWant }: { row: SubAccountRow; onWant: (wanted: Wanted) => void }) {
  const { t } = useTranslation(['sub-account', 'accounts', 'common'])
  const navigate = useNavigate()
  const count = useCount()
  useSession()
  const { terminal_count } = row
  // Past its end an account is invalid whether it was disabled or not: then either can be meant.
  const is_expired = shownState(row, Date.now()) === 'expired'
  const may_toggle = may('subAccountManageList:disable')
  const may_enable = may_toggle && (row.state === 'invalid' || is_expired)
  const may_disable = may_toggle && (row.state !== 'invalid' || is_expired)
  const because =
    terminal_count > 0 ? t('delete.has_devices', { count: terminal_count, shown: count(terminal_count) }) : undefined
  const items: MenuProps['items'] = [
    ...(may('userManageSubAccountManageEdit') ? [{ key: 'edit', label: t('common:edit') }] : []),
    ...(may_enable ? [{ key: 'enable', label: t('accounts:disable.enable') }] : []),
    ...(may_disable ? [{ key: 'disable', label: t('accounts:disable.action') }] : []),
    ...(may('subAccountManageList:delete')
      ? [
          {
            key: 'delete',
            danger: true,
            disabled: because !== undefined,
            label: because ? (
              <>
                {t('common:delete')} <span className="dim">{because}</span>
              </>
            ) : (
              t('common:delete')
            ),
          },
        ]
      : []),
  ]
  if (items.length === 0) return null
  return (
    <Dropdown
      autoFocus
      trigger={['click']}
      placement="bottomRight"
      menu={{
        items,
        onClick: ({ key }) => {
          if (key === 'edit') void navigate(link.userManageSubAccountManageEdit.to({ kid: row.kid }))
          else onWant({ what: key as Wanted['what'], row })
        },
      }}
    >
      <Button
        type="text"
        size="small"
        icon={<EllipsisOutlined aria-hidden />}
        aria-label={t('more_of', { name: row.name })}
      />
    </Dropdown>
  )
}

/** Giving back what was taken needs no question. */
export function useEnable(): (account: SubAccountRow) => Promise<void> {
  const { t } = useTranslation('accounts')
  const enable = useWrite(api.subAccount.set_status, { also })
  return async ({ kid, name }) => {
    if (await enable.run({ kid, status: 'normal' })) notify.ok(t('disable.enabled', { name }))
  }
}

type DialogProps = { account: SubAccountRow; onClose: () => void }

export function DisableDialog({ account: { kid, name, terminal_count }, onClose }: DialogProps) {
  const { t } = useTranslation(['sub-account', 'accounts'])
  const count = useCount()
  const disable = useWrite(api.subAccount.set_status, { done: t('accounts:disable.done', { name }), also })
  return (
    <ConfirmDanger
      title={t('accounts:disable.title', { name })}
      submit={t('accounts:disable.submit', { name })}
      dismiss={t('accounts:disable.keep')}
      loading={disable.isPending}
      submitError={disable.error}
      onConfirm={async () => {
        await disable.mutateAsync({ kid, status: 'invalid' })
        onClose()
      }}
      onClose={onClose}
    >
      <p>{t('disable_what')}</p>
      <p>{t('disable_devices', { count: terminal_count, shown: count(terminal_count) })}</p>
    </ConfirmDanger>
  )
}

export function DeleteDialog({ account: { kid, name, username }, onClose }: DialogProps) {
  const { t } = useTranslation('sub-account')
  const remove = useWrite(api.subAccount.delete, { done: t('delete.done', { name }), also })
  return (
    <ConfirmDanger
      title={t('delete.title', { name })}
      submit={t('delete.submit', { name })}
      word="DELETE"
      loading={remove.isPending}
      submitError={remove.error}
      onConfirm={async () => {
        await remove.mutateAsync({ kid })
        onClose()
      }}
      onClose={onClose}
    >
      <p>{t('delete.what', { username })}</p>
    </ConfirmDanger>
  )
}
