import { MoonFilled, ThunderboltFilled } from '@ant-design/icons'
import { useTranslation } from 'react-i18next'
import { signalLevel } from '@mdm/contract'
import type { TerminalRow } from '@mdm/contract'
import { listText } from '../../i18n/list-text.ts'
import { OnlineBadge, StateBadge } from '../../ui/value/StateBadge.tsx'
import { Dash, Unit } from '../../ui/value/values.tsx'
import { texts as english } from './texts/en.ts'
import './device.css'

const has = <T extends object>(words: T, key: string): key is keyof T & string => Object.hasOwn(words, key)

/** Online or not; and that it is lost. */
export function PresenceBadge({ device, since }: { device: Presence; since?: string | null }) {
  const { t } = useTranslation('device')
  if (!device.lost_at) return <ConnectionBadge device={device} since={since ?? null} />
  return (
    <span className="presence">
      <ConnectionBadge device={device} since={since ?? null} />
      <StateBadge tone="bad">{t('lost')}</StateBadge>
    </span>
  )
}

/** Online or not; or why it cannot be, though nothing is wrong with the device. */
function ConnectionBadge({ device, since }: { device: Presence; since: string | null }) {
  const { t } = useTranslation(['device', 'common'])
  const { is_online, is_asleep, last_online_at, quarantined_until } = device
  if (quarantined_until !== null && Date.parse(quarantined_until) > Date.now())
    return (
      <StateBadge tone="bad" title={t('quarantined_hint')}>
        {t('quarantined')}
      </StateBadge>
    )
  if (!is_online && is_asleep)
    return (
      <StateBadge
        tone="quiet"
        title={t('asleep_hint')}
        since={since === undefined ? undefined : last_online_at}
        icon={<MoonFilled aria-hidden />}
      >
        {t('asleep')}
      </StateBadge>
    )
  return <OnlineBadge is_online={is_online} since={since} label={t(is_online ? 'common:online' : 'common:offline')} />
}
type Presence = Pick<TerminalRow, 'is_online' | 'is_asleep' | 'last_online_at' | 'quarantined_until'> &
  Partial<Pick<TerminalRow, 'lost_at'>>

/** The name of a network type; an unknown one is shown as the device said it ('5G'). */
export function useNetworkLabel(): (type: string) => string {
  const { t } = useTranslation('device')
  return (type) => (has(english.network, type) ? t(`network.${type}`) : type)
}
export function useChargingLabel(): (state: string) => string {
  const { t } = useTranslation('device')
  return (state) => (has(english.charging, state) ? t(`charging.${state}`) : state)
}

const levelTone = (level: number) => (level <= 10 ? 'bad' : level <= 20 ? 'warn' : 'quiet')

/** A filled battery, the number, and a bolt while it charges. */
export function Battery({ level, charging }: { level: number | null; charging: string | null }) {
  const { t } = useTranslation('device')
  const label = useChargingLabel()
  if (level === null) return <Dash />
  const is_charging = charging === 'charging'
  const title = listText([t('battery_label', { level }), charging && label(charging)])
  return (
    <span className="battery" data-tone={is_charging ? 'good' : levelTone(level)} title={title}>
      <svg viewBox="0 0 24 12" width="24" height="12" aria-hidden>
        <rect x="0.5" y="0.5" width="20" height="11" rx="2.5" fill="none" stroke="currentColor" />
        <rect x="22" y="3.5" width="2" height="5" rx="1" fill="currentColor" />
        <rect className="battery-fill" x="2.5" y="2.5" width={(16 * level) / 100} height="7" rx="1" />
      </svg>
      <Unit value={level} unit="%" />
      {is_charging && <ThunderboltFilled aria-label={label('charging')} />}
    </span>
  )
}

/** Four bars and a word, from dBm. */
export function Signal({ dbm, is_short }: { dbm: number | null; is_short?: boolean }) {
  const { t } = useTranslation('device')
  if (dbm === null) return <Dash />
  const level = signalLevel(dbm) as 0 | 1 | 2 | 3 | 4
  const label = t(`signal.${level}`)
  return (
    <span className="signal" data-level={level} title={t('signal_label', { label, dbm })}>
      <svg viewBox="0 0 16 12" width="16" height="12" aria-hidden>
        {[1, 2, 3, 4].map((bar) => (
          <rect
            key={bar}
            data-on={bar <= level}
            x={(bar - 1) * 4}
            y={12 - bar * 3}
            width="3"
            height={bar * 3}
            rx="0.75"
          />
        ))}
      </svg>
      <span className={is_short ? 'visually-hidden' : undefined}>{label}</span>
    </span>
  )
}

/** A used part of a whole, as a thin bar; the numbers stand beside it. */
export function UsageBar({ part, label }: { part: number; label: string }) {
  const percent = Math.round(Math.max(0, Math.min(1, part)) * 100)
  const tone = percent >= 95 ? 'bad' : percent >= 85 ? 'warn' : 'quiet'
  return (
    <span
      role="meter"
      className="usage"
      data-tone={tone}
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent}
    >
      <i style={{ width: `${percent}%` }} />
    </span>
  )
}
