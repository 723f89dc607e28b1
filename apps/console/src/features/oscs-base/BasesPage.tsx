import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { pages } from '@mdm/contract'
import type { OscsBase } from '@mdm/contract'
import { api, useCall, useWrite } from '../../core/api.ts'
import { link } from '../../core/links.ts'
import { useTextOf } from '../../i18n/use-text-of.ts'
import { AddButton } from '../../ui/list/AddButton.tsx'
import { ConfirmWrite } from '../../ui/dialog/ConfirmWrite.tsx'
import { useDialog } from '../../ui/dialog/use-dialog.ts'
import { ListPage } from '../../ui/list/ListPage.tsx'
import type { Column } from '../../ui/list/ListPage.tsx'
import type { RowAction } from '../../ui/list/RowActions.tsx'
import { useListTable } from '../../ui/list/use-list-table.ts'
import { Code, CopyId, Count, DateTime } from '../../ui/value/values.tsx'
import { FileState } from './FileState.tsx'

/** What custom OS are built on. */
export default function BasesPage() {
  const { t } = useTranslation(['oscs-base', 'common'])
  const textOf = useTextOf()
  const list = useListTable(api.opsOscsBase.paging, {
    id: 'oscs-bases',
    filters: { text: 'text', model_kid: 'text' },
  })
  const models = useCall(api.opsOscsModel.paging, { page_size: 200, sort: 'code' })
  const dialog = useDialog({ delete: 'oscsBaseManageList:delete' }, list.rows)
  const retry = useWrite(api.opsOscsBase.retry_file, { done: t('file.again') })
  const deleting = dialog.of('delete')
  const rowActions = (row: OscsBase): RowAction[] => {
    const failed = [row.os, row.config].filter(({ state }) => state === 'failed')
    return [
      { needs: 'oscsBaseManageEdit', label: t('common:edit'), to: link.oscsBaseManageEdit.to({ kid: row.kid }) },
      {
        needs: 'oscsBaseManageEdit',
        label: t('file.retry'),
        disabled_reason: failed.length > 0 ? undefined : t('file.not_failed'),
        onSelect: () => failed.forEach(({ kid }) => void retry.run({ kid })),
      },
      {
        needs: 'oscsBaseManageList:delete',
        label: t('base.delete'),
        danger: true,
        disabled_reason: row.custom_count > 0 ? t('base.has_customs') : undefined,
        onSelect: () => dialog.open('delete', row),
      },
    ]
  }
  const add = (
    <AddButton needs="oscsBaseManageAdd" to={link.oscsBaseManageAdd.to()}>
      {textOf(pages.oscsBaseManageAdd.title)}
    </AddButton>
  )
  return (
    <>
      <ListPage<OscsBase>
        list={list}
        page={pages.oscsBaseManageList}
        columns={useColumns()}
        filters={[
          {
            key: 'model_kid',
            kind: 'one',
            label: t('model.code'),
            options: (models.data?.items ?? []).map(({ kid, code }) => ({ value: kid, label: code })),
          },
        ]}
        rowActions={rowActions}
        nameOf={({ base_os_version }) => base_os_version}
        search={t('base.search')}
        primary={add}
        empty={{ title: t('base.empty'), hint: t('base.empty_hint'), action: add }}
      />
      {deleting && (
        <ConfirmWrite
          call={api.opsOscsBase.delete}
          input={{ kid: deleting.kid }}
          also={['ops/oscs_model']}
          title={t('base.delete_title', { version: deleting.base_os_version })}
          submit={t('base.delete')}
          done={t('base.deleted')}
          onClose={dialog.close}
        >
          {t('base.delete_hint')}
        </ConfirmWrite>
      )}
    </>
  )
}

function useColumns(): Column<OscsBase>[] {
  const { t } = useTranslation(['oscs-base', 'common'])
  return [
    {
      key: 'base_os_version',
      title: t('base.version'),
      sorter: true,
      is_fixed: true,
      render: (_, { base_os_version, kid }) => (
        <Link to={link.oscsBaseManageEdit.to({ kid })}>
          <Code value={base_os_version} />
        </Link>
      ),
    },
    { key: 'model_code', title: t('model.code'), dataIndex: 'model_code' },
    { key: 'uid_code', title: t('uid'), is_hidden: true, render: (_, { uid_code }) => <CopyId value={uid_code} /> },
    { key: 'version_code', title: t('base.version_code'), align: 'right', dataIndex: 'version_code' },
    {
      key: 'os',
      title: t('file.os'),
      export: false,
      render: (_, { os }) => <FileState of={os} by={api.opsOscsBase.download_file} />,
    },
    {
      key: 'config',
      title: t('file.config'),
      export: false,
      render: (_, { config }) => <FileState of={config} by={api.opsOscsBase.download_file} />,
    },
    {
      key: 'custom_count',
      title: t('base.customs'),
      align: 'right',
      render: (_, { custom_count }) => <Count value={custom_count} />,
    },
    { key: 'remark', title: t('remark'), render: (_, { remark }) => remark },
    { key: 'created_by', title: t('created_by'), is_hidden: true, dataIndex: 'created_by' },
    {
      key: 'updated_at',
      title: t('common:updated_at'),
      sorter: true,
      render: (_, { updated_at }) => <DateTime at={updated_at} />,
    },
  ]
}
