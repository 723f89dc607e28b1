import { DeleteOutlined, EditOutlined, PlusOutlined, SafetyOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { elementsOf } from '@mdm/contract'
import type { Role } from '@mdm/contract'
import { DisabledReason } from '../../ui/dialog/DisabledReason.tsx'
import { useCount } from '../../ui/value/format.ts'
import type { Column } from '../../ui/list/ListPage.tsx'
import { nested } from '../../ui/list/tree.ts'
import { TreePage } from '../../ui/list/TreePage.tsx'
import { DateTime, OrDash } from '../../ui/value/values.tsx'
import { useMay, useSession } from '../../core/session.tsx'
import { pageIcon } from '../../ui/icons.tsx'
import { matches } from '../groups/group-tree.ts'
import { DeleteRole } from './DeleteRole.tsx'
import { RoleForm } from './RoleForm.tsx'
import { RolePermissions } from './RolePermissions.tsx'
import { roleSides, useRoles } from './sides.ts'
import type { RoleSide } from './sides.ts'
import './roles.css'
import { link } from '../../core/links.ts'

type Wanted = { what: 'add' | 'edit' | 'delete' | 'permissions'; kid: string }

export function RolesPage({ side }: { side: RoleSide }) {
  const { t } = useTranslation(['roles', 'common'])
  const { id, screen, needs } = roleSides[side]
  const query = useRoles(side)
  const roles = query.data ?? []
  const may_edit = useMay(needs.edit)
  const [wanted, setWanted] = useState<Wanted | null>(null)
  const columns = useRoleColumns(side, setWanted)
  const admin = roles.find((role) => role.is_admin)
  const of = wanted && roles.find(({ kid }) => kid === wanted.kid)
  const close = () => setWanted(null)
  return (
    <>
      <TreePage<Role>
        id={id}
        title={t(`title.${side}`)}
        icon={pageIcon(screen)}
        call={roleSides[side].calls.list}
        query={query}
        nodes={nested(roles, ({ parent_kid }) => parent_kid)}
        columns={columns}
        search={t('search')}
        isMatch={({ name, code, remark }, text) => [name, code, remark].some((part) => matches(part, text))}
        primary={
          may_edit &&
          admin && (
            <Button
              type="primary"
              icon={<PlusOutlined aria-hidden />}
              onClick={() =>
                setWanted({ what: 'add', kid: (roles.find(({ can }) => can.includes('add_child')) ?? admin).kid })
              }
            >
              {t('add')}
            </Button>
          )
        }
        empty={{ title: t('empty'), hint: t('empty_hint') }}
        note={t('note')}
      />
      {of && (wanted.what === 'add' || wanted.what === 'edit') && (
        <RoleForm
          key={wanted.what}
          side={side}
          roles={roles}
          of={wanted.what === 'edit' ? of : null}
          parent={wanted.what === 'add' ? of : null}
          onAdded={(kid) => setWanted({ what: 'permissions', kid })}
          onClose={close}
        />
      )}
      {of && wanted.what === 'permissions' && <RolePermissions key={of.kid} side={side} role={of} onClose={close} />}
      {of && wanted.what === 'delete' && <DeleteRole side={side} role={of} onClose={close} />}
    </>
  )
}

function useRoleColumns(side: RoleSide, onWant: (wanted: Wanted) => void): Column<Role>[] {
  const { t } = useTranslation(['roles', 'common'])
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
          {role.name}
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
          aria-label={t('permissions_of', { name: role.name })}
          onClick={() => onWant({ what: 'permissions', kid: role.kid })}
        >
          <Granted permissions={role.permissions} />
        </button>
      ),
    },
    {
      key: 'remark',
      title: t('remark'),
      render: (_, role) => (
        <OrDash>
          {role.remark && (
            <span className="clipped" title={role.remark}>
              {role.remark}
            </span>
          )}
        </OrDash>
      ),
    },
    { key: 'updated_at', title: t('common:updated_at'), render: (_, role) => <DateTime at={role.updated_at} /> },
    {
      key: 'actions',
      title: t('common:actions'),
      align: 'right',
      fixed: 'right',
      render: (_, role) => <RowActions side={side} role={role} onWant={onWant} />,
    },
  ]
}

function Granted({ permissions }: { permissions: readonly string[] }) {
  const { t } = useTranslation('roles')
  if (permissions.includes('*')) return t('everything')
  const count = elementsOf(permissions).length
  return count === 0 ? t('granted_none') : t('granted', { count })
}

type RowProps = { side: RoleSide; role: Role; onWant: (wanted: Wanted) => void }
function RowActions({ side, role, onWant }: RowProps) {
  const { t } = useTranslation('roles')
  const { needs } = roleSides[side]
  const may_edit = useMay(needs.edit)
  const may_delete = useMay(needs.delete)
  const because = useRoleBecause(role)
  const { kid, name } = role
  const acts = [
    may_edit && { what: 'add' as const, icon: <PlusOutlined aria-hidden />, label: t('add_below_of', { name }) },
    may_edit && { what: 'edit' as const, icon: <EditOutlined aria-hidden />, label: t('edit_of', { name }) },
    may_delete && { what: 'delete' as const, icon: <DeleteOutlined aria-hidden />, label: t('delete_of', { name }) },
  ]
  return (
    <span className="row-actions">
      {acts.map(
        (act) =>
          act && (
            <DisabledReason key={act.what} because={because(act.what)}>
              <Button
                type="text"
                size="small"
                icon={act.icon}
                aria-label={act.label}
                title={because(act.what) ? undefined : act.label}
                onClick={() => onWant({ what: act.what, kid })}
              />
            </DisabledReason>
          ),
      )}
    </span>
  )
}

/** Why something cannot be done with a role now, or undefined. */
function useRoleBecause(role: Role): (what: 'add' | 'edit' | 'delete') => string | undefined {
  const { t } = useTranslation('roles')
  const { roles } = useSession()
  const asked = { add: 'add_child', edit: 'edit', delete: 'delete' } as const
  return (what) => {
    if (role.can.includes(asked[what])) return undefined
    if (what === 'add') return t('why_not.deepest')
    if (roles.some(({ kid }) => kid === role.kid)) return t('why_not.own')
    if (role.is_admin) return t('why_not.admin')
    if (what === 'delete' && role.has_child) return t('why_not.has_children')
    if (what === 'delete' && role.user_count > 0) return t('why_not.in_use', { count: role.user_count })
    return t('why_not.weight')
  }
}
