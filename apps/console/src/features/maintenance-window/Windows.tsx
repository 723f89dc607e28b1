import { useTranslation } from 'react-i18next'
import { daysText } from '@mdm/contract'
import type { MaintenanceWindow } from '@mdm/contract'
import { May } from '../../core/session.tsx'
import { useSessionStore } from '../../core/session-store.ts'
import { api } from '../../core/api.ts'
import { listText } from '../../i18n/list-text.ts'
import { useWindows } from '../../shared/windows/use-windows.ts'
import { ConfirmWrite } from '../../ui/dialog/ConfirmWrite.tsx'
import { useDialog } from '../../ui/dialog/use-dialog.ts'
import { AddButton } from '../../ui/list/AddButton.tsx'
import type { Column } from '../../ui/list/ListPage.tsx'
import type { RowAction } from '../../ui/list/RowActions.tsx'
import { DateTime } from '../../ui/value/values.tsx'
import { WholeList } from '../../ui/list/WholeList.tsx'
import { WindowCalendar } from './WindowCalendar.tsx'
import { WindowDrawer } from './WindowDrawer.tsx'
import './maintenance-window.css'

const needs = 'pushTaskList:window'

/** The maintenance windows of the account: what they are, what refers to them, and when they are open. */
export function Windows() {
  const { t } = useTranslation(['maintenance-window', 'common'])
  const language = useSessionStore((s) => s.language)
  const { windows, query } = useWindows()
  const dialog = useDialog({ add: needs, edit: needs, delete: needs }, windows)
  const [editing, deleting] = [dialog.of('edit'), dialog.of('delete')]
  const add = (
    <May needs={needs}>
      <AddButton onClick={() => dialog.open('add')}>{t('add')}</AddButton>
    </May>
  )
  const columns: Column<MaintenanceWindow>[] = [
    { key: 'name', title: t('name'), dataIndex: 'name' },
    { key: 'days', title: t('days'), render: (_, { days }) => daysText(days, language) },
    { key: 'hours', title: t('hours'), render: (_, { from, to }) => `${from}–${to}` },
    { key: 'uses', title: t('uses'), render: (_, { uses }) => <Uses uses={uses} /> },
    { key: 'created_by', title: t('created_by'), dataIndex: 'created_by' },
    { key: 'created_at', title: t('common:created_at'), render: (_, row) => <DateTime at={row.created_at} /> },
  ]
  const rowActions = (row: MaintenanceWindow): RowAction[] => [
    { needs, label: t('common:edit'), onSelect: () => dialog.open('edit', row) },
    { needs, label: t('common:delete'), danger: true, onSelect: () => dialog.open('delete', row) },
  ]
  return (
    <div className="windows">
      {windows.length > 0 && <div className="windows-head">{add}</div>}
      <WholeList<MaintenanceWindow>
        title={t('title')}
        query={query}
        rows={windows}
        columns={columns}
        rowActions={rowActions}
        empty={{ title: t('empty'), hint: t('empty_hint'), action: add }}
      />
      <WindowCalendar windows={windows} />
      {(dialog.is('add') || editing) && <WindowDrawer row={editing} onClose={dialog.close} />}
      {deleting && (
        <ConfirmWrite
          call={api.maintenanceWindow.delete}
          input={{ kid: deleting.kid }}
          title={t('delete.title', { name: deleting.name })}
          submit={t('delete.submit')}
          done={t('delete.done')}
          onClose={dialog.close}
        >
          <p>{t('delete.what')}</p>
        </ConfirmWrite>
      )}
    </div>
  )
}

const kinds = ['pushes', 'recurring', 'templates', 'required_apps', 'configurations'] as const
function Uses({ uses }: Pick<MaintenanceWindow, 'uses'>) {
  const { t } = useTranslation('maintenance-window')
  const said = kinds.filter((kind) => uses[kind] > 0).map((kind) => t(`use.${kind}`, { count: uses[kind] }))
  return said.length > 0 ? listText(said) : <span className="dim">{t('unused')}</span>
}
