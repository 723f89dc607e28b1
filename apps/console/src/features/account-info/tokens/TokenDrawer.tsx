import { Input, Select } from 'antd'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { api, useWrite } from '../../../core/api.ts'
import { PermissionTree } from '../../../shared/permission-tree/PermissionTree.tsx'
import { Field, FormDrawer } from '../../../ui/form/form.tsx'
import { SwitchField } from '../../../ui/form/SwitchField.tsx'
import { isOps, useSession } from '../../../core/session.tsx'
import { ownGrantable } from './grantable.ts'

type Values = { name: string; expires_in_days: number; permissions: string[]; may_destroy: boolean }
const schema = api.apiToken.insert.input
const lives = [7, 30, 90, 180, 365]

export function TokenDrawer({ onMade, onClose }: { onMade: (token: string) => void; onClose: () => void }) {
  const { t } = useTranslation('account-info')
  const session = useSession()
  const { permissions: held } = session
  const is_ops = isOps(session)
  const create = useWrite(api.apiToken.insert, { onSuccess: ({ token }) => onMade(token) })
  const grantable = useMemo(() => ownGrantable(held, is_ops), [held, is_ops])
  return (
    <FormDrawer<Values>
      width={720}
      title={t('tokens.create')}
      submit={t('tokens.create')}
      initial={{ name: '', expires_in_days: 90, permissions: [], may_destroy: false }}
      loading={create.isPending}
      submitError={create.error}
      onSubmit={(values) => create.mutateAsync(values)}
      onDone={onClose}
      onClose={onClose}
    >
      <Field name="name" label={t('tokens.name')} extra={t('tokens.name_hint')} schema={schema}>
        <Input autoFocus autoComplete="off" />
      </Field>
      <Field name="expires_in_days" label={t('tokens.lives')}>
        <Select options={lives.map((days) => ({ value: days, label: t('tokens.days', { count: days }) }))} />
      </Field>
      <SwitchField name="may_destroy" label={t('tokens.may_destroy')} extra={t('tokens.may_destroy_hint')} />
      <Field
        name="permissions"
        className="own-permissions"
        label={t('tokens.permissions')}
        extra={t('tokens.permissions_hint')}
        schema={schema}
        validateTrigger="onSubmit"
      >
        <PermissionTree grantable={grantable} label={t('tokens.permissions')} />
      </Field>
    </FormDrawer>
  )
}
