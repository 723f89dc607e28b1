import { InfoCircleOutlined, WarningOutlined } from '@ant-design/icons'
import { useTranslation } from 'react-i18next'
import type { Role } from '@mdm/contract'
import { useCall, useWrite } from '../../core/api.ts'
import { Failure } from '../../ui/Failure.tsx'
import { Drawer } from '../../ui/dialog/Drawer.tsx'
import { Field, FormDrawer } from '../../ui/form/form.tsx'
import { useMay, useSession } from '../../core/session.tsx'
import { PermissionTree } from '../../shared/permission-tree/PermissionTree.tsx'
import { roleSides } from './sides.ts'
import type { RoleSide } from './sides.ts'

const width = 760

/** What the people with a role may do; read only where the role cannot be changed by this person. */
export function RolePermissions({ side, role, onClose }: { side: RoleSide; role: Role; onClose: () => void }) {
  const { t } = useTranslation('user-role')
  const { calls, needs, people } = roleSides[side]
  const may_edit = useMay(needs.edit)
  const is_own = useSession().roles.some(({ kid }) => kid === role.kid)
  const grantable = useCall(calls.list_grantable, {})
  const save = useWrite(calls.save_permissions, { done: t('permissions_saved'), also: [people] })
  const title = t('permissions_title', { name: role.name })
  const failure = grantable.error && <Failure error={grantable.error} retry={grantable.refetch} is_line />
  const tree = { grantable: grantable.error ? [] : grantable.data, label: title }

  if (!may_edit || !role.can.includes('grant')) {
    return (
      <Drawer size={width} title={title} onClose={onClose}>
        {may_edit && (
          <p className="role-sessions" data-tone="quiet">
            <InfoCircleOutlined aria-hidden />
            {t(is_own ? 'why_not.own' : role.is_admin ? 'why_not.admin' : 'why_not.weight')}
          </p>
        )}
        {failure}
        <PermissionTree {...tree} value={role.permissions} disabled />
      </Drawer>
    )
  }
  return (
    <FormDrawer<{ permissions: string[] }>
      width={width}
      title={title}
      submit={t('permissions_save')}
      initial={{ permissions: role.permissions }}
      loading={save.isPending}
      submitError={save.error}
      onSubmit={({ permissions }) => save.mutateAsync({ kid: role.kid, permissions })}
      onDone={onClose}
      onClose={onClose}
    >
      <p className="role-sessions" data-tone={role.user_count > 0 ? 'warn' : 'quiet'}>
        {role.user_count > 0 ? <WarningOutlined aria-hidden /> : <InfoCircleOutlined aria-hidden />}
        <span>
          {role.user_count > 0 ? t('sessions', { count: role.user_count }) : t('sessions_none')}
          {!role.is_admin && <span className="dim"> {t('admin_follows')}</span>}
        </span>
      </p>
      {failure}
      <Field name="permissions">
        <PermissionTree {...tree} />
      </Field>
    </FormDrawer>
  )
}
