import { ImportOutlined } from '@ant-design/icons'
import { lazy, Suspense } from 'react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { pages } from '@mdm/contract'
import type { Policy } from '@mdm/contract'
import { api } from '../../core/api.ts'
import { AddButton } from '../../ui/list/AddButton.tsx'
import { ConfirmWrite } from '../../ui/dialog/ConfirmWrite.tsx'
import { useDialog } from '../../ui/dialog/use-dialog.ts'
import { useCount } from '../../ui/value/format.ts'
import { ListPage } from '../../ui/list/ListPage.tsx'
import type { Column } from '../../ui/list/ListPage.tsx'
import { useListTable } from '../../ui/list/use-list-table.ts'
import { Clipped, DateTime } from '../../ui/value/values.tsx'
import type { RowAction } from '../../ui/list/RowActions.tsx'
import { PolicyForm } from './PolicyForm.tsx'
import { link } from '../../core/links.ts'

const ImportDrawer = lazy(() => import('./ImportDrawer.tsx').then((m) => ({ default: m.ImportDrawer })))

const dialogs = {
  add: 'policyList:edit',
  edit: 'policyList:edit',
  import: 'policyList:import',
  delete: 'policyList:delete',
} as const

export function Policies({ choice }: { choice: ReactNode }) {
  const { t } = useTranslation(['policy', 'common'])
  const list = useListTable(api.opsPolicy.paging, { id: 'policy-list', filters: { text: 'text' } })
  const { is, of, open, close } = useDialog(dialogs, list.rows)
  const [edited, imported, deleting] = [of('edit'), of('import'), of('delete')]
  const rowActions = (row: Policy): RowAction[] => [
    {
      needs: dialogs.import,
      icon: <ImportOutlined aria-hidden />,
      text: t('import'),
      label: `${t('import')}: ${row.name}`,
      onSelect: () => open('import', row),
    },
    { needs: dialogs.edit, label: t('common:edit'), onSelect: () => open('edit', row) },
    {
      needs: dialogs.delete,
      label: t('delete.action'),
      danger: true,
      disabled_reason: row.terminal_count > 0 ? t('delete.why_not') : undefined,
      onSelect: () => open('delete', row),
    },
  ]
  const add = (
    <AddButton needs="policyList:edit" onClick={() => open('add')}>
      {t('add')}
    </AddButton>
  )
  return (
    <>
      <ListPage
        list={list}
        page={pages.policyList}
        actions={choice}
        columns={useColumns()}
        rowActions={rowActions}
        nameOf={({ name }) => name}
        search={t('search')}
        primary={add}
        empty={{ title: t('empty'), hint: t('empty_hint'), action: add }}
      />
      {is('add') && <PolicyForm onClose={close} />}
      {edited && <PolicyForm policy={edited} onClose={close} />}
      {imported && (
        <Suspense>
          <ImportDrawer policy={imported} onClose={close} />
        </Suspense>
      )}
      {deleting && (
        <ConfirmWrite
          call={api.opsPolicy.delete}
          input={{ kid: deleting.kid }}
          title={t('delete.title', { name: deleting.name })}
          submit={t('delete.submit')}
          done={t('delete.done')}
          onClose={close}
        />
      )}
    </>
  )
}

function useColumns(): Column<Policy>[] {
  const { t } = useTranslation(['policy', 'common'])
  const count = useCount()
  return [
    {
      key: 'name',
      title: t('column.name'),
      sorter: true,
      is_fixed: true,
      render: (_, { name }) => (
        <strong>
          <Clipped text={name} />
        </strong>
      ),
    },
    {
      key: 'days',
      title: t('column.days'),
      sorter: true,
      align: 'right',
      render: (_, { days }) => <span className="number">{t('days', { count: days })}</span>,
    },
    {
      key: 'terminal_count',
      title: t('column.devices'),
      align: 'right',
      render: (_, { kid, terminal_count }) => (
        <Link
          className="number"
          to={link.policyList.to({ view: 'devices', policy_kid: kid })}
          aria-label={`${t('show_devices')}: ${count(terminal_count)}`}
        >
          {count(terminal_count)}
        </Link>
      ),
    },
    { key: 'remark', title: t('column.remark'), render: (_, { remark }) => remark },
    {
      key: 'updated_at',
      title: t('column.updated_at'),
      sorter: true,
      render: (_, { updated_at }) => <DateTime at={updated_at} />,
    },
  ]
}
