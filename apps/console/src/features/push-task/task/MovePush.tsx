import { useTranslation } from 'react-i18next'
import type { PushTaskRow } from '@mdm/contract'
import { api, useWrite } from '../../../core/api.ts'
import { useZone } from '../../../core/session.tsx'
import { Properties } from '../../../ui/DetailPage.tsx'
import { Field, FormDrawer } from '../../../ui/form/form.tsx'
import { announcePush } from '../../../shared/push/announce.ts'
import { usePushSentence } from '../../../shared/push/use-push-sentence.ts'
import { InstantPicker } from '../wizard/InstantPicker.tsx'
import { useChangeNotes } from './use-push-acts.tsx'

/** Another time for a push that has not begun. */
export function MovePush({ task, onClose }: { task: PushTaskRow; onClose: () => void }) {
  const { t } = useTranslation(['push-task/task', 'common'])
  const sentence = usePushSentence()
  const zone = useZone()
  const changeNotes = useChangeNotes()
  const write = useWrite(api.pushTask.move, { onSuccess: announcePush })
  return (
    <FormDrawer<{ start_at: string }>
      width={520}
      title={t('move.title')}
      submit={t('move.submit')}
      initial={{ start_at: task.start_at ?? '' }}
      loading={write.isPending}
      submitError={write.error}
      onSubmit={({ start_at }) => write.mutateAsync({ push_task_kid: task.kid, version: task.version, start_at })}
      onDone={onClose}
      onClose={onClose}
    >
      <div className="push-drawer">
        <Properties of={[{ label: t('fact.what'), value: sentence(task), is_wide: true }]} />
        {changeNotes(task).map((note) => (
          <p key={note} className="dim">
            {note}
          </p>
        ))}
      </div>
      <Field
        name="start_at"
        label={t('move.start_at')}
        extra={t('common:list.zone', { zone })}
        rules={[{ required: true, message: t('common:invalid.required') }]}
      >
        <InstantPicker autoFocus />
      </Field>
    </FormDrawer>
  )
}
