import { BarChartOutlined } from '@ant-design/icons'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { accountTypes } from '@mdm/contract'
import type { ContentReportRow } from '@mdm/contract'
import { api } from '../../core/api.ts'
import { SpaceUse } from '../../shared/accounts/cells.tsx'
import type { Filter } from '../../ui/list/filters.tsx'
import { useCount } from '../../ui/value/format.ts'
import { ListPage } from '../../ui/list/ListPage.tsx'
import type { Column } from '../../ui/list/ListPage.tsx'
import { PageHead } from '../../ui/PageHead.tsx'
import { useListTable } from '../../ui/list/use-list-table.ts'
import { Clipped, Dash } from '../../ui/value/values.tsx'
import { useMay } from '../../core/session.tsx'
import { Totals } from './Totals.tsx'
import './content-report.css'
import { link } from '../../core/links.ts'

/** What customers store and push, in total and one by one. */
export default function ContentReportPage() {
  const { t } = useTranslation('content-report')
  const list = useListTable(api.opsContentReport.paging, {
    id: 'content-report-list',
    filters: { text: 'text', from: 'text', to: 'text' },
  })
  const { from, to } = list.values
  const period: Filter = { key: 'from', until: 'to', kind: 'time', label: t('period') }
  return (
    <section className="list-page">
      <PageHead
        title={t('title')}
        icon={<BarChartOutlined aria-hidden />}
        count={list.query.isPending ? undefined : list.total}
        at_least={!list.total_is_exact}
      />
      <Totals from={from} to={to} />
      <ListPage
        is_part
        list={list}
        title={t('title')}
        columns={useColumns()}
        search={t('search')}
        filters={[period]}
        empty={{ title: t('empty'), hint: t('empty_hint') }}
      />
    </section>
  )
}

function useColumns(): Column<ContentReportRow>[] {
  const { t } = useTranslation(['content-report', 'accounts', 'common'])
  const count = useCount()
  const may_edit = useMay('mdmManageExternalUserManageEdit')
  const space = (title: string, used: keyof ContentReportRow, most: keyof ContentReportRow) => {
    const name = t('common:list.export_unit', { name: title, unit: 'B' })
    return [
      { key: used, title: name },
      { key: most, title: t('common:list.export_limit', { name }) },
    ]
  }
  const number = (value: number) => (value === 0 ? <Dash /> : <span className="number">{count(value)}</span>)
  return [
    {
      key: 'name',
      title: t('column.name'),
      sorter: true,
      is_fixed: true,
      render: (_, row) => (
        <Clipped text={row.name}>
          {may_edit ? <Link to={link.mdmManageExternalUserManageEdit.to({ kid: row.kid })}>{row.name}</Link> : row.name}
        </Clipped>
      ),
    },
    {
      key: 'type',
      title: t('accounts:column.type'),
      export: {
        labels: {
          [accountTypes.account]: t('accounts:type.account'),
          [accountTypes.sub_account]: t('accounts:type.sub_account'),
        },
      },
      render: (_, { type }) => t(`accounts:type.${type === accountTypes.account ? 'account' : 'sub_account'}`),
    },
    {
      key: 'file_count',
      title: t('column.files'),
      sorter: true,
      align: 'right',
      render: (_, row) => number(row.file_count),
    },
    {
      key: 'file_used',
      title: t('column.file_space'),
      sorter: true,
      export: space(t('column.file_space'), 'file_used', 'file_space'),
      render: (_, row) => (
        <SpaceUse label={t('file_space_of', { name: row.name })} used={row.file_used} space={row.file_space} />
      ),
    },
    { key: 'app_count', title: t('column.apps'), align: 'right', render: (_, row) => number(row.app_count) },
    {
      key: 'app_used',
      title: t('column.app_space'),
      sorter: true,
      export: space(t('column.app_space'), 'app_used', 'app_space'),
      render: (_, row) => (
        <SpaceUse label={t('app_space_of', { name: row.name })} used={row.app_used} space={row.app_space} />
      ),
    },
    { key: 'push_count', title: t('column.pushes'), align: 'right', render: (_, row) => number(row.push_count) },
    {
      key: 'download_count',
      title: t('column.downloads'),
      align: 'right',
      render: (_, row) => number(row.download_count),
    },
    {
      key: 'failed_count',
      title: t('column.failed'),
      align: 'right',
      render: (_, row) =>
        row.failed_count > 0 ? <span className="number report-failed">{count(row.failed_count)}</span> : <Dash />,
    },
  ]
}
