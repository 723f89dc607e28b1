import { CheckOutlined, CopyOutlined } from '@ant-design/icons'
import { useEffect, useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { Language } from '@mdm/contract'
import { localeOf } from '../../i18n/language.ts'
import { notify } from '../../core/notices.ts'
import { useSessionStore } from '../../core/session-store.ts'
import { useZone } from '../../core/session.tsx'
import { agoText, bytesParts, dateParts, durationText, useNumber } from './format.ts'

/** An empty value. */
export const Dash = () => (
  <span className="dim" aria-hidden>
    –
  </span>
)
/** The value, or a dim dash for null, undefined and ''. */
export const OrDash = ({ children }: { children: ReactNode }) =>
  children === null || children === undefined || children === '' ? <Dash /> : children

type Spelled = { children?: ReactNode; className?: string }
type ClippedProps = Spelled & { text: string | null | undefined }
/** As many of the widest characters have room in a cell. */
const never_cut = 20
/** A long text must not push the rest of its row away: it is cut, and read in full under the pointer. */
export function Clipped({ text, children = text, className }: ClippedProps) {
  if (!text) return <Dash />
  const tells_more = children !== text || text.length > never_cut
  return (
    <span className={['clipped', className].filter(Boolean).join(' ')} title={tells_more ? text : undefined}>
      {children}
    </span>
  )
}
/** A serial number, UID, MAC address, hash or path, in the type face in which every character can be told. `CopyId` can be copied as well. */
export function Code({ value, children = value, className }: Spelled & { value: string | null | undefined }) {
  if (!value) return <Dash />
  return (
    <code>
      <Clipped text={value} className={className}>
        {children}
      </Clipped>
    </code>
  )
}

type At = { at: string | null | undefined }
/** year/month/day bright, hour:minute:second dim, in the account's zone. */
export function DateTime({ at }: At) {
  const zone = useZone()
  if (!at) return <Dash />
  const [date, time] = dateParts(at, zone)
  return (
    <time dateTime={at} className="date-time" title={zone}>
      {date} <span className="dim">{time}</span>
    </time>
  )
}

/** One clock for all ages on the page: they turn together, without a timer each. */
const ticks = new Set<() => void>()
setInterval(() => ticks.forEach((tick) => tick()), 10_000)
export function useNow(): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const tick = () => setNow(Date.now())
    ticks.add(tick)
    return () => void ticks.delete(tick)
  }, [])
  return now
}

/** How long something has been so: '2h', with the time at which it began as its title. */
export const Since = ({ at }: At) => <Age at={at} format={(seconds, language) => durationText(seconds, language, 1)} />
/** How long ago: '2h ago', with the exact time as its title. */
export const Ago = ({ at }: At) => <Age at={at} format={agoText} />
function Age({ at, format }: At & { format: (seconds: number, language: Language) => string }) {
  const now = useNow()
  const zone = useZone()
  const language = useSessionStore((s) => s.language)
  if (!at) return <Dash />
  return (
    <time dateTime={at} className="ago" title={dateParts(at, zone).join(' ')}>
      {format((now - Date.parse(at)) / 1000, language)}
    </time>
  )
}

/** A number as the reader's language writes it: 12.345 in Vietnamese. */
export function Count({ value }: { value: number | null | undefined }) {
  const number = useNumber()
  if (value === null || value === undefined) return <Dash />
  return <span className="number">{number(value)}</span>
}

/** 1024 steps; the unit is dim. */
export function Bytes({ value }: { value: number | null | undefined }) {
  const language = useSessionStore((s) => s.language)
  if (value === null || value === undefined) return <Dash />
  const [number, unit] = bytesParts(value, localeOf[language])
  return <Unit value={number} unit={unit} />
}

/** A number and its dim unit: `<Unit value={87} unit="%" />`. Read aloud and copied as '87 %', never broken apart. */
export function Unit({ value, unit }: { value: ReactNode; unit: string }) {
  const number = useNumber()
  return (
    <span className="number">
      {typeof value === 'number' ? number(value) : value}
      {unit && <span className="dim unit">{`\u00a0${unit}`}</span>}
    </span>
  )
}

export function Duration({ seconds, parts = 2 }: { seconds: number | null | undefined; parts?: number }) {
  const language = useSessionStore((s) => s.language)
  if (seconds === null || seconds === undefined) return <Dash />
  return <span className="number">{durationText(seconds, language, parts)}</span>
}

/** An id that can be copied where it stands. `short` shows its last characters only. */
export function CopyId({ value, short }: { value: string | null | undefined; short?: number }) {
  const { t } = useTranslation('common')
  const [is_copied, setCopied] = useState(false)
  if (!value) return <Dash />
  const copy = () =>
    copyText(value).then(
      () => {
        setCopied(true)
        setTimeout(() => setCopied(false), 1_500)
      },
      () => notify.fail(new Error(t('copy_failed'))),
    )
  return (
    <span className="copy-id">
      <code title={value}>{short && value.length > short ? `…${value.slice(-short)}` : value}</code>
      <button type="button" className="icon-button" onClick={() => void copy()} aria-label={t('copy', { value })}>
        {is_copied ? <CheckOutlined aria-hidden /> : <CopyOutlined aria-hidden />}
      </button>
    </span>
  )
}

/** The clipboard interface is missing on plain HTTP, which private deployments use. */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  const area = document.createElement('textarea')
  area.value = text
  area.style.position = 'fixed'
  area.style.opacity = '0'
  document.body.append(area)
  area.select()
  const is_done = document.execCommand('copy')
  area.remove()
  if (!is_done) throw new Error('copy refused')
}
