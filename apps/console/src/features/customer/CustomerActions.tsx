import { EllipsisOutlined, LoginOutlined } from '@ant-design/icons'
import { Button, Dropdown } from 'antd'
import type { MenuProps } from 'antd'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import type { CustomerRow, Permission } from '@mdm/contract'
import { DisabledReason } from '../../ui/dialog/DisabledReason.tsx'
import { may, useMay, useSession } from '../../core/session.tsx'
import { whyNot } from './why-not.ts'
import { link } from '../../core/links.ts'

export type Act = 'enter' | 'register' | 'renew' | 'space' | 'disable' | 'enable' | 'reset_totp'
export type Wanted = { what: Act; row: CustomerRow }
type Props = { row: CustomerRow; onWant: (wanted: Wanted) => void }

export function CustomerActions({ row, onWant }: Props) {
  const { t } = useTranslation('customer')
  const may_enter = useMay('externalUserManageList:enter')
  const reason = whyNot(row)
  const because = reason && t(`why_not.${reason}`)
  return (
    <span className="row-actions">
      {may_enter && (
        <DisabledReason because={because}>
          <Button
            size="small"
            icon={<LoginOutlined aria-hidden />}
            disabled={because !== undefined}
            aria-label={t('enter.button_of', { name: row.name })}
            onClick={() => onWant({ what: 'enter', row })}
          >
            {t('enter.button')}
          </Button>
        </DisabledReason>
      )}
      <More row={row} onWant={onWant} />
    </span>
  )
}

const needs: Record<Exclude<Act, 'enter'>, Permission> = {
  register: 'externalUserManageList:register',
  renew: 'externalUserManageList:renew',
  space: 'externalUserManageList:space',
  disable: 'externalUserManageList:disable',
  enable: 'externalUserManageList:disable',
  reset_totp: 'externalUserManageList:reset_totp',
}

function More({ row, onWant }: Props) {
  const { t } = useTranslation(['customer', 'accounts', 'common'])
  const navigate = useNavigate()
  useSession()
  const labels: Record<keyof typeof needs, string> = {
    register: t('register'),
    renew: t('renew.action'),
    space: t('space.action'),
    disable: t('accounts:disable.action'),
    enable: t('accounts:disable.enable'),
    reset_totp: t('totp.action'),
  }
  const can = (what: keyof typeof needs) =>
    may(needs[what]) &&
    (what === 'space' || what === 'reset_totp' || row.can.includes(what === 'register' ? 'enter' : what))
  const item = (what: keyof typeof needs, danger = false) =>
    can(what) ? [{ key: what, label: labels[what], danger }] : []
  const plain = [
    ...(may('mdmManageExternalUserManageEdit') ? [{ key: 'edit', label: t('common:edit') }] : []),
    ...item('register'),
    ...item('renew'),
    ...item('space'),
    ...item('enable'),
  ]
  const strong = [...item('reset_totp'), ...item('disable', true)]
  const items: MenuProps['items'] =
    plain.length > 0 && strong.length > 0 ? [...plain, { type: 'divider' }, ...strong] : [...plain, ...strong]
  if (items.length === 0) return null
  return (
    <Dropdown
      autoFocus
      trigger={['click']}
      placement="bottomRight"
      menu={{
        items,
        onClick: ({ key }) => {
          if (key === 'edit') void navigate(link.mdmManageExternalUserManageEdit.to({ kid: row.kid }))
          else onWant({ what: key as Act, row })
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
