import { FileTextOutlined, SendOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { useNavigate, useSearchParams } from 'react-router'
import { pages } from '@mdm/contract'
import { link } from '../../core/links.ts'
import { May, useMay } from '../../core/session.tsx'
import { PushWizard, TaskView, usePushList } from '../push-task/public.ts'
import { AddButton } from '../../ui/list/AddButton.tsx'
import { ListPage } from '../../ui/list/ListPage.tsx'

const only = ['config_file'] as const

/** One screen, three views: the pushes, `?file=…` or `?new=true` a new one, `?task=…` one with its devices. */
export default function ConfigFilePushPage() {
  const { t } = useTranslation('config-file')
  const navigate = useNavigate()
  const [search] = useSearchParams()
  const may_push = useMay('configureFilePush:push')
  const [task, file] = [search.get('task'), search.get('file')]
  const all = link.configureFilePush.to()
  if (task) return <TaskView key={task} kid={task} back={{ to: all, text: t('all_pushes') }} />
  if (may_push && (file || search.has('new')))
    return (
      <PushWizard
        key={file ?? 'new'}
        title={t('push_title')}
        only={only}
        initial={{ type: 'config_file', values: file ? { config_file_kid: file } : {} }}
        onCancel={() => void navigate(all)}
      />
    )
  return <ConfigFilePushes />
}

function ConfigFilePushes() {
  const { t } = useTranslation(['config-file', 'common'])
  const navigate = useNavigate()
  const { rows, dialogs } = usePushList({
    id: 'config-file-push',
    types: ['config_file'],
    content: t('common:name'),
    open: (row) => link.configureFilePush.to({ task: row.kid }),
  })
  const create = (
    <AddButton needs="configureFilePush:push" to={link.configureFilePush.to({ new: true })}>
      {t('new_push')}
    </AddButton>
  )
  return (
    <>
      <ListPage
        {...rows}
        page={pages.configureFilePush}
        title={t('pushes')}
        icon={<SendOutlined aria-hidden />}
        actions={
          <May needs="configureFilePushList">
            <Button
              icon={<FileTextOutlined aria-hidden />}
              onClick={() => void navigate(link.configureFilePushList.to())}
            >
              {t('files')}
            </Button>
          </May>
        }
        search={t('search')}
        primary={create}
        empty={{ title: t('no_pushes'), action: create }}
      />
      {dialogs}
    </>
  )
}
