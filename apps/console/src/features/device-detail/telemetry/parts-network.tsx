import { useTranslation } from 'react-i18next'
import type { TerminalDetail } from '@mdm/contract'
import { Signal, useNetworkLabel } from '../../../shared/device/DeviceParts.tsx'
import { CopyId, Dash, Unit } from '../../../ui/value/values.tsx'
import { Part } from '../Part.tsx'
import { flagIn, numberIn, textIn } from './readings.ts'
import type { Parts } from './readings.ts'

type Props = { device: TerminalDetail }

/** Bars, word and the number itself. */
function SignalRow({ dbm }: { dbm: number | null }) {
  if (dbm === null) return <Dash />
  return (
    <span className="signal-row">
      <Signal dbm={dbm} /> <Unit value={dbm} unit="dBm" />
    </span>
  )
}

export function NetworkPart({ device }: Props) {
  const { t } = useTranslation(['device-detail', 'common'])
  const word = useNetworkLabel()
  const { network } = device
  const type = device.network_type ?? textIn(network, 'type')
  const yesNo = (flag: boolean | null) => (flag === null ? null : t(flag ? 'common:yes' : 'common:no'))
  const ip = textIn(network, 'internal_ip')
  return (
    <Part
      title={t('part.network')}
      is_empty={type === null && network === null}
      lead={type && <span className="part-figure">{word(type)}</span>}
      rows={[
        [t('network.signal'), <SignalRow key="signal" dbm={device.signal ?? numberIn(network, 'signal')} />],
        [t('network.internal_ip'), ip && <CopyId key="ip" value={ip} />],
        [t('network.is_metered'), yesNo(flagIn(network, 'is_metered'))],
        [t('network.is_roaming'), yesNo(flagIn(network, 'is_roaming'))],
      ]}
    />
  )
}

export function WifiPart({ device }: Props) {
  const { t } = useTranslation('device-detail')
  const { wifi } = device
  const bssid = textIn(wifi, 'bssid')
  const frequency = numberIn(wifi, 'frequency')
  const ssid = textIn(wifi, 'ssid')
  return (
    <Part
      title={t('part.wifi')}
      is_empty={wifi === null}
      lead={ssid && <span className="part-figure">{ssid}</span>}
      rows={[
        [t('wifi.signal'), <SignalRow key="signal" dbm={numberIn(wifi, 'signal')} />],
        [t('wifi.channel'), numberIn(wifi, 'channel')],
        [t('wifi.frequency'), frequency === null ? null : <Unit key="frequency" value={frequency} unit="MHz" />],
        [t('wifi.bssid'), bssid && <CopyId key="bssid" value={bssid} />],
      ]}
    />
  )
}

export function SimsPart({ device }: Props) {
  const { t } = useTranslation('device-detail')
  const slots: readonly Parts[] = device.sims ?? []
  const row = (slot: number) => {
    const sim = slots.find((each) => numberIn(each, 'slot') === slot)
    const network = [textIn(sim, 'operator'), textIn(sim, 'network_type')].filter(Boolean).join(' · ')
    return [
      t('sim.slot', { slot }),
      sim ? (
        <span className="sim">
          {network}
          <Signal dbm={numberIn(sim, 'signal')} />
        </span>
      ) : (
        <span className="dim">{t('sim.empty')}</span>
      ),
    ] as const
  }
  return <Part title={t('part.sims')} is_empty={device.sims === null} rows={[row(1), row(2)]} />
}
