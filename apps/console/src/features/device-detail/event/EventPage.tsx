import { useTranslation } from 'react-i18next'
import type { Out } from '@mdm/contract'
import { api } from '../../../core/api.ts'
import { texts as english } from '../texts/en.ts'
import { durationText } from '../../../ui/value/format.ts'
import { ListPage } from '../../../ui/list/ListPage.tsx'
import type { Column } from '../../../ui/list/ListPage.tsx'
import { useListTable } from '../../../ui/list/use-list-table.ts'
import { DateTime } from '../../../ui/value/values.tsx'
import { useSessionStore } from '../../../core/session-store.ts'
import { RefusedReports } from '../info/RefusedReports.tsx'
import { useDevice } from '../use-device.ts'
import { EventDetail } from './EventDetail.tsx'

type EventRow = Out<typeof api.terminal.paging_event>['items'][number]
type Known = keyof (typeof english)['event_type']
const known = Object.keys(english.event_type) as Known[]
const isKnown = (type: string): type is Known => Object.hasOwn(english.event_type, type)
/** Below this an event simply took its way. */
const late_after_seconds = 120

export default function EventPage() {
  const { t } = useTranslation(['device-detail', 'push'])
  const { kid } = useDevice()
  const list = useListTable(api.terminal.paging_event, {
    id: 'device-event',
    filters: { type: 'text' },
    fixed: { terminal_kid: kid },
    enabled: kid !== '',
  })
  const columns: Column<EventRow>[] = [
    {
      key: 'type',
      title: t('event.type'),
      is_fixed: true,
      export: { labels: t('event_type', { returnObjects: true }) },
      // A type this console does not know is shown as the device calls it.
      render: (_, row) => (isKnown(row.type) ? t(`event_type.${row.type}`) : row.type.replaceAll('_', ' ')),
    },
    { key: 'at', title: t('event.at'), sorter: true, render: (_, row) => <DateTime at={row.at} /> },
    {
      key: 'detail',
      title: t('event.detail'),
      export: {
        labels: {
          ...t('trigger', { returnObjects: true }),
          ...t('fence_word', { returnObjects: true }),
          ...t('push:code', { returnObjects: true }),
        },
      },
      render: (_, row) => <EventDetail of={row} />,
    },
    { key: 'received_at', title: t('event.received_at'), render: (_, row) => <Received row={row} /> },
  ]
  return (
    <>
      <ListPage
        is_part
        list={list}
        title={t('event.title')}
        columns={columns}
        filters={[
          {
            key: 'type',
            kind: 'one',
            label: t('event.type'),
            options: known.map((value) => ({ value, label: t(`event_type.${value}`) })),
          },
        ]}
        empty={{ title: t('event.empty'), hint: t('event.empty_hint') }}
      />
      <RefusedReports />
    </>
  )
}

function Received({ row }: { row: EventRow }) {
  const { t } = useTranslation('device-detail')
  const language = useSessionStore((s) => s.language)
  const late = (Date.parse(row.received_at) - Date.parse(row.at)) / 1000
  return (
    <span>
      <DateTime at={row.received_at} />{' '}
      {late > late_after_seconds && (
        <span className="warn">{t('event.late', { time: durationText(late, language) })}</span>
      )}
    </span>
  )
}
