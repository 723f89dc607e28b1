import { useTranslation } from 'react-i18next'
import type { Contract } from '@mdm/contract'
import { useCall } from '../../core/api.ts'
import { Failure } from '../../ui/Failure.tsx'
import { Field } from '../../ui/form/form.tsx'
import { PermissionTree } from '../permission-tree/PermissionTree.tsx'

/** What an account may do, chosen from what whoever makes it may grant. */
export function PermissionsField({ call }: { call: Contract['opsAccount' | 'subAccount']['calls']['list_grantable'] }) {
  const { t } = useTranslation('accounts')
  const query = useCall(call, {})
  // Without the list, what is held already still stands there and stays as it is.
  const all = query.error ? [] : query.data
  return (
    <div className="is-wide">
      {query.error && <Failure error={query.error} retry={query.refetch} is_line />}
      <Field
        name="permissions"
        rules={[{ type: 'array', min: 1, message: t('permissions_needed') }]}
        validateTrigger="onChange"
      >
        <PermissionTree label={t('permissions_label')} grantable={all} />
      </Field>
    </div>
  )
}
