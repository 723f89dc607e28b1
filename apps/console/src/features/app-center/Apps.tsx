import { SendOutlined, TagsOutlined, UploadOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link, useNavigate } from 'react-router'
import { appStates, pushedAppLimits } from '@mdm/contract'
import type { App } from '@mdm/contract'
import { api, useCall } from '../../core/api.ts'
import { May, useMay } from '../../core/session.tsx'
import { SpaceUse } from '../../shared/accounts/cells.tsx'
import { appPushAddress } from '../push-task/public.ts'
import { AddButton } from '../../ui/list/AddButton.tsx'
import { DisabledReason } from '../../ui/dialog/DisabledReason.tsx'
import { useDialog } from '../../ui/dialog/use-dialog.ts'
import { useCount } from '../../ui/value/format.ts'
import type { Filter } from '../../ui/list/filters.tsx'
import { ListPage } from '../../ui/list/ListPage.tsx'
import type { Column } from '../../ui/list/ListPage.tsx'
import type { RowAction } from '../../ui/list/RowActions.tsx'
import { useListTable } from '../../ui/list/use-list-table.ts'
import { StateBadge } from '../../ui/value/StateBadge.tsx'
import { Bytes, Clipped, Dash, DateTime } from '../../ui/value/values.tsx'
import { AppIcon } from './AppIcon.tsx'
import { CategoriesDrawer } from './categories/CategoriesDrawer.tsx'
import { useCategories } from './categories/categories.ts'
import { DeleteApp, DelistApp, EnlistApp } from './dialogs.tsx'
import { appSides } from './sides.ts'
import type { AppSide, SideProps } from './sides.ts'
import './app-center.css'

export function Apps({ side }: SideProps) {
  const { t } = useTranslation(['app-center', 'common'])
  const navigate = useNavigate()
  const { calls, id, page, needs, links } = appSides[side]
  const list = useListTable(calls.paging, {
    id,
    filters: { text: 'text', category_kid: 'text', state: 'text', origin: 'text' },
  })
  const may_push = useMay('appCenterPush:push') && side === 'account'
  const dialog = useDialog(
    { category: needs.category, enlist: needs.publish, delist: needs.publish, delete: needs.delete },
    list.rows,
  )
  const [enlisted, delisted, deleting] = [dialog.of('enlist'), dialog.of('delist'), dialog.of('delete')]
  const rowActions = (app: App): RowAction[] => {
    const inherited = app.origin === 'inherited' ? t('why_not.inherited') : undefined
    return [
      ...(side === 'account' ? [pushAction(app)] : []),
      {
        needs: needs.add_version,
        icon: <UploadOutlined aria-hidden />,
        label: t('version.add_to', { name: app.name }),
        hint: t('version.add'),
        disabled_reason: inherited,
        to: links.add_version.to({ kid: app.kid }),
      },
      { needs: needs.edit, label: t('common:edit'), disabled_reason: inherited, to: links.edit.to({ kid: app.kid }) },
      app.state === 'listed'
        ? {
            needs: needs.publish,
            label: t('delist.action'),
            disabled_reason: inherited,
            onSelect: () => dialog.open('delist', app),
          }
        : {
            needs: needs.publish,
            label: t('enlist.action'),
            disabled_reason: inherited ?? (app.offered ? undefined : t('why_not.no_version')),
            onSelect: () => dialog.open('enlist', app),
          },
      {
        needs: needs.delete,
        label: t('common:delete'),
        danger: true,
        disabled_reason: inherited ?? (app.state === 'listed' ? t('why_not.listed') : undefined),
        onSelect: () => dialog.open('delete', app),
      },
    ]
  }
  const pushAction = (app: App): RowAction => ({
    needs: 'appCenterPush:push',
    icon: <SendOutlined aria-hidden />,
    label: t('push.app', { name: app.name }),
    hint: t('push.action'),
    disabled_reason: unpushable(app),
    to: appPushAddress({ apps: [{ app_kid: app.kid }] }),
  })
  const unpushable = (app: App) =>
    app.state === 'delisted'
      ? t('why_not.delisted')
      : !app.offered
        ? t('why_not.no_version')
        : app.offered.is_broken
          ? t('why_not.broken')
          : undefined
  const add = (
    <AddButton needs={needs.add} to={links.add.to()}>
      {t('add')}
    </AddButton>
  )
  return (
    <>
      <ListPage
        list={list}
        page={page}
        actions={
          <>
            {side === 'account' && <Space />}
            <May needs={needs.category}>
              <Button icon={<TagsOutlined aria-hidden />} onClick={() => dialog.open('category')}>
                {t('category.title')}
              </Button>
            </May>
          </>
        }
        columns={useColumns(side)}
        rowActions={rowActions}
        nameOf={({ name }) => name}
        bulk={
          may_push
            ? ({ selection }) => {
                const disabled_reason =
                  selection.rows.map(unpushable).find(Boolean) ??
                  (selection.kids.length > pushedAppLimits.apps
                    ? t('push.max', { max: pushedAppLimits.apps })
                    : undefined)
                return (
                  <DisabledReason disabled_reason={disabled_reason}>
                    <Button
                      size="small"
                      icon={<SendOutlined aria-hidden />}
                      disabled={disabled_reason !== undefined}
                      onClick={() =>
                        void navigate(appPushAddress({ apps: selection.kids.map((app_kid) => ({ app_kid })) }))
                      }
                    >
                      {t('push.action')}
                    </Button>
                  </DisabledReason>
                )
              }
            : undefined
        }
        search={t('search')}
        filters={useFilters(side)}
        primary={add}
        empty={{ title: t('empty'), hint: t('empty_hint'), action: add }}
      />
      {dialog.is('category') && <CategoriesDrawer side={side} onClose={dialog.close} />}
      {enlisted && <EnlistApp side={side} app={enlisted} onClose={dialog.close} />}
      {delisted && <DelistApp side={side} app={delisted} onClose={dialog.close} />}
      {deleting && <DeleteApp side={side} app={deleting} onClose={dialog.close} />}
    </>
  )
}

