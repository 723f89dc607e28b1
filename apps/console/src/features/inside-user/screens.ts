import { screen } from '../../screen/screen.ts'

export const insideUserManageList = screen('/inside-user-manage-list', {
  group: 'mdm-manage',
  title: 'insideUserManageList',
  needs: 'insideUserManageList',
  end_type: 2,
  texts: ['people', 'accounts', 'roles'],
  page: () => import('./InsideUsersPage.tsx'),
})
export const mdmManageInsideUserManageAdd = screen('/mdm-manage/inside-user-manage-add', {
  group: 'mdm-manage',
  title: 'mdmManageInsideUserManageAdd',
  needs: 'mdmManageInsideUserManageAdd',
  end_type: 2,
  menu: false,
  parent: insideUserManageList,
  texts: ['people', 'accounts', 'roles'],
  page: () => import('./InsideUserAddPage.tsx'),
})
export const mdmManageInsideUserManageEdit = screen('/mdm-manage/inside-user-manage-edit', {
  group: 'mdm-manage',
  title: 'mdmManageInsideUserManageEdit',
  needs: 'mdmManageInsideUserManageEdit',
  end_type: 2,
  menu: false,
  query: ['kid'],
  parent: insideUserManageList,
  texts: ['people', 'accounts', 'roles'],
  page: () => import('./InsideUserEditPage.tsx'),
})
export const insideUserScreens = [insideUserManageList, mdmManageInsideUserManageAdd, mdmManageInsideUserManageEdit]
