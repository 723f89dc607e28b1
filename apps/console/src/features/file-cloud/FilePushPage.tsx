import { useTranslation } from 'react-i18next'
import { api } from '../../api.ts'
import { ListPage } from '../../screen/ListPage.tsx'
import { useListTable } from '../../screen/use-list-table.ts'

export default function FilePushPage() {
  const { t } = useTranslation(['file-cloud', 'common'])
  const list = useListTable(api.fileCloud.paging, { id: 'file-cloud-push', filters: { text: 'text' } })
  const columns = [
    { key: 'name', title: 'name', dataIndex: 'name' },
    { key: 'size', title: 'size', dataIndex: 'size' },
  ]
  return (
    <ListPage
      list={list}
      title={t('title')}
      columns={columns}
      search={t('common:search')}
      empty={{ title: t('title') }}
    />
  )
}
