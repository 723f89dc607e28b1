import { useTranslation } from 'react-i18next'
import type { Out } from '@mdm/contract'
import type { api } from '../../../core/api.ts'
import { usePushLabels } from '../../../shared/push/push-labels.ts'
import { DateTime, OrDash, Unit } from '../../../ui/value/values.tsx'
import { texts as english } from '../texts/en.ts'

type EventRow = Out<typeof api.terminal.paging_event>['items'][number]
type Acted = keyof (typeof english)['fence_action']
const isActed = (key: string): key is Acted => Object.hasOwn(english.fence_action, key)

/** What the server itself notes beside an event, as times. */
const instants = new Set(['quarantined_until', 'said_at', 'other_answered_at'])
/** For programs. */
const unread = ['fence_kid', 'fence_version']

/** Names and values as the device sent them; words where this console has them. */
export function EventDetail({ of: { type, detail } }: { of: Pick<EventRow, 'type' | 'detail'> }) {
  const { t } = useTranslation('device-detail')
  const acted = useActed()(type, detail)
  const told = new Set(acted ? [...unread, 'action', 'outcome', 'reason', 'message'] : unread)
  const parts = Object.entries(detail).filter(
    ([name, value]) => value !== null && value !== undefined && !told.has(name),
  )
  if (parts.length === 0 && !acted) return <OrDash>{null}</OrDash>
  const word = (name: string, value: unknown) => {
    if (name === 'trigger' && typeof value === 'string' && Object.hasOwn(english.trigger, value)) {
      return t(`trigger.${value as keyof (typeof english)['trigger']}`)
    }
    return typeof value === 'object' ? JSON.stringify(value) : String(value)
  }
  const title = (name: string) => {
    if (name === 'level') return t('battery.level')
    if (Object.hasOwn(english.event_detail, name))
      return t(`event_detail.${name as keyof (typeof english)['event_detail']}`)
    return name === 'trigger' ? undefined : name.replaceAll('_', ' ')
  }
  return (
    <span className="event-detail">
      {acted && <span>{acted}</span>}
      {parts.map(([name, value]) => (
        <span key={name}>
          {title(name) && <span className="dim">{title(name)} </span>}
          {name === 'level' ? (
            <Unit value={word(name, value)} unit="%" />
          ) : instants.has(name) ? (
            <DateTime at={String(value)} />
          ) : (
            word(name, value)
          )}
        </span>
      ))}
    </span>
  )
}

/** What its fence made a device do, and why it could not; undefined of an event that says none of it in words known here. */
function useActed() {
  const { t } = useTranslation('device-detail')
  const { reason } = usePushLabels()
  const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)
  return (type: string, detail: EventRow['detail']): string | undefined => {
    const key = `${textOf(detail['action'])}_${textOf(detail['outcome'])}`
    if (type !== 'fence_action' || !isActed(key)) return undefined
    const why = reason({ code: textOf(detail['reason']), message: textOf(detail['message']) })
    return why ? t('fence_acted', { acted: t(`fence_action.${key}`), why }) : t(`fence_action.${key}`)
  }
}
