import { screen } from '../../screen/screen.ts'

export const insideRoleManageList = screen('/inside-role-manage-list', {
  group: 'mdm-manage',
  title: 'insideRoleManageList',
  needs: 'insideRoleManageList',
  end_type: 2,
  texts: ['roles', 'permission-tree'],
  page: () => import('./InsideRolesPage.tsx'),
})
export const insideRoleScreens = [insideRoleManageList]
