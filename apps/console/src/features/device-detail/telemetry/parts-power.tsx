import { ThunderboltFilled } from '@ant-design/icons'
import { useTranslation } from 'react-i18next'
import type { TerminalDetail } from '@mdm/contract'
import { UsageBar, useChargingLabel } from '../../../shared/device/DeviceParts.tsx'
import { texts as event_english } from '../../../shared/device-event/texts/en.ts'
import { texts as english } from '../texts/en.ts'
import { Ago, Bytes, CopyId, DateTime, Unit } from '../../../ui/value/values.tsx'
import { Part } from '../Part.tsx'
import { numberIn, shareOf, textIn } from './readings.ts'

type Props = { device: TerminalDetail }
const has = <T extends object>(words: T, key: string): key is keyof T & string => Object.hasOwn(words, key)

export function BatteryPart({ device }: Props) {
  const { t } = useTranslation(['device-detail', 'device-event'])
  const charging = useChargingLabel()
  const { battery } = device
  const level = device.battery_level ?? numberIn(battery, 'level')
  const state = device.battery_charging ?? textIn(battery, 'charging')
  const health = textIn(battery, 'health')
  const trigger = textIn(battery, 'trigger')
  const voltage = numberIn(battery, 'voltage')
  const temperature = numberIn(battery, 'temperature')
  const capacity = numberIn(battery, 'capacity')
  return (
    <Part
      title={t('part.battery')}
      is_empty={level === null && battery === null}
      lead={level !== null && <BatteryLead level={level} is_charging={state === 'charging'} />}
      rows={[
        [t('battery.charging'), state && charging(state)],
        [t('battery.temperature'), temperature !== null && <Unit value={temperature} unit="°C" />],
        [t('battery.voltage'), voltage !== null && <Unit value={Math.round(voltage / 10) / 100} unit="V" />],
        [t('battery.capacity'), capacity !== null && <Unit value={capacity} unit="mAh" />],
        [t('battery.health'), health && (has(english.health, health) ? t(`health.${health}`) : health)],
        [
          t('battery.trigger'),
          trigger && (has(event_english.trigger, trigger) ? t(`device-event:trigger.${trigger}`) : trigger),
        ],
      ].map(([label, value]) => [label as string, value === false ? null : value] as const)}
    />
  )
}

function BatteryLead({ level, is_charging }: { level: number; is_charging: boolean }) {
  const { t } = useTranslation('device-detail')
  const tone = is_charging ? 'good' : level <= 10 ? 'bad' : level <= 20 ? 'warn' : 'quiet'
  return (
    <>
      <span className="part-figure">
        <Unit value={level} unit="%" />
        {is_charging && <ThunderboltFilled className="good" aria-hidden />}
      </span>
      <span
        role="meter"
        className="battery-gauge"
        data-tone={tone}
        aria-label={t('battery.level')}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={level}
      >
        {Array.from({ length: 20 }, (_, cell) => (
          <i key={cell} data-on={cell * 5 < level} />
        ))}
      </span>
    </>
  )
}

export function MemoryPart({ device }: Props) {
  const { t } = useTranslation('device-detail')
  const { run } = device
  const cpu = numberIn(run, 'cpu')
  return (
    <Part
      title={t('part.memory')}
      is_empty={run === null}
      lead={
        <div className="usages">
          <Usage name={t('run.memory')} used={numberIn(run, 'memory_used')} total={numberIn(run, 'memory_total')} />
          <Usage name={t('run.storage')} used={numberIn(run, 'storage_used')} total={numberIn(run, 'storage_total')} />
        </div>
      }
      rows={[[t('run.cpu'), cpu === null ? null : <Unit key="cpu" value={cpu} unit="%" />]]}
    />
  )
}

/** Used of total, with a bar. */
export function Usage({ name, used, total }: { name: string; used: number | null; total: number | null }) {
  const share = shareOf(used, total)
  return (
    <div className="usage-row">
      <span>{name}</span>
      <span>
        <Bytes value={used} />
        {total !== null && (
          <span className="dim">
            {' / '}
            <Bytes value={total} />
          </span>
        )}
      </span>
      {share !== null && <UsageBar part={share} label={name} />}
    </div>
  )
}

export function LocationPart({ device }: Props) {
  const { t } = useTranslation('device-detail')
  const { location } = device
  const latitude = numberIn(location, 'latitude')
  const longitude = numberIn(location, 'longitude')
  const accuracy = numberIn(location, 'accuracy')
  const at = textIn(location, 'at')
  return (
    <Part
      title={t('part.location')}
      is_empty={latitude === null || longitude === null}
      lead={
        latitude !== null && longitude !== null && <CopyId value={`${latitude.toFixed(6)}, ${longitude.toFixed(6)}`} />
      }
      rows={[
        [
          t('location.accuracy'),
          accuracy === null ? null : <Unit key="accuracy" value={`± ${Math.round(accuracy)}`} unit="m" />,
        ],
        [
          t('location.at'),
          at && (
            <span key="at">
              <DateTime at={at} /> <Ago at={at} />
            </span>
          ),
        ],
      ]}
    />
  )
}
