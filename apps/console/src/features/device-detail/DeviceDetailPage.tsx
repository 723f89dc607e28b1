import { EditOutlined, MobileOutlined } from '@ant-design/icons'
import { lazy, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, Outlet, useSearchParams } from 'react-router'
import type { PageName, Permission, TerminalDetail } from '@mdm/contract'
import { api, useCall } from '../../core/api.ts'
import { PresenceBadge } from '../../shared/device/DeviceParts.tsx'
import { useDialog } from '../../ui/dialog/use-dialog.ts'
import { DetailPage } from '../../ui/DetailPage.tsx'
import type { Property, Tab } from '../../ui/DetailPage.tsx'
import { Empty } from '../../ui/Empty.tsx'
import { Ago, CopyId, DateTime } from '../../ui/value/values.tsx'
import { May, useMay } from '../../core/session.tsx'
import '../../shared/device/device.css'
import './device-detail.css'
import { DeviceAlerts } from './info/DeviceAlerts.tsx'
import { LatestPush } from './info/LatestPush.tsx'
import { SecretNotice } from './info/RenewSecret.tsx'
import { DeviceActions } from './DeviceActions.tsx'
import { deviceDialogs } from './dialogs.ts'
import type { DeviceDialog } from './dialogs.ts'
import { LostPart } from './lost/LostPart.tsx'
import type { DeviceContext } from './use-device.ts'
import { link } from '../../core/links.ts'

// Forms are loaded when one is opened.
const DeviceDialogs = lazy(() => import('./DeviceDialogs.tsx').then((m) => ({ default: m.DeviceDialogs })))

/** Around every tab of a device: who it is, how it is, and what can be done with it. */
export default function DeviceDetailPage() {
  const { t } = useTranslation('device-detail')
  const [search] = useSearchParams()
  const kid = search.get('kid') ?? ''
  const may_read = useMay('deviceDetailInfo')
  const query = useCall(api.terminal.get, { kid }, { enabled: kid !== '' && may_read })
  const device = query.data
  const dialog = useDialog<DeviceDialog, TerminalDetail>(deviceDialogs, device ? [device] : [])
  const tabs = useTabs(kid)
  const properties = useProperties(device, () => device && dialog.open('rename', device))

  if (kid === '') {
    return (
      <Empty title={t('not_chosen')} hint={t('not_chosen_hint')}>
        <Link to={link.deviceList.to()}>{t('to_list')}</Link>
      </Empty>
    )
  }
  const { opened, close } = dialog
  return (
    <DetailPage
      key={kid}
      title={device ? device.name || device.sn : t('title')}
      icon={<MobileOutlined aria-hidden />}
      state={device && <DeviceState device={device} />}
      actions={device && <DeviceActions device={device} onOpen={(kind) => dialog.open(kind, device)} />}
      note={device && <LatestPush kid={kid} />}
      properties={may_read ? properties : []}
      tabs={tabs}
      loading={may_read && query.isPending}
      error={query.error}
      retry={query.refetch}
    >
      {device && <SecretNotice device={device} />}
      {device && <DeviceAlerts kid={kid} />}
      {device && may_read && <LostPart device={device} onOpen={(kind) => dialog.open(kind, device)} />}
      <Outlet context={{ kid, device, is_loading: may_read && query.isPending } satisfies DeviceContext} />
      {opened && (
        <Suspense>
          <DeviceDialogs kind={opened.kind} device={opened.row} onClose={close} />
        </Suspense>
      )}
    </DetailPage>
  )
}

/** Never a bare dot: the word, since when, the last contact and what it came over. */
function DeviceState({ device }: { device: TerminalDetail }) {
  const { t } = useTranslation(['device-detail', 'common'])
  const { is_online, connected_at, last_contact_at, last_online_at, transport } = device
  const contact_at = last_contact_at ?? last_online_at
  const over = transport && t(`transport.${transport}`)
  return (
    <span className="device-state">
      <PresenceBadge device={device} since={is_online ? connected_at : null} />
      <span className="dim device-contact">
        {contact_at ? (
          <>
            {over ? t('contact_via', { transport: over }) : t('contact')} <Ago at={contact_at} />
          </>
        ) : (
          t('never')
        )}
      </span>
    </span>
  )
}

type DeviceTab = Extract<PageName & Permission, `deviceDetail${string}`>

function useTabs(kid: string): Tab[] {
  const { t } = useTranslation('device-detail')
  const tab = (needs: DeviceTab, label: string): Tab => ({ label, to: link[needs].to({ kid }), needs })
  return [
    tab('deviceDetailInfo', t('tab.info')),
    tab('deviceDetailRun', t('tab.run')),
    tab('deviceDetailRemote', t('tab.remote')),
    tab('deviceDetailTask', t('tab.task')),
    tab('deviceDetailPushMessage', t('tab.message')),
    tab('deviceDetailConfig', t('tab.config')),
    tab('deviceDetailApp', t('tab.app')),
    tab('deviceDetailFileManager', t('tab.files')),
    tab('deviceDetailEvent', t('tab.event')),
    tab('deviceDetailLocation', t('tab.location')),
    tab('deviceDetailFsCapture', t('tab.capture')),
  ]
}

function useProperties(device: TerminalDetail | undefined, rename: () => void): Property[] {
  const { t } = useTranslation('device-detail')
  const may_list = useMay('deviceList')
  const group_name = device?.terminal_group_name ?? t('field.no_group')
  return [
    { label: t('field.sn'), value: device && <CopyId value={device.sn} /> },
    {
      label: t('field.alias'),
      value: device && (
        <span className="device-alias">
          {device.name || <span className="dim">–</span>}
          <May needs="deviceList:edit">
            <button
              type="button"
              className="icon-button"
              aria-label={t('action.rename')}
              title={t('action.rename')}
              onClick={rename}
            >
              <EditOutlined aria-hidden />
            </button>
          </May>
        </span>
      ),
    },
    { label: t('field.model'), value: device?.model },
    { label: t('field.os'), value: [device?.os_name, device?.os_version].filter(Boolean).join(' ') },
    {
      label: t('field.group'),
      value: may_list ? (
        <Link to={link.deviceList.to({ terminal_group_kid: device?.terminal_group_kid ?? 'NO_GROUP' })}>
          {group_name}
        </Link>
      ) : (
        group_name
      ),
    },
    { label: t('field.imei'), value: device?.imei && <CopyId value={device.imei} /> },
    { label: t('field.registered_at'), value: device && <DateTime at={device.registered_at} /> },
    { label: t('field.public_ip'), value: device?.public_ip && <CopyId value={device.public_ip} /> },
  ]
}
