import { DeleteOutlined, DownloadOutlined, EditOutlined, SendOutlined, UploadOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useNavigate, useSearchParams } from 'react-router'
import type { AppDetails, AppVersion, Permission } from '@mdm/contract'
import { listText } from '../../i18n/list-text.ts'
import { useCall, useWrite } from '../../core/api.ts'
import { startDownload } from '../../core/start-download.ts'
import { may, May } from '../../core/session.tsx'
import { DetailPage } from '../../ui/DetailPage.tsx'
import type { Property } from '../../ui/DetailPage.tsx'
import { link } from '../../core/links.ts'
import { useRequiredOn } from '../app-requirement/public.ts'
import { appPushAddress } from '../push-task/public.ts'
import { DisabledReason } from '../../ui/dialog/DisabledReason.tsx'
import { useDialog } from '../../ui/dialog/use-dialog.ts'
import { ListPage } from '../../ui/list/ListPage.tsx'
import type { Column } from '../../ui/list/ListPage.tsx'
import type { RowAction } from '../../ui/list/RowActions.tsx'
import { useListTable } from '../../ui/list/use-list-table.ts'
import { useCount } from '../../ui/value/format.ts'
import { StateBadge } from '../../ui/value/StateBadge.tsx'
import { Bytes, CopyId, DateTime } from '../../ui/value/values.tsx'
import { AppIcon } from './AppIcon.tsx'
import { AppStateBadge } from './Apps.tsx'
import { useCategories } from './categories/categories.ts'
import { DeleteApp, DeleteVersion, DelistApp, EnlistApp, OfferVersion } from './dialogs.tsx'
import { asked, Installed, installedMatch } from './Installed.tsx'
import { AppPermissions } from './permissions/AppPermissions.tsx'
import { appSides } from './sides.ts'
import type { AppSide, SideProps } from './sides.ts'
import './app-center.css'

export function AppView({ side }: SideProps) {
  const { t } = useTranslation(['app-center', 'common'])
  const [search] = useSearchParams()
  const kid = search.get('kid') ?? ''
  const query = useCall(appSides[side].calls.get, { kid })
  const app = query.data
  return (
    <DetailPage
      title={app?.name ?? t('app')}
      icon={app && <AppIcon name={app.name} url={app.icon_url} is_large />}
      state={app && <AppStateBadge state={app.state} />}
      actions={app && <Actions side={side} app={app} />}
      properties={useProperties(side, app)}
      loading={query.isPending}
      error={query.error}
      retry={query.refetch}
    >
      {app && (
        <>
          {app.intro && <p className="app-intro">{app.intro}</p>}
          {app.screenshots.length > 0 && (
            <ul className="app-screenshots" aria-label={t('form.screenshots')}>
              {app.screenshots.map(({ kid: picture, url }, at) => (
                <li key={picture}>
                  <a href={url} target="_blank" rel="noreferrer">
                    <img src={url} loading="lazy" alt={t('picture.of', { label: app.name, number: at + 1 })} />
                  </a>
                </li>
              ))}
            </ul>
          )}
          <div className="in-order">
            <Installed side={side} app={app} />
            <Versions side={side} app={app} />
            {side === 'account' && <AppPermissions app={app} />}
          </div>
        </>
      )}
    </DetailPage>
  )
}

function useProperties(side: AppSide, app: AppDetails | undefined): Property[] {
  const { t } = useTranslation(['app-center', 'app-requirement', 'common'])
  const count = useCount()
  const { rules: required } = useRequiredOn(side === 'account' ? app?.kid : undefined)
  const { pathOf } = useCategories(side)
  const { links } = appSides[side]
  const linksTo = (apps: AppDetails['dependencies'] = []): ReactNode =>
    apps.length > 0 && (
      <span className="app-links">
        {apps.map((each) => (
          <Link key={each.kid} to={links.details.to({ kid: each.kid })}>
            {each.name}
          </Link>
        ))}
      </span>
    )
  const yes = (is: boolean | undefined) => is !== undefined && t(is ? 'common:yes' : 'common:no')
  return [
    { label: t('column.package'), value: app && <CopyId value={app.package} /> },
    { label: t('column.offered'), value: app?.offered && `${app.offered.version_name} (${app.offered.version_code})` },
    { label: t('form.developer'), value: app?.developer },
    { label: t('column.category'), value: pathOf(app?.category_kid ?? null) },
    ...(side === 'account' ? [{ label: t('column.origin'), value: app && t(`origin.${app.origin}`) }] : []),
    { label: t('form.system_signed'), value: yes(app?.is_system_signed) },
    { label: t('column.downloads'), value: app && count(app.download_count) },
    { label: t('column.space'), value: app && <Bytes value={app.space_used} /> },
    ...(required.length > 0
      ? [
          {
            label: t('app-requirement:required_on.title'),
            value: <Link to={link.appRequiredList.to({})}>{listText(required.map(({ words }) => words))}</Link>,
          },
        ]
      : []),
    { label: t('form.dependencies'), value: linksTo(app?.dependencies) || null },
    { label: t('form.needed_by'), value: linksTo(app?.needed_by) || null },
  ]
}

