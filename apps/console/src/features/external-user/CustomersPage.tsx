import { useTranslation } from 'react-i18next'
import { api } from '../../api.ts'
import { ListPage } from '../../screen/ListPage.tsx'
import { useListTable } from '../../screen/use-list-table.ts'

export default function CustomersPage() {
  const { t } = useTranslation(['external-user', 'common'])
  const list = useListTable(api.opsAccount.paging, { id: 'external-user-manage-list', filters: { text: 'text' } })
  const columns = [
    { key: 'name', title: 'name', dataIndex: 'name' },
    { key: 'username', title: 'username', dataIndex: 'username' },
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
