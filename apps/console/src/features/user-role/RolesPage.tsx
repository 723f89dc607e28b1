import { DeleteOutlined, EditOutlined, PlusOutlined, SafetyOutlined } from '@ant-design/icons'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { elementsOf } from '@mdm/contract'
import type { Role } from '@mdm/contract'
import { AddButton } from '../../ui/list/AddButton.tsx'
import { ConfirmWrite } from '../../ui/dialog/ConfirmWrite.tsx'
import { useDialog } from '../../ui/dialog/use-dialog.ts'
import type { Dialogs } from '../../ui/dialog/use-dialog.ts'
import type { RowAction } from '../../ui/list/RowActions.tsx'
import { useCount } from '../../ui/value/format.ts'
import type { Column } from '../../ui/list/ListPage.tsx'
import { nested } from '../../ui/list/tree.ts'
import { TreePage } from '../../ui/list/TreePage.tsx'
import { Clipped, DateTime } from '../../ui/value/values.tsx'
import { useMay, useSession } from '../../core/session.tsx'
import { matches } from '../../shared/groups/group-tree.ts'
import { RoleForm } from './RoleForm.tsx'
import { RolePermissions } from './RolePermissions.tsx'
import { roleSides, useRoles } from './sides.ts'
import type { RoleSide } from './sides.ts'
import './roles.css'
import { link } from '../../core/links.ts'

type RoleDialogs = Dialogs<'add' | 'edit' | 'delete' | 'permissions', Role>

export function RolesPage({ side }: { side: RoleSide }) {
  const { t } = useTranslation(['user-role', 'common'])
  const { id, page, calls, needs } = roleSides[side]
  const query = useRoles(side)
  const roles = query.data ?? []
  const may_edit = useMay(needs.edit)
  const { of, open, close }: RoleDialogs = useDialog(
    { add: needs.edit, edit: needs.edit, delete: needs.delete, permissions: needs.see },
    roles,
  )
  const [parent, edited, deleting, shown] = [of('add'), of('edit'), of('delete'), of('permissions')]
  const admin = roles.find((role) => role.is_admin)
  return (
    <>
      <TreePage<Role>
        id={id}
        page={page}
        call={calls.list}
        query={query}
        nodes={nested(roles, ({ parent_kid }) => parent_kid)}
        columns={useRoleColumns(side, open)}
        rowActions={useRoleActions(side, open)}
        nameOf={({ name }) => name}
        search={t('search')}
        isMatch={({ name, code, remark }, text) => [name, code, remark].some((part) => matches(part, text))}
        primary={
          may_edit &&
          admin && (
            <AddButton onClick={() => open('add', roles.find(({ can }) => can.includes('add_child')) ?? admin)}>
              {t('add')}
            </AddButton>
          )
        }
        empty={{ title: t('empty'), hint: t('empty_hint') }}
        note={t('note')}
      />
      {(parent ?? edited) && (
        <RoleForm
          key={parent ? 'add' : 'edit'}
          side={side}
          roles={roles}
          of={edited ?? null}
          parent={parent ?? null}
          onAdded={(kid) => open('permissions', { kid })}
          onClose={close}
        />
      )}
      {shown && <RolePermissions key={shown.kid} side={side} role={shown} onClose={close} />}
      {deleting && (
        <ConfirmWrite
          call={calls.delete}
          input={{ kid: deleting.kid }}
          title={t('delete_title', { name: deleting.name })}
          submit={t('delete_submit')}
          done={t('deleted')}
          onClose={close}
        >
          <p>{t('delete_text')}</p>
        </ConfirmWrite>
      )}
    </>
  )
}

function useRoleColumns(side: RoleSide, open: RoleDialogs['open']): Column<Role>[] {
  const { t } = useTranslation(['user-role', 'common'])
  const granted = useGranted()
  const count = useCount()
  const people = side === 'account' ? link.userAccountManageList : link.insideUserManageList
  const may_see_people = useMay(side === 'account' ? 'userAccountManageList' : 'insideUserManageList')
  return [
    {
      key: 'name',
      title: t('name'),
      is_fixed: true,
      render: (_, role) => (
        <span className="role-name">
          <Clipped text={role.name} />
          {role.is_admin && <SafetyOutlined className="dim" role="img" aria-label={t('admin')} title={t('admin')} />}
        </span>
      ),
    },
    { key: 'code', title: t('code'), render: (_, role) => <code>{role.code}</code> },
    {
      key: 'weight',
      title: t('weight'),
      align: 'right',
      render: (_, role) => <span className="number">{count(role.weight)}</span>,
    },
    {
      key: 'users',
      title: t('users'),
      export: { key: 'user_count' },
      align: 'right',
      render: (_, role) =>
        may_see_people && role.user_count > 0 ? (
          <Link
            to={people.to({ role_kid: role.kid })}
            aria-label={t('users_of', { name: role.name, count: role.user_count })}
          >
            {count(role.user_count)}
          </Link>
        ) : (
          <span className="number">{count(role.user_count)}</span>
        ),
    },
    {
      key: 'permissions',
      title: t('permissions'),
      render: (_, role) => (
        <button
          type="button"
          className="link"
          aria-label={`${granted(role.permissions)}. ${t('permissions_of', { name: role.name })}`}
          onClick={() => open('permissions', role)}
        >
          {granted(role.permissions)}
        </button>
      ),
    },
    {
      key: 'remark',
      title: t('remark'),
      render: (_, role) => role.remark,
    },
    { key: 'updated_at', title: t('common:updated_at'), render: (_, role) => <DateTime at={role.updated_at} /> },
  ]
}

function useGranted(): (permissions: readonly string[]) => string {
  const { t } = useTranslation('user-role')
  return (permissions) => {
    if (permissions.includes('*')) return t('everything')
    const count = elementsOf(permissions).length
    return count === 0 ? t('granted_none') : t('granted', { count })
  }
}

function useRoleActions(side: RoleSide, open: RoleDialogs['open']): (role: Role) => RowAction[] {
  const { t } = useTranslation('user-role')
  const { needs } = roleSides[side]
  const whyNot = useWhyNot()
  return (role) => {
    const { name } = role
    const action = (kind: 'add' | 'edit' | 'delete', icon: ReactNode, label: string): RowAction => ({
      needs: kind === 'delete' ? needs.delete : needs.edit,
      icon,
      label,
      disabled_reason: whyNot(role, kind),
      onSelect: () => open(kind, role),
    })
    return [
      action('add', <PlusOutlined aria-hidden />, t('add_below_of', { name })),
      action('edit', <EditOutlined aria-hidden />, t('edit_of', { name })),
      action('delete', <DeleteOutlined aria-hidden />, t('delete_of', { name })),
    ]
  }
}

/** Why something cannot be done with a role now, or undefined. */
function useWhyNot(): (role: Role, kind: 'add' | 'edit' | 'delete') => string | undefined {
  const { t } = useTranslation('user-role')
  const { roles } = useSession()
  const asked = { add: 'add_child', edit: 'edit', delete: 'delete' } as const
  return (role, kind) => {
    if (role.can.includes(asked[kind])) return undefined
    if (kind === 'add') return t('why_not.deepest')
    if (roles.some(({ kid }) => kid === role.kid)) return t('why_not.own')
    if (role.is_admin) return t('why_not.admin')
    if (kind === 'delete' && role.has_child) return t('why_not.has_children')
    if (kind === 'delete' && role.user_count > 0) return t('why_not.in_use', { count: role.user_count })
    return t('why_not.weight')
  }
}
