import { useTranslation } from 'react-i18next'
import { link } from '../../../core/links.ts'
import { TaskView } from '../../push-task/public.ts'

/** A file push looks as it does among the pushes of every kind; it goes back to those of files. */
export function FilePushTask({ kid }: { kid: string }) {
  const { t } = useTranslation('file-cloud')
  return <TaskView kid={kid} back={{ to: link.fileCloudPush.to(), text: t('push.all_pushes') }} />
}
