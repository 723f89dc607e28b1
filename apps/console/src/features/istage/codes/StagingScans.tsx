import { useTranslation } from 'react-i18next'
import type { StagingScanRow } from '@mdm/contract'
import { api } from '../../../core/api.ts'
import { DeviceSn } from '../../../shared/device/DeviceSn.tsx'
import { useEventColumns } from '../../../shared/device-event/columns.tsx'
import { ListPage } from '../../../ui/list/ListPage.tsx'
import type { Column } from '../../../ui/list/ListPage.tsx'
import { useListTable } from '../../../ui/list/use-list-table.ts'
import { Clipped } from '../../../ui/value/values.tsx'

type Props = { of: { kid: string; name: string } }

/** Which devices took a configuration, and what became of each of its modules there. */
export function StagingScans({ of: { kid, name } }: Props) {
  const { t } = useTranslation('istage/codes')
  const list = useListTable(api.istageCode.paging_scan, {
    id: 'istage-scan',
    filters: {},
    fixed: { kid },
  })
  const column = useEventColumns()
  const columns: Column<StagingScanRow>[] = [
    {
      key: 'sn',
      title: t('scans.device'),
      is_fixed: true,
      render: (_, { sn, terminal_kid }) => <DeviceSn kid={terminal_kid} sn={sn} />,
    },
    { key: 'name', title: t('scans.alias'), render: (_, row) => <Clipped text={row.name} /> },
    column.at,
    { ...column.detail, title: t('scans.outcome') },
    { ...column.received_at, is_hidden: true },
  ]
  const title = t('scans.title', { name })
  return (
    <ListPage<StagingScanRow>
      is_part
      list={list}
      title={title}
      columns={columns}
      empty={{ title: t('scans.empty'), hint: t('scans.empty_hint') }}
    />
  )
}
