import { useTranslation } from 'react-i18next'
import type { UserAccountRow } from '@mdm/contract'
import { api } from '../../core/api.ts'
import { PeoplePage } from './PeoplePage.tsx'
import type { Column } from '../../ui/list/ListPage.tsx'
import { useListTable } from '../../ui/list/use-list-table.ts'
import { usePlaces } from './places.tsx'
import { link } from '../../core/links.ts'

export default function UserAccountsPage() {
  const { t } = useTranslation('user-account')
  const list = useListTable(api.userAccount.paging, {
    id: 'user-account-manage-list',
    filters: { text: 'text', state: 'text', role_kid: 'text' },
  })
  const places = usePlaces()
  const groups: Column<UserAccountRow> = {
    key: 'groups',
    title: t('groups'),
    render: (_, { group_kids }) =>
      group_kids.length === 0 ? (
        <span className="dim">{t('groups_all')}</span>
      ) : (
        t('groups_some', { count: group_kids.length })
      ),
  }
  return (
    <PeoplePage
      side="account"
      list={list}
      more={[groups]}
      aside={places.badge}
      full={places.full}
      add={link.userAccountManageAdd.to()}
      editTo={(kid) => link.userAccountManageEdit.to({ kid })}
    />
  )
}
