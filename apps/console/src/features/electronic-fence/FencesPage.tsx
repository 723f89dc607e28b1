import { AimOutlined, HistoryOutlined, StopOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { lazy, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { pages } from '@mdm/contract'
import type { ElectronicFence } from '@mdm/contract'
import { api } from '../../core/api.ts'
import { May } from '../../core/session.tsx'
import { AddButton } from '../../ui/list/AddButton.tsx'
import { ConfirmWrite } from '../../ui/dialog/ConfirmWrite.tsx'
import { useDialog } from '../../ui/dialog/use-dialog.ts'
import { ListPage } from '../../ui/list/ListPage.tsx'
import type { RowAction } from '../../ui/list/RowActions.tsx'
import { useListTable } from '../../ui/list/use-list-table.ts'
import { useFenceColumns } from './columns.tsx'
import { FenceEvents } from './FenceEvents.tsx'
import { PlacesDrawer } from './PlacesDrawer.tsx'
import './fence.css'

const FenceForm = lazy(() => import('./FenceForm.tsx'))
const edit = 'electronicFenceList:edit'

/** Circles that devices are to stay within, and where each is in force. */
export default function FencesPage() {
  const { t } = useTranslation(['electronic-fence', 'common'])
  const list = useListTable(api.electronicFence.paging, { id: 'electronic-fence-list', filters: { text: 'text' } })
  const dialog = useDialog({ add: edit, edit, set: edit, close: edit, delete: edit, events: 'signed_in' }, list.rows)
  const [editing, placing, deleting] = [dialog.of('edit'), dialog.of('set'), dialog.of('delete')]
  const watched = dialog.of('events')
  const columns = useFenceColumns()
  const rowActions = (row: ElectronicFence): RowAction[] => [
    {
      needs: edit,
      icon: <AimOutlined aria-hidden />,
      text: t('set.action'),
      label: t('set.title', { name: row.name }),
      onSelect: () => dialog.open('set', row),
    },
    {
      icon: <HistoryOutlined aria-hidden />,
      label: t('events.title', { name: row.name }),
      hint: t('events.action'),
      onSelect: () => dialog.open('events', row),
    },
    { needs: edit, label: t('common:edit'), onSelect: () => dialog.open('edit', row) },
    { needs: edit, label: t('common:delete'), danger: true, onSelect: () => dialog.open('delete', row) },
  ]
  const add = (
    <AddButton needs={edit} onClick={() => dialog.open('add')}>
      {t('add')}
    </AddButton>
  )
  return (
    <>
      <ListPage
        list={list}
        page={pages.electronicFenceList}
        columns={columns}
        search={t('search')}
        nameOf={({ name }) => name}
        rowActions={rowActions}
        primary={
          <>
            <May needs={edit}>
              <Button icon={<StopOutlined aria-hidden />} onClick={() => dialog.open('close')}>
                {t('close.action')}
              </Button>
            </May>
            {add}
          </>
        }
        empty={{ title: t('empty'), hint: t('empty_hint'), action: add }}
      />
      <Suspense>
        {dialog.is('add') && <FenceForm onClose={dialog.close} />}
        {editing && <FenceForm of={editing} onClose={dialog.close} />}
      </Suspense>
      {placing && <PlacesDrawer of={placing} onClose={dialog.close} />}
      {watched && <FenceEvents key={watched.kid} of={watched} onClose={dialog.close} />}
      {dialog.is('close') && <PlacesDrawer of={null} onClose={dialog.close} />}
      {deleting && (
        <ConfirmWrite
          call={api.electronicFence.delete}
          input={{ kid: deleting.kid }}
          title={t('delete.title', { name: deleting.name })}
          submit={t('delete.submit')}
          done={t('delete.done', { name: deleting.name })}
          onClose={dialog.close}
        >
          <p>{t('delete.what', { count: deleting.places })}</p>
        </ConfirmWrite>
      )}
    </>
  )
}
