import { useTranslation } from 'react-i18next'
import { Link, useNavigate } from 'react-router'
import type { PushTaskRow, PushTaskType } from '@mdm/contract'
import { api } from '../../core/api.ts'
import type { Column } from '../../ui/list/ListPage.tsx'
import { useListTable } from '../../ui/list/use-list-table.ts'
import { useCount } from '../../ui/value/format.ts'
import { DateTime, OrDash } from '../../ui/value/values.tsx'
import { PushDialogs } from './task/PushDialogs.tsx'
import { pushFilterKinds, usePushFilters, usePushStanding } from './task/push-standing.tsx'
import { usePushActs, usePushDialogs } from './task/use-push-acts.tsx'
import './counts.css'

/**
 * The pushes of one kind, where its content is: what a list page needs, and the dialogs that its rows open. The list of
 * every kind is the feature of its own.
 * @param options.id of the list, under which its columns are remembered
 * @param options.content title of the first column
 * @param options.open the address of one push
 */
export function usePushList(options: {
  id: string
  types: PushTaskType[]
  content: string
  open: (row: PushTaskRow) => string
}) {
  const { t } = useTranslation(['push', 'push-task/task', 'common'])
  const count = useCount()
  const navigate = useNavigate()
  const standing = usePushStanding()
  const filters = usePushFilters()
  const list = useListTable(api.pushTask.paging, {
    id: options.id,
    filters: pushFilterKinds,
    fixed: { types: options.types },
  })
  const dialog = usePushDialogs(list.rows)
  const acts = usePushActs(dialog)
  const columns: Column<PushTaskRow>[] = [
    {
      key: 'summary',
      title: options.content,
      is_fixed: true,
      render: (_, row) => (
        <Link className="push-text" to={options.open(row)} title={row.summary}>
          {row.summary}
        </Link>
      ),
    },
    ...standing,
    {
      key: 'target_count',
      title: t('list.devices'),
      align: 'right',
      render: (_, row) => <span className="number">{count(row.target_count)}</span>,
    },
    {
      key: 'left_out',
      title: t('list.left_out'),
      align: 'right',
      render: (_, row) => <span className="number">{count(row.left_out)}</span>,
    },
    {
      key: 'description',
      title: t('list.description'),
      is_hidden: true,
      render: (_, row) => (
        <OrDash>
          {row.description && (
            <span className="push-text" title={row.description}>
              {row.description}
            </span>
          )}
        </OrDash>
      ),
    },
    { key: 'created_by', title: t('list.created_by'), dataIndex: 'created_by' },
    {
      key: 'created_at',
      title: t('common:created_at'),
      sorter: true,
      render: (_, row) => <DateTime at={row.created_at} />,
    },
  ]
  const rows = {
    list,
    columns,
    filters,
    nameOf: (row: PushTaskRow) => row.summary,
    rowActions: (row: PushTaskRow) => [{ label: t('push-task/task:action.open'), to: options.open(row) }, ...acts(row)],
    onRow: (row: PushTaskRow) => void navigate(options.open(row)),
  }
  return { rows, dialogs: <PushDialogs dialog={dialog} /> }
}
