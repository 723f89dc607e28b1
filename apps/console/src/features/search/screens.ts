import { screen } from '../../screen/screen.ts'

export const searchList = screen('/search-list', {
  group: 'mdm-manage',
  title: 'searchList',
  needs: 'searchList',
  end_type: 2,
  texts: ['search', 'accounts'],
  page: () => import('./SearchPage.tsx'),
})
export const searchScreens = [searchList]
