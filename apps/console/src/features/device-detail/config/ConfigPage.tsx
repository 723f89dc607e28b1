import { Skeleton } from 'antd'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import type { Out } from '@mdm/contract'
import { ltscopes } from '@mdm/contract'
import { api, useCall } from '../../../core/api.ts'
import { Failure } from '../../../ui/Failure.tsx'
import { StateBadge } from '../../../ui/value/StateBadge.tsx'
import { Ago } from '../../../ui/value/values.tsx'
import { ConfigSections, Versions } from '../../configure/public.ts'
import { AddressTabs } from '../../../ui/AddressTabs.tsx'
import { DeviceConfigActs } from './DeviceConfigActs.tsx'
import { useDevice } from '../use-device.ts'
import '../files/device-files.css'

type Current = Out<typeof api.terminalConfig.current_config>

const tabs = ['sections', 'versions'] as const

/** What holds for the device, where it comes from, and whether the device goes by it already. */
export default function ConfigPage() {
  const { t } = useTranslation('configure/edit')
  const [search] = useSearchParams()
  const tab = tabs.find((each) => each === search.get('tab')) ?? 'sections'
  const { kid, device } = useDevice()
  const query = useCall(
    api.terminalConfig.current_config,
    { ltscope: ltscopes.terminal, terminal_kid: kid },
    { enabled: kid !== '' },
  )
  const { data } = query
  if (query.isPending) return <Skeleton active title={false} paragraph={{ rows: 12 }} />
  if (query.error) return <Failure error={query.error} retry={query.refetch} />
  return (
    <>
      {data?.delivery && <Delivery of={data.delivery} is_online={device?.is_online ?? true} />}
      <AddressTabs
        label={t('tabs')}
        keeps={['kid']}
        tabs={tabs.map((value) => ({ value, label: t(`level_tab.${value}`) }))}
      />
      {tab === 'versions' ? (
        <Versions fixed={{ ltscope: ltscopes.terminal, terminal_kid: kid }} />
      ) : (
        <>
          <DeviceConfigActs kid={kid} name={device?.name || device?.sn || ''} current={data as never} />
          <ConfigSections current={data as never} edit="deviceDetailConfig:edit" />
        </>
      )}
    </>
  )
}

const tones = {
  not_connected: 'quiet',
  waiting: 'waiting',
  received: 'accent',
  applied: 'good',
  failed: 'warn',
} as const

function Delivery({ of, is_online }: { of: NonNullable<Current['delivery']>; is_online: boolean }) {
  const { t } = useTranslation('configure')
  const { state, version_held, version_wanted, sent_at } = of
  const version = (number: number) => (number === 0 ? t('delivery.preset') : t('delivery.version', { version: number }))
  const is_without = state === 'not_connected' || state === 'waiting'
  return (
    <p className="config-delivery" role="status">
      <span className="dim">{t('delivery.label')}</span>
      <StateBadge tone={tones[state]}>{t(`delivery.state.${state}`)}</StateBadge>
      {version_held !== null && <span>{version(version_held)}</span>}
      {is_without && (
        <span className="dim">
          {version_wanted === null ? t('delivery.working') : t('delivery.wanted', { version: version(version_wanted) })}
        </span>
      )}
      {is_without && sent_at && (
        <span className="dim">
          {t('delivery.sent')} <Ago at={sent_at} />
        </span>
      )}
      <span className="dim">{t(`delivery.hint.${state === 'waiting' && !is_online ? 'offline' : state}`)}</span>
    </p>
  )
}
