import { useSearchParams } from 'react-router'
import { FilePushes } from './FilePushes.tsx'
import { FilePushTask } from './FilePushTask.tsx'
import { FilePushWizard } from './FilePushWizard.tsx'
import { useMay } from '../../core/session.tsx'
import './file-cloud.css'

/** One screen, three views: the list, `?file=…` or `?new=true` a new push, `?task=…` one push with its devices. */
export default function FilePushPage() {
  const [search] = useSearchParams()
  const may_push = useMay('fileCloudPush:push')
  const task = search.get('task')
  const files = search.getAll('file').filter(Boolean)
  if (task) return <FilePushTask key={task} kid={task} />
  if (may_push && (files.length > 0 || search.has('new')))
    return <FilePushWizard key={files.join()} file_kids={files} />
  return <FilePushes />
}
