import { KeyOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { lazy, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { canOsRelease, osReleaseStates, pages } from '@mdm/contract'
import type { OsReleaseState, OsVersionRow } from '@mdm/contract'
import { api } from '../../core/api.ts'
import { link } from '../../core/links.ts'
import { May } from '../../core/session.tsx'
import { useTextOf } from '../../i18n/use-text-of.ts'
import { AddButton } from '../../ui/list/AddButton.tsx'
import { useDialog } from '../../ui/dialog/use-dialog.ts'
import type { Filter } from '../../ui/list/filters.tsx'
import { ListPage } from '../../ui/list/ListPage.tsx'
import type { Column } from '../../ui/list/ListPage.tsx'
import type { RowAction } from '../../ui/list/RowActions.tsx'
import { useListTable } from '../../ui/list/use-list-table.ts'
import { StateBadge } from '../../ui/value/StateBadge.tsx'
import type { Tone } from '../../ui/value/StateBadge.tsx'
import { Code, CopyId, Count, DateTime, OrDash } from '../../ui/value/values.tsx'
import { DeleteVersion, TakeVersionOffline } from './dialogs.tsx'
import { stepAddress } from './steps/steps.tsx'

const KeysDrawer = lazy(() => import('./keys/KeysDrawer.tsx').then((m) => ({ default: m.KeysDrawer })))

export default function OsVersionsPage() {
  const { t } = useTranslation(['os-version', 'common'])
  const textOf = useTextOf()
  const list = useListTable(api.opsOsVersion.paging, {
    id: 'os-issue',
    filters: { text: 'text', state: 'text', type: 'text', is_own: 'boolean' },
  })
  const dialog = useDialog({ offline: 'osIssue:offline', delete: 'osIssue:delete', keys: 'osIssue:key' }, list.rows)
  const [offline, deleting] = [dialog.of('offline'), dialog.of('delete')]
  const rowActions = (row: OsVersionRow): RowAction[] => {
    const foreign = row.is_own ? undefined : t('why_not.foreign', { name: row.created_by })
    return [
      ...(canOsRelease(row.state, 'delete')
        ? [
            {
              needs: 'osIssueUploadOs' as const,
              label: t('action.continue'),
              disabled_reason: foreign,
              to: stepAddress(row.step, row.kid, false),
            },
          ]
        : []),
      {
        needs: 'osIssueIssueCreateOsEdit',
        label: t('common:edit'),
        disabled_reason: foreign,
        to: stepAddress('create', row.kid, true),
      },
      {
        needs: 'osIssueReleaseOsEdit',
        label: t('action.audience'),
        disabled_reason: foreign,
        to: stepAddress('release', row.kid, true),
      },
      {
        needs: 'osIssue:offline',
        label: t('offline.action'),
        disabled_reason: foreign ?? (canOsRelease(row.state, 'take_offline') ? undefined : t('why_not.not_out')),
        onSelect: () => dialog.open('offline', row),
      },
      {
        needs: 'osIssue:delete',
        label: t('common:delete'),
        danger: true,
        disabled_reason: foreign ?? (canOsRelease(row.state, 'delete') ? undefined : t('why_not.out')),
        onSelect: () => dialog.open('delete', row),
      },
    ]
  }
  const add = (
    <AddButton needs="osIssueIssueCreateOs" to={link.osIssueIssueCreateOs.to()}>
      {textOf(pages.osIssueIssueCreateOs.title)}
    </AddButton>
  )
  return (
    <>
      <ListPage<OsVersionRow>
        list={list}
        page={pages.osIssue}
        actions={
          <May needs="osIssue:key">
            <Button icon={<KeyOutlined aria-hidden />} onClick={() => dialog.open('keys')}>
              {t('keys.title')}
            </Button>
          </May>
        }
        columns={useColumns()}
        filters={useFilters()}
        rowActions={rowActions}
        nameOf={({ os_version, ver }) => `${os_version} (VER ${ver})`}
        search={t('search')}
        primary={add}
        empty={{ title: t('empty'), hint: t('empty_hint'), action: add }}
      />
      {offline && <TakeVersionOffline version={offline} onClose={dialog.close} />}
      {deleting && <DeleteVersion version={deleting} onClose={dialog.close} />}
      {dialog.is('keys') && (
        <Suspense>
          <KeysDrawer onClose={dialog.close} />
        </Suspense>
      )}
    </>
  )
}

const tones: Record<OsReleaseState, Tone> = {
  draft: 'quiet',
  pre_released: 'accent',
  launched: 'good',
  offline: 'warn',
}
export function OsStateBadge({ state }: { state: OsReleaseState }) {
  const { t } = useTranslation('os-version')
  return <StateBadge tone={tones[state]}>{t(`state.${state}`)}</StateBadge>
}

function useFilters(): Filter[] {
  const { t } = useTranslation(['os-version', 'common'])
  return [
    {
      key: 'state',
      kind: 'one',
      label: t('common:state'),
      options: osReleaseStates.map((value) => ({ value, label: t(`state.${value}`) })),
    },
    {
      key: 'type',
      kind: 'one',
      label: t('column.type'),
      options: (['standard', 'custom'] as const).map((value) => ({ value, label: t(`type.${value}`) })),
    },
    { key: 'is_own', kind: 'yes_no', label: t('column.publisher'), yes: t('own.yes'), no: t('own.no') },
  ]
}

function useColumns(): Column<OsVersionRow>[] {
  const { t } = useTranslation(['os-version', 'common'])
  return [
    {
      key: 'os_version',
      title: t('field.os_version'),
      is_fixed: true,
      render: (_, row) => (
        <Link to={link.osIssueOsDetail.to({ kid: row.kid })}>
          <Code value={row.os_version} />
        </Link>
      ),
    },
    {
      key: 'state',
      title: t('common:state'),
      export: { labels: t('state', { returnObjects: true }) },
      render: (_, row) => <OsStateBadge state={row.state} />,
    },
    { key: 'uid_code', title: t('field.uid'), render: (_, row) => <CopyId value={row.uid_code} /> },
    { key: 'ver', title: t('field.ver'), sorter: true, align: 'right', dataIndex: 'ver' },
    { key: 'version_code', title: t('field.version_code'), align: 'right', dataIndex: 'version_code' },
    { key: 'uid_name', title: t('column.uid_name'), dataIndex: 'uid_name' },
    {
      key: 'type',
      title: t('column.type'),
      export: { labels: { standard: t('type.standard'), custom: t('type.custom') } },
      render: (_, row) => t(`type.${row.type}`),
    },
    {
      key: 'package_count',
      title: t('column.packages'),
      align: 'right',
      render: (_, { package_count }) => <Count value={package_count} />,
    },
    { key: 'created_by', title: t('column.publisher'), dataIndex: 'created_by' },
    {
      key: 'released_at',
      title: t('column.released_at'),
      sorter: true,
      render: (_, row) => <OrDash>{row.released_at && <DateTime at={row.released_at} />}</OrDash>,
    },
    {
      key: 'updated_at',
      title: t('common:updated_at'),
      sorter: true,
      render: (_, row) => <DateTime at={row.updated_at} />,
    },
    {
      key: 'created_at',
      title: t('common:created_at'),
      sorter: true,
      is_hidden: true,
      render: (_, row) => <DateTime at={row.created_at} />,
    },
  ]
}
