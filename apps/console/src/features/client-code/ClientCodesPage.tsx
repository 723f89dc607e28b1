import { useTranslation } from 'react-i18next'
import { api } from '../../api.ts'
import { ListPage } from '../../screen/ListPage.tsx'
import { useListTable } from '../../screen/use-list-table.ts'

export default function ClientCodesPage() {
  const { t } = useTranslation(['client-code', 'common'])
  const list = useListTable(api.opsClientCode.paging, { id: 'client-code-list', filters: { text: 'text' } })
  const columns = [
    { key: 'code', title: 'code', dataIndex: 'code' },
    { key: 'name', title: 'name', dataIndex: 'name' },
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
