import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { api } from '../../../core/api.ts'
import { link } from '../../../core/links.ts'
import { May } from '../../../core/session.tsx'
import { useEventColumns, useEventTypeFilter } from '../../../shared/device-event/columns.tsx'
import { ListPage } from '../../../ui/list/ListPage.tsx'
import { useListTable } from '../../../ui/list/use-list-table.ts'
import { RefusedReports } from '../info/RefusedReports.tsx'
import { useDevice } from '../use-device.ts'

export default function EventPage() {
  const { t } = useTranslation('device-detail')
  const { kid } = useDevice()
  const list = useListTable(api.terminal.paging_event, {
    id: 'device-event',
    filters: { type: 'text' },
    fixed: { terminal_kid: kid },
    enabled: kid !== '',
  })
  const column = useEventColumns()
  return (
    <>
      <ListPage
        is_part
        list={list}
        title={t('event.title')}
        primary={
          <May needs="operationLogList">
            <Link to={link.operationLogList.to({ object_kid: kid })}>{t('event.operations')}</Link>
          </May>
        }
        columns={[{ ...column.type, is_fixed: true }, column.at, column.detail, column.received_at]}
        filters={[useEventTypeFilter()]}
        empty={{ title: t('event.empty'), hint: t('event.empty_hint') }}
      />
      <RefusedReports />
    </>
  )
}
