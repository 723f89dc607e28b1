import { useTranslation } from 'react-i18next'
import type { Out } from '@mdm/contract'
import { api } from '../../core/api.ts'
import { DeviceSn } from '../../shared/device/DeviceSn.tsx'
import { ListPage } from '../../ui/list/ListPage.tsx'
import type { Column } from '../../ui/list/ListPage.tsx'
import { useListTable } from '../../ui/list/use-list-table.ts'
import { Code } from '../../ui/value/values.tsx'

type Row = Out<typeof api.osVersion.paging_behind>['items'][number]

/** Devices for which there is a newer version. */
export function Behind() {
  const { t } = useTranslation('os-push')
  const list = useListTable(api.osVersion.paging_behind, { id: 'os-behind', filters: { text: 'text' } })
  const columns: Column<Row>[] = [
    {
      key: 'sn',
      title: 'SN',
      sorter: true,
      is_fixed: true,
      render: (_, { kid, sn }) => <DeviceSn kid={kid} sn={sn} />,
    },
    { key: 'name', title: t('column.alias'), render: (_, { name }) => name },
    { key: 'uid', title: 'UID', render: (_, { uid }) => <Code value={uid} /> },
    { key: 'os_version', title: t('column.runs'), sorter: true, dataIndex: 'os_version' },
    { key: 'newest', title: t('column.newest'), dataIndex: 'newest' },
  ]
  return (
    <ListPage
      is_part
      list={list}
      title={t('tab.behind')}
      columns={columns}
      search={t('search_device')}
      empty={{ title: t('behind.none'), hint: t('behind.none_hint') }}
    />
  )
}
