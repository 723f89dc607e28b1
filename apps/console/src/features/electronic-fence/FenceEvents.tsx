import { useTranslation } from 'react-i18next'
import { fenceEventTypes } from '@mdm/contract'
import type { ElectronicFence, FenceEventRow } from '@mdm/contract'
import { api } from '../../core/api.ts'
import { DeviceSn } from '../../shared/device/DeviceSn.tsx'
import { useEventColumns, useEventTypeFilter } from '../../shared/device-event/columns.tsx'
import { Drawer } from '../../ui/dialog/Drawer.tsx'
import { ListPage } from '../../ui/list/ListPage.tsx'
import type { Column } from '../../ui/list/ListPage.tsx'
import { useListTable } from '../../ui/list/use-list-table.ts'
import { Clipped } from '../../ui/value/values.tsx'

/** Which devices left a fence, which came back, and what was done about it or could not be done. */
export function FenceEvents({ of: { kid, name }, onClose }: { of: ElectronicFence; onClose: () => void }) {
  const { t } = useTranslation('electronic-fence')
  const list = useListTable(api.electronicFence.paging_event, {
    id: 'electronic-fence-event',
    dialog: 'events',
    filters: { type: 'text' },
    fixed: { kid },
  })
  const column = useEventColumns(['fence'])
  const columns: Column<FenceEventRow>[] = [
    {
      key: 'sn',
      title: t('events.device'),
      is_fixed: true,
      render: (_, { sn, terminal_kid }) => <DeviceSn kid={terminal_kid} sn={sn} />,
    },
    { key: 'name', title: t('events.alias'), render: (_, row) => <Clipped text={row.name} /> },
    column.type,
    column.at,
    column.detail,
    { ...column.received_at, is_hidden: true },
  ]
  const title = t('events.title', { name })
  return (
    <Drawer rootClassName="list-drawer" size={1040} title={title} onClose={onClose}>
      <ListPage<FenceEventRow>
        is_part
        list={list}
        title={title}
        columns={columns}
        filters={[useEventTypeFilter(fenceEventTypes)]}
        empty={{ title: t('events.empty'), hint: t('events.empty_hint') }}
      />
    </Drawer>
  )
}