function Actions({ side, app }: { side: AppSide; app: AppDetails }) {
  const { t } = useTranslation(['app-center', 'common'])
  const navigate = useNavigate()
  const { needs, links } = appSides[side]
  const { kid } = app
  const dialog = useDialog({ enlist: needs.publish, delist: needs.publish, delete: needs.delete }, [])
  const inherited = app.origin === 'inherited' ? t('why_not.inherited') : undefined
  const act = (
    needed: Permission,
    disabled_reason: string | undefined,
    icon: ReactNode,
    label: string,
    run: () => void,
  ) => (
    <May needs={needed}>
      <DisabledReason disabled_reason={disabled_reason}>
        <Button icon={icon} disabled={disabled_reason !== undefined} onClick={run}>
          {label}
        </Button>
      </DisabledReason>
    </May>
  )
  const is_listed = app.state === 'listed'
  const no_version = app.offered ? undefined : t('why_not.no_version')
  const broken = app.offered?.is_broken ? t('why_not.broken') : undefined
  const delisted = is_listed ? undefined : t('why_not.delisted')
  return (
    <>
      {side === 'account' && (
        <>
          {act(
            'appCenterPush:push',
            delisted ?? no_version ?? broken,
            <SendOutlined aria-hidden />,
            t('push.action'),
            () => void navigate(appPushAddress({ apps: [{ app_kid: kid }] })),
          )}
          {act(
            'appCenterPush:uninstall',
            undefined,
            null,
            t('push.uninstall'),
            () => void navigate(appPushAddress({ uninstalls: [app.package], match: installedMatch(app.package) })),
          )}
        </>
      )}
      {act(
        needs.add_version,
        inherited,
        <UploadOutlined aria-hidden />,
        t('version.add'),
        () => void navigate(links.add_version.to({ kid })),
      )}
      {is_listed
        ? act(needs.publish, inherited, null, t('delist.action'), () => dialog.open('delist'))
        : act(needs.publish, inherited ?? no_version, null, t('enlist.action'), () => dialog.open('enlist'))}
      {act(
        needs.edit,
        inherited,
        <EditOutlined aria-hidden />,
        t('common:edit'),
        () => void navigate(links.edit.to({ kid })),
      )}
      {act(
        needs.delete,
        inherited ?? (is_listed ? t('why_not.listed') : undefined),
        <DeleteOutlined aria-hidden />,
        t('common:delete'),
        () => dialog.open('delete'),
      )}
      {dialog.is('enlist') && <EnlistApp side={side} app={app} onClose={dialog.close} />}
      {dialog.is('delist') && <DelistApp side={side} app={app} onClose={dialog.close} />}
      {dialog.is('delete') && (
        <DeleteApp
          side={side}
          app={app}
          onClose={dialog.close}
          leave={() => navigate(links.list.to(), { replace: true })}
        />
      )}
    </>
  )
}

