import { EllipsisOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import type { MenuProps } from 'antd'
import { useCallback } from 'react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useNavigate } from 'react-router'
import type { To } from 'react-router'
import { holds } from '@mdm/contract'
import type { Permission } from '@mdm/contract'
import { DropMenu } from '../dialog/DropMenu.tsx'
import { useSession } from '../../core/session.tsx'
import { DisabledReason } from '../dialog/DisabledReason.tsx'
import { menuLabel } from '../dialog/menu-label.tsx'
import type { Column } from './ListPage.tsx'

type Act = {
  /** The item of the menu; of a button or link the name that is read out, and its hint where it shows an icon alone. */
  label: string
  /** Without this permission, or all of these, it is absent. */
  needs?: Permission | readonly Permission[]
  /** Why the state of the row forbids it; undefined where it is possible. */
  disabled_reason?: string | undefined
  danger?: boolean
  /** With an icon or a text it stands beside the menu, as a button, or as a link where it has a place to lead to. */
  icon?: ReactNode
  text?: string
  hint?: string
  loading?: boolean
  /** Told to the button as `data-action`, for who has to find it again. */
  id?: string
}
/** What can be done with a row: something happens, another place opens, or an element of its own that stands beside the menu. */
export type RowAction = Act &
  (
    | { onSelect: () => void; to?: never; own?: never }
    | { to: To; onSelect?: never; own?: never }
    | { own: ReactNode; to?: never; onSelect?: never }
  )

/** Whether the person may do it, whatever the state of the row. */
export const isPermitted = (held: readonly string[], { needs = [] }: Pick<RowAction, 'needs'>) =>
  [needs].flat().every((each) => holds(held, each))
const isBeside = ({ icon, text, own }: RowAction) => Boolean(icon ?? text ?? own)

/** What a row offers: what has an icon as it stands, the rest in a menu, the dangerous last. */
export function RowActions({ name, actions }: { name: string; actions: readonly RowAction[] }) {
  const { t } = useTranslation('common')
  const { permissions } = useSession()
  const permitted = actions.filter((action) => isPermitted(permissions, action))
  const beside = permitted.filter(isBeside)
  const inside = permitted.filter((action) => !isBeside(action))
  return (
    <span className="row-actions">
      {beside.map((action) => (
        <Beside key={action.label} action={action} />
      ))}
      {inside.length > 0 && (
        <Menu actions={inside} label={t(beside.length > 0 ? 'list.more_actions_of' : 'list.actions_of', { name })} />
      )}
    </span>
  )
}

function Beside({ action }: { action: RowAction }) {
  const navigate = useNavigate()
  const { icon, text, label, disabled_reason, to, own } = action
  if (own !== undefined) return own
  const hint = text || disabled_reason ? undefined : (action.hint ?? label)
  if (to !== undefined && !disabled_reason && !text) {
    return (
      <Link to={to} aria-label={label} title={hint}>
        {icon}
      </Link>
    )
  }
  return (
    <DisabledReason disabled_reason={disabled_reason}>
      <Button
        type={text ? 'default' : 'text'}
        size="small"
        icon={icon}
        loading={action.loading ?? false}
        disabled={disabled_reason !== undefined}
        aria-label={label}
        title={hint}
        data-action={action.id}
        onClick={() => (to === undefined ? action.onSelect?.() : void navigate(to))}
      >
        {text}
      </Button>
    </DisabledReason>
  )
}

function Menu({ actions, label }: { actions: readonly RowAction[]; label: string }) {
  const navigate = useNavigate()
  const first_danger = actions.findIndex(({ danger }) => danger)
  const items: MenuProps['items'] = actions.flatMap(({ label: text, disabled_reason, danger }, at) => [
    ...(at === first_danger && at > 0 ? [{ type: 'divider' as const }] : []),
    {
      key: String(at),
      danger: Boolean(danger) && disabled_reason === undefined,
      ...menuLabel(text, disabled_reason),
    },
  ])
  const select = (action: RowAction) => (action.to === undefined ? action.onSelect?.() : void navigate(action.to))
  return (
    <DropMenu placement="bottomRight" menu={{ items, onClick: ({ key }) => select(actions[Number(key)]!) }}>
      <Button
        type="text"
        size="small"
        icon={<EllipsisOutlined aria-hidden />}
        loading={actions.some(({ loading }) => loading)}
        aria-label={label}
      />
    </DropMenu>
  )
}

type Offered<R> = {
  rowActions?: ((row: R) => readonly RowAction[]) | undefined
  rows: readonly R[]
  nameOf?: ((row: R) => string) | undefined
}
/** The last column, where there is a row with which the person may do anything. */
export function useActionsColumn<R>({ rowActions, rows, nameOf }: Offered<R>): readonly Column<R>[] {
  const { t } = useTranslation('common')
  const { permissions } = useSession()
  const render = useCallback(
    (_: unknown, row: R) => <RowActions name={nameOf?.(row) ?? ''} actions={rowActions?.(row) ?? []} />,
    [rowActions, nameOf],
  )
  const isOffered = (row: R) => rowActions?.(row).some((action) => isPermitted(permissions, action))
  if (!rowActions || !rows.some(isOffered)) return []
  return [
    {
      key: 'actions',
      title: t('actions'),
      align: 'right',
      fixed: 'right',
      render,
    },
  ]
}
