import { screen } from '../../screen/screen.ts'

export const externalUserManageList = screen('/external-user-manage-list', {
  group: 'mdm-manage',
  title: 'externalUserManageList',
  needs: 'externalUserManageList',
  end_type: 2,
  texts: ['external-user'],
  page: () => import('./CustomersPage.tsx'),
})
export const externalUserScreens = [externalUserManageList]
