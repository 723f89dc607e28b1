import { useTranslation } from 'react-i18next'
import { useNavigate, useSearchParams } from 'react-router'
import { link } from '../../core/links.ts'
import { PushWizard, readAddress, TaskView } from '../push-task/public.ts'

const onlyOs = ['os'] as const

/** `?version=…` pushes that version, to devices that are named (`osPushAddress`); `?task=…` is one push with its devices. */
export default function OsPushPage() {
  const { t } = useTranslation('os-push')
  const navigate = useNavigate()
  const [search] = useSearchParams()
  const [task, version] = [search.get('task'), search.get('version')]
  if (task) return <TaskView key={task} kid={task} back={{ to: link.userOsPushList.to(), text: t('all') }} />
  return (
    <PushWizard
      key={search.toString()}
      title={t('title')}
      only={onlyOs}
      initial={{ ...readAddress(search), type: 'os', ...(version && { values: { os_version_kid: version } }) }}
      onCancel={() => void navigate(link.userOsPushList.to())}
    />
  )
}
