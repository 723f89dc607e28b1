import { screen } from '../../screen/screen.ts'

const declared = { group: 'mdm-manage', end_type: 2, texts: ['external-user', 'accounts', 'permission-tree'] } as const

export const externalUserManageList = screen('/external-user-manage-list', {
  ...declared,
  title: 'externalUserManageList',
  needs: 'externalUserManageList',
  texts: ['external-user', 'accounts'],
  page: () => import('./CustomersPage.tsx'),
})
export const externalUserManageAdd = screen('/mdm-manage/external-user-manage-add', {
  ...declared,
  title: 'mdmManageExternalUserManageAdd',
  needs: 'mdmManageExternalUserManageAdd',
  menu: false,
  parent: externalUserManageList,
  page: () => import('./CustomerAddPage.tsx'),
})
export const externalUserManageEdit = screen('/mdm-manage/external-user-manage-edit', {
  ...declared,
  title: 'mdmManageExternalUserManageEdit',
  needs: 'mdmManageExternalUserManageEdit',
  menu: false,
  query: ['kid'],
  record: 'kid',
  parent: externalUserManageList,
  page: () => import('./CustomerEditPage.tsx'),
})
export const externalUserScreens = [externalUserManageList, externalUserManageAdd, externalUserManageEdit]
