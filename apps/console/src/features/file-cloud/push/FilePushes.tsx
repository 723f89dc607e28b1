import { CloudOutlined, SendOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { pages } from '@mdm/contract'
import { usePushList } from '../../push-task/public.ts'
import { AddButton } from '../../../ui/list/AddButton.tsx'
import { ListPage } from '../../../ui/list/ListPage.tsx'
import { May } from '../../../core/session.tsx'
import { link } from '../../../core/links.ts'

export function FilePushes() {
  const { t } = useTranslation('file-cloud')
  const navigate = useNavigate()
  const { rows, dialogs } = usePushList({
    id: 'file-cloud-push',
    types: ['file'],
    content: t('column.files'),
    open: (row) => link.fileCloudPush.to({ task: row.kid }),
  })
  const create = (
    <AddButton needs="fileCloudPush:push" to={link.fileCloudPush.to({ new: true })}>
      {t('push.new')}
    </AddButton>
  )
  return (
    <>
      <ListPage
        {...rows}
        page={pages.fileCloudPush}
        title={t('pushes')}
        icon={<SendOutlined aria-hidden />}
        actions={
          <May needs="fileCloudList">
            <Button icon={<CloudOutlined aria-hidden />} onClick={() => void navigate(link.fileCloudList.to())}>
              {t('title')}
            </Button>
          </May>
        }
        search={t('push.search')}
        primary={create}
        empty={{ title: t('push.empty'), hint: t('push.empty_hint'), action: create }}
      />
      {dialogs}
    </>
  )
}
