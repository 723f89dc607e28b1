import { useTranslation } from 'react-i18next'
import { api } from '../../api.ts'
import { ListPage } from '../../screen/ListPage.tsx'
import { useListTable } from '../../screen/use-list-table.ts'

export default function OperationLogPage() {
  const { t } = useTranslation(['operation-log', 'common'])
  const list = useListTable(api.operationLog.paging, { id: 'operation-log-list', filters: { text: 'text' } })
  const columns = [
    { key: 'module_name', title: 'module_name', dataIndex: 'module_name' },
    { key: 'action_name', title: 'action_name', dataIndex: 'action_name' },
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