/** How much of what the account may store as apps is taken, uploads on their way included. */
function Space() {
  const { t } = useTranslation('app-center')
  const { data } = useCall(api.appCenter.get_space, {})
  return data && <SpaceUse label={t('column.space')} used={data.used + data.arriving} space={data.disk_space} />
}

function useFilters(side: AppSide): Filter[] {
  const { t } = useTranslation(['app-center', 'common'])
  const { options } = useCategories(side)
  const origin: Filter = {
    key: 'origin',
    kind: 'one',
    label: t('column.origin'),
    options: (['private', 'inherited'] as const).map((value) => ({ value, label: t(`origin.${value}`) })),
  }
  return [
    { key: 'category_kid', kind: 'one', label: t('column.category'), options },
    {
      key: 'state',
      kind: 'one',
      label: t('common:state'),
      options: appStates.map((value) => ({ value, label: t(`state.${value}`) })),
    },
    ...(side === 'account' ? [origin] : []),
  ]
}

export function AppStateBadge({ state }: Pick<App, 'state'>) {
  const { t } = useTranslation('app-center')
  return <StateBadge tone={state === 'listed' ? 'good' : 'quiet'}>{t(`state.${state}`)}</StateBadge>
}

function useColumns(side: AppSide): Column<App>[] {
  const { t } = useTranslation(['app-center', 'common'])
  const count = useCount()
  const { links, needs } = appSides[side]
  const { pathOf, options } = useCategories(side)
  const may_open = useMay(needs.details)
  const origin: Column<App> = {
    key: 'origin',
    title: t('column.origin'),
    export: { labels: { private: t('origin.private'), inherited: t('origin.inherited') } },
    render: (_, app) => <span className="dim">{t(`origin.${app.origin}`)}</span>,
  }
  return [
    {
      key: 'name',
      title: t('column.name'),
      sorter: true,
      is_fixed: true,
      render: (_, app) => (
        <span className="app-name">
          <AppIcon name={app.name} url={app.icon_url} />
          <Clipped text={app.name}>
            {may_open ? <Link to={links.details.to({ kid: app.kid })}>{app.name}</Link> : app.name}
          </Clipped>
        </span>
      ),
    },
    {
      key: 'state',
      title: t('common:state'),
      export: { labels: { listed: t('state.listed'), delisted: t('state.delisted') } },
      render: (_, app) => <AppStateBadge state={app.state} />,
    },
    {
      key: 'package',
      title: t('column.package'),
      render: (_, app) => (
        <span className="dim">
          <Clipped text={app.package} />
        </span>
      ),
    },
    {
      key: 'offered.version_name',
      title: t('column.offered'),
      render: (_, { offered }) =>
        offered ? (
          <>
            {offered.version_name} <span className="dim">({offered.version_code})</span>{' '}
            {offered.is_broken && <StateBadge tone="bad">{t('broken')}</StateBadge>}
          </>
        ) : (
          <Dash />
        ),
    },
    ...(side === 'account' ? [origin] : []),
    {
      key: 'category_kid',
      title: t('column.category'),
      export: { labels: Object.fromEntries(options.map(({ value, label }) => [value, label])) },
      render: (_, app) => pathOf(app.category_kid),
    },
    {
      key: 'download_count',
      title: t('column.downloads'),
      sorter: true,
      align: 'right',
      render: (_, app) => <span className="number">{count(app.download_count)}</span>,
    },
    {
      key: 'space_used',
      title: t('column.space'),
      sorter: true,
      align: 'right',
      export: { title: t('common:list.export_unit', { name: t('column.space'), unit: 'B' }) },
      render: (_, app) => <Bytes value={app.space_used} />,
    },
    {
      key: 'developer',
      title: t('form.developer'),
      is_hidden: true,
      render: (_, app) => app.developer,
    },
    {
      key: 'updated_at',
      title: t('common:updated_at'),
      sorter: true,
      render: (_, app) => <DateTime at={app.updated_at} />,
    },
  ]
}
