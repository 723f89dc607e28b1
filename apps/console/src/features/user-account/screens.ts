import { screen } from '../../screen/screen.ts'

export const userAccountManageList = screen('/user-account-manage-list', {
  group: 'base-setting',
  title: 'userAccountManageList',
  needs: 'userAccountManageList',
  texts: ['people', 'accounts', 'roles', 'pickers'],
  page: () => import('./UserAccountsPage.tsx'),
})
export const userAccountManageAdd = screen('/user-account-manage-add', {
  group: 'base-setting',
  title: 'userAccountManageAdd',
  needs: 'userAccountManageAdd',
  menu: false,
  parent: userAccountManageList,
  texts: ['people', 'accounts', 'roles', 'pickers'],
  page: () => import('./UserAccountAddPage.tsx'),
})
export const userAccountManageEdit = screen('/user-account-manage-edit', {
  group: 'base-setting',
  title: 'userAccountManageEdit',
  needs: 'userAccountManageEdit',
  menu: false,
  query: ['kid'],
  parent: userAccountManageList,
  texts: ['people', 'accounts', 'roles', 'pickers'],
  page: () => import('./UserAccountEditPage.tsx'),
})
export const userAccountScreens = [userAccountManageList, userAccountManageAdd, userAccountManageEdit]
