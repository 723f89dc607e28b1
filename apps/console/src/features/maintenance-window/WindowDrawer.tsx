import { Form, Input } from 'antd'
import { useTranslation } from 'react-i18next'
import type { MaintenanceWindow } from '@mdm/contract'
import { api, useWrite } from '../../core/api.ts'
import { hoursOf, usual_hours, WindowHours } from '../../shared/windows/WindowHours.tsx'
import type { Hours } from '../../shared/windows/WindowHours.tsx'
import { Field, FormDrawer } from '../../ui/form/form.tsx'

type Values = { name: string; hours: Hours }

/** Its name and when it is open. */
export function WindowDrawer({ row, onClose }: { row?: MaintenanceWindow | undefined; onClose: () => void }) {
  const { t } = useTranslation(['maintenance-window', 'common'])
  const [form] = Form.useForm<Values>()
  const insert = useWrite(api.maintenanceWindow.insert, { done: t('added') })
  const update = useWrite(api.maintenanceWindow.update, { done: t('saved') })
  const write = row ? update : insert
  return (
    <FormDrawer<Values>
      width={520}
      form={form}
      title={row ? t('edit_of', { name: row.name }) : t('add')}
      submit={row ? t('common:save') : t('add')}
      initial={{ name: row?.name ?? '', hours: row ? hoursOf(row) : usual_hours }}
      loading={write.isPending}
      submitError={write.error}
      onSubmit={({ name, hours }) =>
        row ? update.mutateAsync({ kid: row.kid, name, ...hours }) : insert.mutateAsync({ name, ...hours })
      }
      onDone={onClose}
      onClose={onClose}
    >
      <p className="form-note">{t(row ? 'edit_note' : 'add_note')}</p>
      <Field name="name" label={t('name')} schema={api.maintenanceWindow.insert.input}>
        <Input autoFocus autoComplete="off" />
      </Field>
      <Field
        name="hours"
        label={t('hours')}
        extra={t('hours_hint')}
        rules={[
          {
            validator: (_, { from, to, days }: Hours) => {
              if (from === to) return Promise.reject(new Error(t('empty_hours')))
              return days.length > 0 ? Promise.resolve() : Promise.reject(new Error(t('no_days')))
            },
          },
        ]}
      >
        <WindowHours />
      </Field>
    </FormDrawer>
  )
}
