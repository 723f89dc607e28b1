import { useTranslation } from 'react-i18next'
import { useSessionStore } from '../../core/session-store.ts'
import type { Filter } from '../../ui/list/filters.tsx'
import type { Column } from '../../ui/list/ListPage.tsx'
import { durationText } from '../../ui/value/format.ts'
import { DateTime } from '../../ui/value/values.tsx'
import { eventTypes, isKnownType } from './device-event.ts'
import type { DeviceEvent } from './device-event.ts'
import { EventDetail } from './EventDetail.tsx'

/** Below this an event simply took its way. */
const late_after_seconds = 120

/** The columns of a list of events. `without` are parts of their details that the list says by itself. */
export function useEventColumns(without?: readonly string[]) {
  const { t } = useTranslation(['device-event', 'push'])
  return {
    type: {
      key: 'type',
      title: t('column.type'),
      export: { labels: t('type', { returnObjects: true }) },
      // A type this console does not know is shown as the device calls it.
      render: (_, { type }) => (isKnownType(type) ? t(`type.${type}`) : type.replaceAll('_', ' ')),
    },
    at: { key: 'at', title: t('column.at'), sorter: true, render: (_, { at }) => <DateTime at={at} /> },
    detail: {
      key: 'detail',
      title: t('column.detail'),
      export: {
        labels: {
          ...t('trigger', { returnObjects: true }),
          ...t('fence_word', { returnObjects: true }),
          ...t('push:code', { returnObjects: true }),
        },
      },
      render: (_, row) => <EventDetail of={row} {...(without && { without })} />,
    },
    received_at: { key: 'received_at', title: t('column.received_at'), render: (_, row) => <Received row={row} /> },
  } satisfies Record<string, Column<DeviceEvent>>
}

export function useEventTypeFilter(types: readonly (typeof eventTypes)[number][] = eventTypes): Filter {
  const { t } = useTranslation('device-event')
  return {
    key: 'type',
    kind: 'one',
    label: t('column.type'),
    options: types.map((value) => ({ value, label: t(`type.${value}`) })),
  }
}

function Received({ row }: { row: DeviceEvent }) {
  const { t } = useTranslation('device-event')
  const language = useSessionStore((s) => s.language)
  const late = (Date.parse(row.received_at) - Date.parse(row.at)) / 1000
  return (
    <span>
      <DateTime at={row.received_at} />{' '}
      {late > late_after_seconds && <span className="warn">{t('late', { time: durationText(late, language) })}</span>}
    </span>
  )
}
