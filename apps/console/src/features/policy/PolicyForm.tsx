import { Input, InputNumber } from 'antd'
import { useTranslation } from 'react-i18next'
import type { Policy } from '@mdm/contract'
import { api, useWrite } from '../../core/api.ts'
import { Field, FormDrawer } from '../../ui/form/form.tsx'

type Values = { name: string; days: number; remark: string }
const { insert, update } = api.opsPolicy

export function PolicyForm({ policy, onClose }: { policy?: Policy; onClose: () => void }) {
  const { t } = useTranslation('policy')
  const add = useWrite(insert, { done: t('added') })
  const save = useWrite(update, { done: t('saved') })
  const write = policy ? save : add
  return (
    <FormDrawer<Values>
      title={policy ? t('edit_title', { name: policy.name }) : t('add')}
      submit={t(policy ? 'save' : 'add')}
      initial={policy ?? { name: '', days: 365, remark: '' }}
      loading={write.isPending}
      submitError={write.error}
      onSubmit={({ name, days, remark }) =>
        policy ? save.mutateAsync({ kid: policy.kid, name, days, remark }) : add.mutateAsync({ name, days, remark })
      }
      onDone={onClose}
      onClose={onClose}
    >
      <Field name="name" label={t('column.name')} schema={insert.input}>
        <Input autoFocus autoComplete="off" />
      </Field>
      <Field name="days" label={t('column.days')} extra={t('days_hint')} schema={insert.input}>
        <InputNumber className="number" min={1} max={3_650} precision={0} />
      </Field>
      <Field name="remark" label={t('column.remark')} schema={insert.input}>
        <Input.TextArea autoSize={{ minRows: 3, maxRows: 8 }} />
      </Field>
    </FormDrawer>
  )
}
