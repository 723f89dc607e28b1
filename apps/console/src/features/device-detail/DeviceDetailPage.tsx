import { EditOutlined, MobileOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link, Outlet, useNavigate, useSearchParams } from 'react-router'
import { pushKinds } from '@mdm/contract'
import type { PageName, Permission, TerminalDetail } from '@mdm/contract'
import { api, useCall } from '../../core/api.ts'
import { CommandDialog } from '../../shared/device/commands/CommandDialog.tsx'
import { commandNeeds } from '../../shared/device/commands/names.ts'
import type { Command } from '../../shared/device/commands/names.ts'
import { PushMenu } from '../../shared/device/commands/PushMenu.tsx'
import { wizardAddress } from '../push-task/public.ts'
import { useTextOf } from '../../i18n/use-text-of.ts'
import { useInability } from '../../shared/device/inability.ts'
import { DisabledReason } from '../../ui/dialog/DisabledReason.tsx'
import { PresenceBadge } from '../../shared/device/DeviceParts.tsx'
import { RenameDrawer } from '../../shared/device/device-dialogs.tsx'
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
import { RenewDialog, renewNeeds, SecretNotice } from './info/RenewSecret.tsx'
import type { DeviceContext } from './use-device.ts'
import { link } from '../../core/links.ts'

/** Around every tab of a device: who it is, how it is, and what can be done with it. */
export default function DeviceDetailPage() {
  const { t } = useTranslation('device-detail')
  const [search] = useSearchParams()
  const kid = search.get('kid') ?? ''
  const may_read = useMay('deviceDetailInfo')
  const query = useCall(api.terminal.get, { kid }, { enabled: kid !== '' && may_read })
  const device = query.data
  const dialog = useDialog<Command | 'rename' | 'renew', TerminalDetail>(
    { ...commandNeeds, rename: 'deviceList:edit', renew: renewNeeds },
    device ? [device] : [],
  )
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
      actions={device && <Actions device={device} onOpen={(kind) => dialog.open(kind, device)} />}
      properties={may_read ? properties : []}
      tabs={tabs}
      loading={may_read && query.isPending}
      error={query.error}
      retry={query.refetch}
    >
      {device && <SecretNotice device={device} />}
      {device && <DeviceAlerts kid={kid} />}
      {device && <LatestPush kid={kid} />}
      <Outlet context={{ kid, device, is_loading: may_read && query.isPending } satisfies DeviceContext} />
      {opened?.kind === 'rename' && <RenameDrawer device={opened.row} onClose={close} />}
      {opened?.kind === 'renew' && <RenewDialog device={opened.row} onClose={close} />}
      {opened && opened.kind !== 'rename' && opened.kind !== 'renew' && (
        <CommandDialog command={opened.kind} targets={[opened.row]} onClose={close} />
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

/** What is asked of a device most often; the menu has them all. */
const buttons = ['find', 'lock', 'restart'] as const satisfies readonly Command[]
/** A command to a device that is offline waits for it, as the dialogs say; what its agent does not do is dimmed. */
function Actions({ device, onOpen }: { device: TerminalDetail; onOpen: (kind: Command | 'renew') => void }) {
  const { t } = useTranslation('device-detail')
  const textOf = useTextOf()
  const inability = useInability()
  const navigate = useNavigate()
  return (
    <>
      {buttons.map((command) => (
        <May key={command} needs={pushKinds[command].needs}>
          <DisabledReason because={inability([device], command)}>
            <Button onClick={() => onOpen(command)}>{textOf(pushKinds[command].action)}</Button>
          </DisabledReason>
        </May>
      ))}
      {!device.renewal_asked_at && (
        <May needs={renewNeeds}>
          <Button onClick={() => onOpen('renew')}>{t('secret.renew')}</Button>
        </May>
      )}
      <PushMenu
        devices={[device]}
        onOpen={onOpen}
        onWizard={(type) => void navigate(wizardAddress({ type, devices: [device] }))}
      />
    </>
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
