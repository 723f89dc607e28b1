import { DeleteOutlined, SafetyOutlined, SendOutlined } from '@ant-design/icons'
import { Input, Skeleton } from 'antd'
import type { RowAction } from '../../../ui/list/RowActions.tsx'
import { ListTable } from '../../../ui/list/ListTable.tsx'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import type { DeviceApp } from '@mdm/contract'
import { useSearch, withParams } from '../../../core/address.ts'
import { api, useCall } from '../../../core/api.ts'
import { May } from '../../../core/session.tsx'
import { appPushAddress } from '../../push-task/public.ts'
import { useCount } from '../../../ui/value/format.ts'
import { Empty } from '../../../ui/Empty.tsx'
import { useDialog } from '../../../ui/dialog/use-dialog.ts'
import { Refresh } from '../../../ui/list/ListTools.tsx'
import { Bytes } from '../../../ui/value/values.tsx'
import { AppPermissions, UninstallApp } from './app-dialogs.tsx'
import { RequiredApps } from './RequiredApps.tsx'
import { visibleName } from '../files/device-names.ts'
import { LastReport, NotReported } from '../info/LastReport.tsx'
import { useDevice } from '../use-device.ts'
import '../files/device-files.css'

const appDialogs = {
  app_permissions: 'deviceDetailApp:permission',
  app_uninstall: 'deviceDetailApp:uninstall',
} as const

export default function AppPage() {
  const { kid, device } = useDevice()
  // What a device says and what it last said are two answers.
  return <Apps key={`${kid} ${device?.is_online ?? ''}`} kid={kid} device={device} />
}

type Of = { kid: string; device: ReturnType<typeof useDevice>['device'] }
function Apps({ kid, device }: Of) {
  const { t } = useTranslation('device-detail/files')
  const count = useCount()
  const [search, setSearch] = useSearch()
  const text = search.get('text') ?? ''
  const query = useCall(api.terminalApp.list, { terminal_kid: kid }, { enabled: kid !== '' })
  const all = query.data?.items ?? []
  const is_offline = Boolean(query.data?.reported_at)
  const wanted = text.trim().toLowerCase()
  const rows = all.filter((app) => `${app.title} ${app.package}`.toLowerCase().includes(wanted))
  const dialog = useDialog(appDialogs, is_offline ? [] : all.map((each) => ({ kid: each.package })))
  // As the device says now: what is allowed changes while it is open.
  const app = dialog.opened && all.find((each) => each.package === dialog.opened?.row.kid)
  const find = (next: string) => setSearch((before) => withParams(before, { text: next || null }), { replace: true })
  return (
    <section aria-label={t('app.title')}>
      <div className="list-tools" role="toolbar" aria-label={t('app.title')}>
        <Refresh query={query} />
        <Input.Search
          className="device-app-search"
          allowClear
          aria-label={t('app.search')}
          placeholder={t('app.search')}
          value={text}
          onChange={(event) => find(event.target.value)}
        />
        <May needs="appCenterPush:push">
          <Link
            className="ant-btn ant-btn-default"
            to={appPushAddress({ devices: device ? [{ kid, sn: device.sn, name: device.name }] : [] })}
          >
            <SendOutlined aria-hidden /> {t('app.push')}
          </Link>
        </May>
        {query.data && <span className="dim">{t('app.count', { count: rows.length, shown: count(rows.length) })}</span>}
      </div>
      <LastReport at={query.data?.reported_at} />
      {device && query.data && <RequiredApps device={device} apps={all} />}
      {query.isPending && <Skeleton active title={false} paragraph={{ rows: 6 }} />}
      {query.error && <NotReported error={query.error} retry={query.refetch} is_line={all.length > 0} />}
      {query.data && rows.length === 0 && <Empty title={t(all.length > 0 ? 'app.search_none' : 'app.empty')} />}
      {rows.length > 0 && (
        <AppTable rows={rows} is_offline={is_offline} onOpen={(row, what) => dialog.open(what, { kid: row.package })} />
      )}
      {app && dialog.of('app_permissions') && <AppPermissions terminal_kid={kid} app={app} onClose={dialog.close} />}
      {app && dialog.of('app_uninstall') && <UninstallApp terminal_kid={kid} app={app} onClose={dialog.close} />}
    </section>
  )
}

const titleOf = (app: DeviceApp): string => visibleName(app.title || app.package)

type TableProps = {
  rows: readonly DeviceApp[]
  is_offline: boolean
  onOpen: (app: DeviceApp, what: keyof typeof appDialogs) => void
}
function AppTable({ rows, is_offline, onOpen }: TableProps) {
  const { t } = useTranslation('device-detail/files')
  const actionsOf = (app: DeviceApp): RowAction[] => {
    const name = titleOf(app)
    const offline = is_offline ? t('offline') : undefined
    return [
      {
        needs: appDialogs.app_permissions,
        icon: <SafetyOutlined aria-hidden />,
        label: t('app.permissions_of', { name }),
        hint: t('app.permissions'),
        disabled_reason: offline ?? (app.permissions.length === 0 ? t('app.no_permissions') : undefined),
        onSelect: () => onOpen(app, 'app_permissions'),
      },
      {
        needs: appDialogs.app_uninstall,
        icon: <DeleteOutlined aria-hidden />,
        label: t('app.uninstall_of', { name }),
        hint: t('app.uninstall'),
        disabled_reason: offline ?? (app.is_system ? t('app.system_why') : undefined),
        onSelect: () => onOpen(app, 'app_uninstall'),
      },
    ]
  }
  return (
    <ListTable<DeviceApp>
      rowKey="package"
      page_size={100}
      rows={rows.toSorted((a, b) => titleOf(a).localeCompare(titleOf(b)))}
      columns={[
        {
          key: 'title',
          title: t('app.name'),
          render: (_, app) => (
            <span className="device-file-name">
              <bdi>{titleOf(app)}</bdi> {app.is_system && <span className="dim">{t('app.system')}</span>}
            </span>
          ),
        },
        {
          key: 'package',
          title: t('app.package'),
          render: (_, app) => (
            <span className="device-file-name dim">
              <bdi>{visibleName(app.package)}</bdi>
            </span>
          ),
        },
        { key: 'version', title: t('app.version'), render: (_, app) => visibleName(app.version) },
        { key: 'size', title: t('app.size'), align: 'right', render: (_, app) => <Bytes value={app.size} /> },
        { key: 'permissions', title: t('app.permissions'), render: (_, app) => <Permissions app={app} /> },
      ]}
      nameOf={titleOf}
      rowActions={actionsOf}
    />
  )
}

function Permissions({ app }: { app: DeviceApp }) {
  const { t } = useTranslation('device-detail/files')
  const of = (state: string) => app.permissions.filter((each) => each.state === state).length
  if (app.permissions.length === 0) return <span className="dim">{t('app.no_permissions')}</span>
  const [allow, deny] = [of('allow'), of('deny')]
  return allow + deny === 0 ? <span className="dim">{t('app.all_default')}</span> : t('app.changed', { allow, deny })
}
