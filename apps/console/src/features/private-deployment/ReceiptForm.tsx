import { Input } from 'antd'
import { useTranslation } from 'react-i18next'
import type { ActivationRow } from '@mdm/contract'
import { api, useWrite } from '../../core/api.ts'
import { Field, FormDrawer } from '../../ui/form/form.tsx'

/** What the server that was activated shows, typed here where it cannot report by itself. */
export function ReceiptForm({ of, onClose }: { of: ActivationRow; onClose: () => void }) {
  const { t } = useTranslation('private-deployment')
  const confirm = useWrite(api.opsActivation.confirm, { done: t('confirm.done') })
  return (
    <FormDrawer<{ receipt: string }>
      title={t('confirm.title', { name: of.name })}
      submit={t('confirm.submit')}
      initial={{ receipt: '' }}
      loading={confirm.isPending}
      submitError={confirm.error}
      onSubmit={({ receipt }) => confirm.mutateAsync({ kid: of.kid, receipt })}
      onDone={onClose}
      onClose={onClose}
    >
      <Field name="receipt" label={t('receipt')} extra={t('confirm.hint')} schema={api.opsActivation.confirm.input}>
        <Input className="code" autoComplete="off" inputMode="numeric" placeholder="1-00000-00000-00000" />
      </Field>
    </FormDrawer>
  )
}
