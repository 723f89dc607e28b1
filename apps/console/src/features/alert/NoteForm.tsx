import { Input } from 'antd'
import { useTranslation } from 'react-i18next'
import type { Alert } from '@mdm/contract'
import { api, useWrite } from '../../core/api.ts'
import { Field, FormDrawer } from '../../ui/form/form.tsx'

/** What people write about an alert. It is refused when somebody else has changed it since it was opened here. */
export function NoteForm({ alert, onClose }: { alert: Pick<Alert, 'kid' | 'name' | 'note'>; onClose: () => void }) {
  const { t } = useTranslation('alert')
  const write = useWrite(api.alert.update_note, { done: t('note.done') })
  return (
    <FormDrawer<{ note: string }>
      title={t('note.of', { name: alert.name })}
      submit={t('note.submit')}
      initial={{ note: alert.note }}
      loading={write.isPending}
      submitError={write.error}
      onSubmit={({ note }) => write.mutateAsync({ kid: alert.kid, note, from_note: alert.note })}
      onDone={onClose}
      onClose={onClose}
    >
      <Field name="note" label={t('column.note')} extra={t('note.hint')} schema={api.alert.update_note.input}>
        <Input.TextArea autoFocus rows={8} />
      </Field>
    </FormDrawer>
  )
}
