import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { pages } from '@mdm/contract'
import type { OscsModel } from '@mdm/contract'
import { api, useWrite } from '../../core/api.ts'
import { link } from '../../core/links.ts'
import { useTextOf } from '../../i18n/use-text-of.ts'
import { AddButton } from '../../ui/list/AddButton.tsx'
import { ConfirmWrite } from '../../ui/dialog/ConfirmWrite.tsx'
import { useDialog } from '../../ui/dialog/use-dialog.ts'
import { ListPage } from '../../ui/list/ListPage.tsx'
import type { Column } from '../../ui/list/ListPage.tsx'
import type { RowAction } from '../../ui/list/RowActions.tsx'
import { useListTable } from '../../ui/list/use-list-table.ts'
import { Clipped, CopyId, Count, DateTime } from '../../ui/value/values.tsx'
import { FileState } from './FileState.tsx'

/** Models of devices for which customers can have an OS of their own built. */
export default function ModelsPage() {
  const { t } = useTranslation(['oscs-base', 'common'])
  const textOf = useTextOf()
  const list = useListTable(api.opsOscsModel.paging, { id: 'oscs-models', filters: { text: 'text' } })
  const dialog = useDialog({ delete: 'oscsModelManageList:delete' }, list.rows)
  const retry = useWrite(api.opsOscsModel.retry_file, { done: t('file.again') })
  const deleting = dialog.of('delete')
  const rowActions = (row: OscsModel): RowAction[] => [
    { needs: 'oscsModelManageEdit', label: t('common:edit'), to: link.oscsModelManageEdit.to({ kid: row.kid }) },
    {
      needs: 'oscsModelManageEdit',
      label: t('file.retry'),
      disabled_reason: row.sum.state === 'failed' ? undefined : t('file.not_failed'),
      onSelect: () => void retry.run({ kid: row.sum.kid }),
    },
    {
      needs: 'oscsModelManageList:delete',
      label: t('model.delete'),
      danger: true,
      disabled_reason: row.base_count > 0 ? t('model.has_bases') : undefined,
      onSelect: () => dialog.open('delete', row),
    },
  ]
  const add = (
    <AddButton needs="oscsModelManageAdd" to={link.oscsModelManageAdd.to()}>
      {textOf(pages.oscsModelManageAdd.title)}
    </AddButton>
  )
  return (
    <>
      <ListPage<OscsModel>
        list={list}
        page={pages.oscsModelManageList}
        columns={useColumns()}
        rowActions={rowActions}
        nameOf={({ code }) => code}
        search={t('model.search')}
        primary={add}
        empty={{ title: t('model.empty'), hint: t('model.empty_hint'), action: add }}
      />
      {deleting && (
        <ConfirmWrite
          call={api.opsOscsModel.delete}
          input={{ kid: deleting.kid }}
          also={['ops/uid']}
          title={t('model.delete_title', { code: deleting.code })}
          submit={t('model.delete')}
          done={t('model.deleted')}
          onClose={dialog.close}
        >
          {t('model.delete_hint')}
        </ConfirmWrite>
      )}
    </>
  )
}

function useColumns(): Column<OscsModel>[] {
  const { t } = useTranslation(['oscs-base', 'common'])
  return [
    {
      key: 'code',
      title: t('model.code'),
      sorter: true,
      is_fixed: true,
      render: (_, { code, kid }) => (
        <Link to={link.oscsModelManageEdit.to({ kid })}>
          <Clipped text={code} />
        </Link>
      ),
    },
    { key: 'name', title: t('model.name'), render: (_, { name }) => name },
    { key: 'uid_code', title: t('uid'), render: (_, { uid_code }) => <CopyId value={uid_code} /> },
    {
      key: 'sum',
      title: t('file.sum'),
      export: false,
      render: (_, { sum }) => <FileState of={sum} by={api.opsOscsModel.download_file} />,
    },
    {
      key: 'base_count',
      title: t('model.bases'),
      align: 'right',
      render: (_, { base_count, kid }) =>
        base_count > 0 ? (
          <Link to={link.oscsBaseManageList.to({ model_kid: kid })}>
            <Count value={base_count} />
          </Link>
        ) : (
          <Count value={0} />
        ),
    },
    { key: 'remark', title: t('remark'), render: (_, { remark }) => remark },
    { key: 'created_by', title: t('created_by'), dataIndex: 'created_by' },
    {
      key: 'updated_at',
      title: t('common:updated_at'),
      sorter: true,
      render: (_, { updated_at }) => <DateTime at={updated_at} />,
    },
  ]
}