function Versions({ side, app }: { side: AppSide; app: AppDetails }) {
  const { t } = useTranslation(['app-center', 'common'])
  const { calls, needs, links } = appSides[side]
  const list = useListTable(calls.paging_version, {
    id: 'app-version',
    filters: {},
    fixed: { app_kid: app.kid },
  })
  const rows = list.rows as AppVersion[]
  const dialog = useDialog({ offer: needs.edit_version, remove: needs.delete }, rows)
  const [offered, deleting] = [dialog.of('offer'), dialog.of('remove')]
  const download = useWrite(calls.download_version, { onSuccess: startDownload })
  /** An older version is for the devices that have a higher one. */
  const push = ({ kid, version_name, version_code, is_offered, is_broken }: AppVersion): RowAction => {
    const is_back = !is_offered && version_code < (app.offered?.version_code ?? 0)
    const match = installedMatch(app.package, 'is_at_least', asked({ version_name, version_code }))
    return {
      needs: 'appCenterPush:push',
      label: t(is_back ? 'push.back' : 'push.version'),
      disabled_reason: app.state === 'delisted' ? t('why_not.delisted') : is_broken ? t('why_not.broken') : undefined,
      to: appPushAddress({
        apps: [{ app_kid: app.kid, ...(!is_offered && { version_kid: kid }) }],
        ...(is_back && { may_downgrade: true, match, said: t('push.said', { name: app.name, version: version_name }) }),
      }),
    }
  }
  const rowActions = (version: AppVersion): RowAction[] => {
    const name = version.version_name
    const inherited = app.origin === 'inherited' ? t('why_not.inherited') : undefined
    const offered_listed = version.is_offered && app.state === 'listed' ? t('why_not.offered') : undefined
    return [
      {
        needs: needs.details,
        icon: <DownloadOutlined aria-hidden />,
        label: t('version.download', { version: name }),
        hint: t('version.download_short'),
        onSelect: () => void download.run({ kid: version.kid }),
      },
      ...(side === 'account' ? [push(version)] : []),
      {
        needs: needs.edit_version,
        label: t('offer.action'),
        disabled_reason: inherited ?? (version.is_offered ? t('why_not.is_offered') : undefined),
        onSelect: () => dialog.open('offer', version),
      },
      {
        needs: needs.edit_version,
        label: t('common:edit'),
        disabled_reason: inherited,
        to: links.edit_version.to({ kid: version.kid }),
      },
      {
        needs: needs.delete,
        label: t('common:delete'),
        danger: true,
        disabled_reason: inherited ?? offered_listed,
        onSelect: () => dialog.open('remove', version),
      },
    ]
  }
  return (
    <div className="app-part">
      <h2>{t('version.title')}</h2>
      <ListPage<AppVersion>
        is_part
        list={list as never}
        title={t('version.title')}
        columns={useVersionColumns()}
        rowActions={may(needs.details) ? rowActions : undefined}
        nameOf={({ version_name }) => version_name}
        empty={{ title: t('version.empty') }}
      />
      {offered && <OfferVersion side={side} version={offered} onClose={dialog.close} />}
      {deleting && <DeleteVersion side={side} version={deleting} onClose={dialog.close} />}
    </div>
  )
}

function useVersionColumns(): Column<AppVersion>[] {
  const { t } = useTranslation(['app-center', 'common'])
  return [
    {
      key: 'version_code',
      title: t('column.version'),
      sorter: true,
      is_fixed: true,
      render: (_, version) => (
        <>
          {version.version_name} <span className="dim">({version.version_code})</span>{' '}
          {version.is_offered && <StateBadge tone="accent">{t('version.offered')}</StateBadge>}{' '}
          {version.is_broken && <StateBadge tone="bad">{t('broken')}</StateBadge>}
        </>
      ),
    },
    {
      key: 'size',
      title: t('column.size'),
      sorter: true,
      align: 'right',
      render: (_, { size }) => <Bytes value={size} />,
    },
    {
      key: 'min_sdk',
      title: t('column.sdk'),
      render: (_, { min_sdk, target_sdk }) => `${min_sdk ?? '–'} / ${target_sdk ?? '–'}`,
    },
    {
      key: 'abis',
      title: t('fact.abis'),
      render: (_, { abis }) => (abis.length > 0 ? listText(abis) : t('fact.any_abi')),
    },
    {
      key: 'signers',
      title: t('fact.signers'),
      render: (_, { signers }) => signers.map((signer) => <CopyId key={signer} value={signer} short={8} />),
    },
    { key: 'sha256', title: t('column.sha256'), render: (_, { sha256 }) => <CopyId value={sha256} short={8} /> },
    { key: 'md5', title: t('column.md5'), is_hidden: true, render: (_, { md5 }) => <CopyId value={md5} short={8} /> },
    {
      key: 'notes',
      title: t('fact.notes'),
      render: (_, { notes }) => (
        <span className="app-notes" title={notes}>
          {notes}
        </span>
      ),
    },
    { key: 'created_by', title: t('column.created_by'), is_hidden: true, dataIndex: 'created_by' },
    {
      key: 'created_at',
      title: t('common:created_at'),
      sorter: true,
      render: (_, version) => <DateTime at={version.created_at} />,
    },
  ]
}
