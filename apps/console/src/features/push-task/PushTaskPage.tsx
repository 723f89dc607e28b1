import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { link } from '../../core/links.ts'
import { useMay } from '../../core/session.tsx'
import { TaskView } from './task/TaskView.tsx'

export default function PushTaskPage() {
  const { t } = useTranslation('push-task/task')
  const [search] = useSearchParams()
  const may_list = useMay('pushTaskList')
  const kid = search.get('kid') ?? ''
  const back = may_list ? { to: link.pushTaskList.to(), text: t('all_pushes') } : undefined
  return <TaskView key={kid} kid={kid} back={back} />
}
