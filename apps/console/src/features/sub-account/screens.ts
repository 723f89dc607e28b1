import { screen } from '../../screen/screen.ts'

const declared = { group: 'base-setting', texts: ['sub-account', 'accounts', 'permission-tree'] } as const

export const subAccountManageList = screen('/sub-account-manage-list', {
  ...declared,
  title: 'subAccountManageList',
  needs: 'subAccountManageList',
  texts: ['sub-account', 'accounts'],
  page: () => import('./SubAccountsPage.tsx'),
})
export const subAccountManageAdd = screen('/user-manage/sub-account-manage-add', {
  ...declared,
  title: 'userManageSubAccountManageAdd',
  needs: 'userManageSubAccountManageAdd',
  menu: false,
  parent: subAccountManageList,
  page: () => import('./SubAccountAddPage.tsx'),
})
export const subAccountManageEdit = screen('/user-manage/sub-account-manage-edit', {
  ...declared,
  title: 'userManageSubAccountManageEdit',
  needs: 'userManageSubAccountManageEdit',
  menu: false,
  query: ['kid'],
  record: 'kid',
  parent: subAccountManageList,
  page: () => import('./SubAccountEditPage.tsx'),
})
export const subAccountScreens = [subAccountManageList, subAccountManageAdd, subAccountManageEdit]
