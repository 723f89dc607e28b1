import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { holds, pages } from '@mdm/contract'
import type { SoftwareRow, Where } from '@mdm/contract'
import { api } from '../../core/api.ts'
import { link } from '../../core/links.ts'
import { useSession } from '../../core/session.tsx'
import { appPushAddress } from '../push-task/public.ts'
import { ListPage } from '../../ui/list/ListPage.tsx'
import type { Column } from '../../ui/list/ListPage.tsx'
import type { RowAction } from '../../ui/list/RowActions.tsx'
import { useListTable } from '../../ui/list/use-list-table.ts'
import { StateBadge } from '../../ui/value/StateBadge.tsx'
import { useCount } from '../../ui/value/format.ts'
import { Clipped, Dash, OrDash } from '../../ui/value/values.tsx'

const whereOf = ({ package: name, version, version_code }: SoftwareRow): Where => ({
  all: [
    {
      field: 'app',
      op: version ? 'is_version' : 'is_installed',
      value: { package: name, ...(version && { version, ...(version_code !== null && { version_code }) }) },
    },
  ],
})

/** What is installed over the fleet: each version of each package, and on how many devices. */
export default function SoftwarePage() {
  const { t } = useTranslation(['software', 'common'])
  const list = useListTable(api.software.paging, {
    id: 'software-report',
    filters: { text: 'text', package: 'text', is_behind: 'boolean', is_managed: 'boolean' },
  })
  const rowActions = (row: SoftwareRow): RowAction[] => [
    { label: t('versions_of', { name: row.package }), onSelect: () => list.set({ package: row.package }) },
    ...(row.app_kid && row.is_behind
      ? [
          {
            needs: 'appCenterPush:push' as const,
            label: t('bring_up'),
            to: appPushAddress({
              apps: [{ app_kid: row.app_kid }],
              match: { where: whereOf(row) },
              said: `${row.name ?? row.package} ${row.version}`,
            }),
          },
        ]
      : []),
  ]
  return (
    <ListPage<SoftwareRow>
      list={list}
      page={pages.softwareReport}
      columns={useColumns()}
      rowActions={rowActions}
      nameOf={({ package: name, version }) => `${name} ${version}`}
      search={t('search')}
      filters={[
        {
          key: 'is_behind',
          kind: 'yes_no',
          label: t('column.behind'),
          yes: t('filter.behind'),
          no: t('filter.not_behind'),
        },
        { key: 'is_managed', kind: 'yes_no', label: t('column.app'), yes: t('filter.managed'), no: t('filter.other') },
      ]}
      empty={{ title: t('empty'), hint: t('empty_hint') }}
    />
  )
}

function useColumns(): Column<SoftwareRow>[] {
  const { t } = useTranslation(['software', 'common'])
  const count = useCount()
  const { permissions } = useSession()
  const may = (permission: string) => holds(permissions, permission)
  return [
    { key: 'package', title: t('column.package'), sorter: true, is_fixed: true, render: (_, row) => row.package },
    {
      key: 'is_behind',
      title: t('column.behind'),
      export: { labels: { true: t('filter.behind'), false: '' } },
      render: (_, { is_behind }) => (is_behind ? <StateBadge tone="warn">{t('filter.behind')}</StateBadge> : <Dash />),
    },
    {
      key: 'name',
      title: t('column.app'),
      render: (_, { app_kid, name }) =>
        app_kid && may('appCenterDetails') ? (
          <Link to={link.appCenterDetails.to({ kid: app_kid })}>
            <Clipped text={name} />
          </Link>
        ) : (
          name
        ),
    },
    {
      key: 'version',
      title: t('column.version'),
      render: (_, { version, version_code }) => (
        <>
          <OrDash>{version}</OrDash>
          {version_code !== null && <span className="dim"> ({version_code})</span>}
        </>
      ),
    },
    {
      key: 'devices',
      title: t('column.devices'),
      sorter: true,
      align: 'right',
      render: (_, row) =>
        may('deviceList') ? (
          <Link className="number" to={link.deviceList.to({ where: JSON.stringify(whereOf(row)) })}>
            {count(row.devices)}
          </Link>
        ) : (
          <span className="number">{count(row.devices)}</span>
        ),
    },
  ]
}
