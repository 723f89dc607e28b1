import { api } from '../../api.ts'
import { PeoplePage } from '../../pickers/people/PeoplePage.tsx'
import { useListTable } from '../../screen/use-list-table.ts'
import { mdmManageInsideUserManageAdd, mdmManageInsideUserManageEdit } from './screens.ts'

export default function InsideUsersPage() {
  const list = useListTable(api.opsInsideUser.paging, {
    id: 'inside-user-manage-list',
    filters: { text: 'text', state: 'text', role_kid: 'text' },
  })
  return (
    <PeoplePage
      side="inside"
      list={list}
      add={mdmManageInsideUserManageAdd.to()}
      editTo={(kid) => mdmManageInsideUserManageEdit.to({ kid })}
    />
  )
}
