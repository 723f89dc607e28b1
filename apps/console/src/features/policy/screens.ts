import { screen } from '../../screen/screen.ts'

export const policyList = screen('/policy-list', {
  group: 'mdm-manage',
  title: 'policyList',
  needs: 'policyList',
  end_type: 2,
  texts: ['policy'],
  page: () => import('./PolicyListPage.tsx'),
})
export const policyScreens = [policyList]
