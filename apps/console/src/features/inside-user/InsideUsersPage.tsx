import { api } from '../../core/api.ts'
import { PeoplePage } from '../user-account/public.ts'
import { useListTable } from '../../ui/list/use-list-table.ts'
import { link } from '../../core/links.ts'

export default function InsideUsersPage() {
  const list = useListTable(api.opsInsideUser.paging, {
    id: 'inside-user-manage-list',
    filters: { text: 'text', state: 'text', role_kid: 'text' },
  })
  return (
    <PeoplePage
      side="inside"
      list={list}
      add={link.mdmManageInsideUserManageAdd.to()}
      editTo={(kid) => link.mdmManageInsideUserManageEdit.to({ kid })}
    />
  )
}
