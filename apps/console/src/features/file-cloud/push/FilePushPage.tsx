import { useTranslation } from 'react-i18next'
import { useNavigate, useSearchParams } from 'react-router'
import { DevicePath } from '@mdm/contract'
import { link } from '../../../core/links.ts'
import { max_files, PushWizard } from '../../push-task/public.ts'
import { FilePushes } from './FilePushes.tsx'
import { FilePushTask } from './FilePushTask.tsx'
import { useMay } from '../../../core/session.tsx'
import '../file-cloud.css'

const only_files = ['file'] as const

/** One screen, three views: the list, `?file=…` or `?new=true` a new push, `?task=…` one push with its devices. */
export default function FilePushPage() {
  const { t } = useTranslation('file-cloud')
  const navigate = useNavigate()
  const [search] = useSearchParams()
  const may_push = useMay('fileCloudPush:push')
  const task = search.get('task')
  const files = search.getAll('file').filter(Boolean)
  // Where the files of their folder belong on devices.
  const path = DevicePath.safeParse(search.get('path')).data
  if (task) return <FilePushTask key={task} kid={task} />
  if (may_push && (files.length > 0 || search.has('new')))
    return (
      <PushWizard
        key={files.join()}
        title={t('push.title')}
        only={only_files}
        initial={{
          type: 'file',
          values: { file_kids: files.slice(0, max_files), ...(path !== undefined && { path }) },
        }}
        onCancel={() => void navigate(link.fileCloudPush.to())}
      />
    )
  return <FilePushes />
}
