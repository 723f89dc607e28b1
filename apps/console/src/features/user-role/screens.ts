import { screen } from '../../screen/screen.ts'

export const userRoleManageList = screen('/user-role-manage-list', {
  group: 'base-setting',
  title: 'userRoleManageList',
  needs: 'userRoleManageList',
  texts: ['roles', 'permission-tree'],
  page: () => import('./UserRolesPage.tsx'),
})
export const userRoleScreens = [userRoleManageList]
