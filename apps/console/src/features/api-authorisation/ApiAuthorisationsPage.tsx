import { useTranslation } from 'react-i18next'
import { pages } from '@mdm/contract'
import type { ApiAuthorisationRow } from '@mdm/contract'
import { api } from '../../core/api.ts'
import { link } from '../../core/links.ts'
import { useTextOf } from '../../i18n/use-text-of.ts'
import { ConfirmWrite } from '../../ui/dialog/ConfirmWrite.tsx'
import { useDialog } from '../../ui/dialog/use-dialog.ts'
import { AddButton } from '../../ui/list/AddButton.tsx'
import { ListPage } from '../../ui/list/ListPage.tsx'
import type { Column } from '../../ui/list/ListPage.tsx'
import { useListTable } from '../../ui/list/use-list-table.ts'
import { useView, ViewChoice } from '../../ui/list/ViewChoice.tsx'
import { useCount } from '../../ui/value/format.ts'
import { CopyId, DateTime } from '../../ui/value/values.tsx'
import { Link } from 'react-router'
import { UidFilter } from './UidsSelect.tsx'
import { RefusedCalls } from './RefusedCalls.tsx'
import './api-authorisation.css'

/** Which apps may call what of devices, and what devices refused. */
export default function ApiAuthorisationsPage() {
  const { t } = useTranslation('api-authorisation')
  const choice = (
    <ViewChoice
      label={t('view.label')}
      views={[
        { value: 'apps', label: t('view.apps') },
        { value: 'refused', label: t('view.refused') },
      ]}
    />
  )
  return useView(['apps', 'refused']) === 'apps' ? <Apps choice={choice} /> : <RefusedCalls choice={choice} />
}

function Apps({ choice }: { choice: React.ReactNode }) {
  const { t } = useTranslation(['api-authorisation', 'common'])
  const textOf = useTextOf()
  const list = useListTable(api.opsOsMdmApi.paging, {
    id: 'os-mdm-api-list',
    filters: { text: 'text', uid_kid: 'text' },
  })
  const dialog = useDialog({ delete: 'osMdmApiList:delete' }, list.rows)
  const deleting = dialog.of('delete')
  const { uid_kid } = list.values
  const uid = list.rows.flatMap(({ uids }) => uids).find(({ kid }) => kid === uid_kid)
  const add = (
    <AddButton needs="osMdmApiAdd" to={link.osMdmApiAdd.to()}>
      {textOf(pages.osMdmApiAdd.title)}
    </AddButton>
  )
  return (
    <>
      <ListPage<ApiAuthorisationRow>
        list={list}
        page={pages.osMdmApiList}
        actions={choice}
        columns={useColumns()}
        search={t('search')}
        primary={add}
        nameOf={(row) => row.package}
        filters={[
          {
            key: 'uid_kid',
            kind: 'own',
            label: t('uid'),
            shown: uid_kid && (uid?.code ?? uid_kid),
            editor: (choose) => <UidFilter onChoose={choose} />,
          },
        ]}
        rowActions={(row) => [
          { needs: 'osMdmApiEdit', label: t('common:edit'), to: link.osMdmApiEdit.to({ kid: row.kid }) },
          {
            needs: 'osMdmApiAdd',
            label: t('copy'),
            to: { pathname: pages.osMdmApiAdd.path, search: `?copy=${row.kid}` },
          },
          {
            label: t('show_refused'),
            to: {
              pathname: pages.osMdmApiList.path,
              search: `?view=refused&package=${encodeURIComponent(row.package)}`,
            },
          },
          {
            needs: 'osMdmApiList:delete',
            label: t('common:delete'),
            danger: true,
            onSelect: () => dialog.open('delete', row),
          },
        ]}
        empty={{ title: t('empty'), hint: t('empty_hint'), action: add }}
      />
      {deleting && (
        <ConfirmWrite
          call={api.opsOsMdmApi.delete}
          input={{ kid: deleting.kid }}
          title={t('delete.title', { name: deleting.package })}
          submit={t('delete.submit')}
          done={t('delete.done', { name: deleting.package })}
          onClose={dialog.close}
        >
          <p>{t('delete.what', { count: deleting.uids.length })}</p>
        </ConfirmWrite>
      )}
    </>
  )
}

function useColumns(): Column<ApiAuthorisationRow>[] {
  const { t } = useTranslation('api-authorisation')
  const count = useCount()
  return [
    {
      key: 'package',
      title: t('package'),
      sorter: true,
      is_fixed: true,
      render: (_, row) => (
        <Link className="api-package" to={link.osMdmApiEdit.to({ kid: row.kid })} title={row.package}>
          {row.package}
        </Link>
      ),
    },
    { key: 'cert_sha1', title: t('cert_sha1'), render: (_, { cert_sha1 }) => <CopyId value={cert_sha1} short={12} /> },
    {
      key: 'uids',
      title: t('uids'),
      export: false,
      render: (_, { uids }) => (
        <span className="code" title={uids.map(({ code }) => code).join('\n')}>
          {uids[0]?.code}
          {uids.length > 1 && <span className="dim"> +{uids.length - 1}</span>}
        </span>
      ),
    },
    {
      key: 'method_count',
      title: t('methods'),
      align: 'right',
      render: (_, { method_count }) => count(method_count),
    },
    { key: 'remark', title: t('remark'), dataIndex: 'remark' },
    { key: 'updated_by', title: t('updated_by'), dataIndex: 'updated_by' },
    {
      key: 'updated_at',
      title: t('updated_at'),
      sorter: true,
      render: (_, { updated_at }) => <DateTime at={updated_at} />,
    },
  ]
}
