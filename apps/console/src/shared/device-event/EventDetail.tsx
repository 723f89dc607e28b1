import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { link } from '../../core/links.ts'
import { DateTime, OrDash, Unit } from '../../ui/value/values.tsx'
import { usePushLabels } from '../push/push-labels.ts'
import type { DeviceEvent } from './device-event.ts'
import { texts as english } from './texts/en.ts'
import './device-event.css'

type Action = keyof (typeof english)['fence_action']
const isAction = (key: string): key is Action => Object.hasOwn(english.fence_action, key)

/** What the server itself notes beside an event, as times. */
const instants = new Set(['quarantined_until', 'said_at', 'other_answered_at'])
/** For programs. */
const unread = ['fence_kid', 'fence_version', 'config']
const of_action = ['action', 'module', 'outcome', 'reason', 'message', 'push_task_kid']

type Props = {
  of: Pick<DeviceEvent, 'type' | 'detail'>
  /** What the list around it says already. */
  without?: readonly string[]
}
/** Names and values as the device sent them; words where this console has them. */
export function EventDetail({ of: { type, detail }, without = [] }: Props) {
  const { t } = useTranslation('device-event')
  const [actedOf, stagedOf] = [useActed(), useStaged()]
  const acted = type === 'staging' ? stagedOf(detail) : actedOf(type, detail)
  const told = new Set([...unread, ...without, ...(acted ? of_action : [])])
  const parts = Object.entries(detail).filter(
    ([name, value]) => value !== null && value !== undefined && !told.has(name),
  )
  if (parts.length === 0 && !acted) return <OrDash>{null}</OrDash>
  const word = (name: string, value: unknown) => {
    if (name === 'trigger' && typeof value === 'string' && Object.hasOwn(english.trigger, value)) {
      return t(`trigger.${value as keyof (typeof english)['trigger']}`)
    }
    if (name === 'by' && typeof value === 'string' && Object.hasOwn(english.staging_by, value)) {
      return t(`staging_by.${value as keyof (typeof english)['staging_by']}`)
    }
    return typeof value === 'object' ? JSON.stringify(value) : String(value)
  }
  const title = (name: string) => {
    if (Object.hasOwn(english.detail, name)) return t(`detail.${name as keyof (typeof english)['detail']}`)
    return name === 'trigger' || name === 'by' ? undefined : name.replaceAll('_', ' ')
  }
  return (
    <span className="event-detail">
      {acted && (
        <span>
          {acted.text}
          {acted.push_task_kid !== null && (
            <>
              {' '}
              <Link to={link.pushTaskDetail.to({ kid: acted.push_task_kid })}>{t('open_push')}</Link>
            </>
          )}
        </span>
      )}
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

type Acted = { text: string; push_task_kid: string | null }
/**
 * What a fence made a device do, and why that could not be done, or the push that the server made instead; undefined of an
 * event that says none of it in words known here.
 */
function useActed() {
  const { t } = useTranslation('device-event')
  const { reason } = usePushLabels()
  const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)
  return (type: string, detail: DeviceEvent['detail']): Acted | undefined => {
    const outcome = textOf(detail['outcome'])
    const key = `${textOf(detail['action'])}_${outcome}`
    if (type !== 'fence_action' || !isAction(key)) return undefined
    const message = textOf(detail['message'])
    // The server says why in a sentence; a device in its own words beside a code.
    const why = outcome === 'not_pushed' ? message : reason({ code: textOf(detail['reason']), message })
    const acted = t(`fence_action.${key}`)
    return {
      text: why ? t('fence_acted', { acted, why }) : acted,
      push_task_kid: outcome === 'pushed' ? textOf(detail['push_task_kid']) : null,
    }
  }
}

type Staged = keyof (typeof english)['staging']
type StagingRefusal = keyof (typeof english)['staging_refusal']

/** What became of one module of a configuration that was scanned, or why all of it was refused. */
function useStaged() {
  const { t } = useTranslation('device-event')
  const { reason } = usePushLabels()
  return (detail: DeviceEvent['detail']): Acted | undefined => {
    const of = (name: string) => (typeof detail[name] === 'string' ? detail[name] : null)
    const outcome = of('outcome')
    if (outcome === null || !Object.hasOwn(english.staging, outcome)) return undefined
    const refusal = outcome === 'refused' ? of('reason') : null
    const why =
      refusal !== null && Object.hasOwn(english.staging_refusal, refusal)
        ? t(`staging_refusal.${refusal as StagingRefusal}`)
        : reason({ code: of('reason'), message: of('message') })
    const said = t(`staging.${outcome as Staged}`)
    const text = [of('module'), why ? t('fence_acted', { acted: said, why }) : said].filter(Boolean).join(' \u00b7 ')
    return { text, push_task_kid: null }
  }
}
