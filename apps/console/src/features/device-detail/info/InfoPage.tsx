import { ClockCircleOutlined } from '@ant-design/icons'
import { Skeleton } from 'antd'
import { useTranslation } from 'react-i18next'
import type { TerminalDetail } from '@mdm/contract'
import { agentName } from '../../../shared/device/agent-name.ts'
import { dateParts } from '../../../ui/value/format.ts'
import { CopyId, DateTime, Duration } from '../../../ui/value/values.tsx'
import { useZone } from '../../../core/session.tsx'
import { LabelsPart } from './LabelsPart.tsx'
import { NotePart } from './NotePart.tsx'
import { Part } from '../Part.tsx'
import { BatteryPart, LocationPart, MemoryPart } from '../telemetry/parts-power.tsx'
import { NetworkPart, SimsPart, WifiPart } from '../telemetry/parts-network.tsx'
import { numberIn } from '../telemetry/readings.ts'
import { useDevice } from '../use-device.ts'

export default function InfoPage() {
  const { device, is_loading } = useDevice()
  if (is_loading) return <Skeleton active title={false} paragraph={{ rows: 10 }} />
  if (!device) return null
  return (
    <>
      {device.clock_is_off && <ClockWarning device={device} />}
      <div className="parts">
        <LabelsPart device={device} />
        <NotePart device={device} />
        <BatteryPart device={device} />
        <NetworkPart device={device} />
        <WifiPart device={device} />
        <SimsPart device={device} />
        <MemoryPart device={device} />
        <SystemPart device={device} />
        <SoftwarePart device={device} />
        <LocationPart device={device} />
        <ConnectionPart device={device} />
      </div>
    </>
  )
}

function ClockWarning({ device }: { device: TerminalDetail }) {
  const { t } = useTranslation('device-detail')
  const zone = useZone()
  return (
    <p className="device-warning" role="status">
      <ClockCircleOutlined aria-hidden />
      <span>
        <strong>{t('clock.off')}.</strong>{' '}
        {t('clock.text', { time: device.device_time ? dateParts(device.device_time, zone).join(' ') : '–' })}
      </span>
    </p>
  )
}

function SystemPart({ device }: { device: TerminalDetail }) {
  const { t } = useTranslation('device-detail')
  return (
    <Part
      title={t('part.system')}
      rows={[
        [t('run.uptime'), <Duration key="uptime" seconds={numberIn(device.run, 'uptime')} />],
        [t('run.boot_at'), <DateTime key="boot" at={device.boot_at} />],
        [t('run.device_time'), <DateTime key="time" at={device.device_time} />],
        [t('run.foreground_app'), device.foreground_app],
      ]}
    />
  )
}

function SoftwarePart({ device }: { device: TerminalDetail }) {
  const { t } = useTranslation('device-detail')
  return (
    <Part
      title={t('part.software')}
      rows={[
        [t('software.os'), [device.os_name, device.os_version].filter(Boolean).join(' ')],
        [t('software.uid'), device.uid && <CopyId key="uid" value={device.uid} />],
        [t('software.version_code'), device.version_code],
        [t('software.ver'), device.ver],
        [t('software.service_version'), agentName(device)],
        [t('software.protocol_version'), device.protocol_version],
        [t('software.resolution'), device.resolution],
        [t('software.host'), device.host],
        [t('software.registration_code'), device.registration_code],
        [t('software.qrcode'), device.qrcode_kid && <CopyId key="qrcode" value={device.qrcode_kid} short={8} />],
      ]}
    />
  )
}

function ConnectionPart({ device }: { device: TerminalDetail }) {
  const { t } = useTranslation('device-detail')
  const { transport } = device
  const over = transport && t(`transport.${transport}`)
  return (
    <Part
      title={t('part.connection')}
      rows={[
        [t('connection.transport'), over],
        [t('connection.connected_at'), <DateTime key="since" at={device.is_online ? device.connected_at : null} />],
        [t('connection.last_contact_at'), <DateTime key="last" at={device.last_contact_at} />],
      ]}
    />
  )
}
