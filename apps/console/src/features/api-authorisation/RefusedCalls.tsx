import type { ReactNode } from 'react'
import { Input } from 'antd'
import { useTranslation } from 'react-i18next'
import { apiRefusalReasons, pages } from '@mdm/contract'
import type { ApiRefusedRow } from '@mdm/contract'
import { api } from '../../core/api.ts'
import { ListPage } from '../../ui/list/ListPage.tsx'
import type { Column } from '../../ui/list/ListPage.tsx'
import { useListTable } from '../../ui/list/use-list-table.ts'
import { useCount } from '../../ui/value/format.ts'
import { Clipped, Code, CopyId, DateTime } from '../../ui/value/values.tsx'

/** What apps tried on devices and were not allowed to. */
export function RefusedCalls({ choice }: { choice: ReactNode }) {
  const { t } = useTranslation('api-authorisation')
  const list = useListTable(api.opsOsMdmApi.paging_refused, {
    id: 'os-mdm-api-refused',
    filters: { text: 'text', package: 'text', reason: 'text', from: 'text', to: 'text' },
  })
  return (
    <ListPage<ApiRefusedRow>
      list={list as never}
      page={pages.osMdmApiList}
      actions={choice}
      columns={useColumns()}
      search={t('refused.search')}
      nameOf={({ sn }) => sn}
      filters={[
        {
          key: 'package',
          kind: 'own',
          label: t('package'),
          shown: list.values.package,
          editor: (choose) => (
            <Input.Search
              autoFocus
              size="small"
              maxLength={100}
              defaultValue={list.values.package}
              aria-label={t('package')}
              placeholder="com.acme.till"
              onSearch={(name) => name.trim() && choose(name.trim())}
            />
          ),
        },
        {
          key: 'reason',
          kind: 'one',
          label: t('refused.reason'),
          options: apiRefusalReasons.map((value) => ({ value, label: t(`reason.${value}`) })),
        },
        { key: 'from', until: 'to', kind: 'time', label: t('refused.at') },
      ]}
      empty={{ title: t('refused.empty'), hint: t('refused.empty_hint') }}
    />
  )
}

function useColumns(): Column<ApiRefusedRow>[] {
  const { t } = useTranslation('api-authorisation')
  const count = useCount()
  return [
    { key: 'at', title: t('refused.at'), sorter: true, is_fixed: true, render: (_, { at }) => <DateTime at={at} /> },
    { key: 'sn', title: t('refused.device'), render: (_, { sn }) => <Code value={sn} /> },
    { key: 'account_name', title: t('refused.account'), dataIndex: 'account_name' },
    { key: 'package', title: t('package'), render: (_, row) => <Clipped text={row.package} /> },
    { key: 'method', title: t('refused.method'), render: (_, { method }) => <Code value={method} /> },
    {
      key: 'reason',
      title: t('refused.reason'),
      export: { labels: Object.fromEntries(apiRefusalReasons.map((one) => [one, t(`reason.${one}`)])) },
      render: (_, { reason }) => t(`reason.${reason}`),
    },
    {
      key: 'cert_sha1',
      title: t('cert_sha1'),
      render: (_, { cert_sha1 }) => cert_sha1 && <CopyId value={cert_sha1} short={12} />,
    },
    { key: 'count', title: t('refused.count'), align: 'right', render: (_, row) => count(row.count) },
  ]
}
