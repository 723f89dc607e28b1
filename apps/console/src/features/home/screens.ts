import { screen } from '../../screen/screen.ts'

export const homeIndex = screen('/home/index', {
  group: 'static',
  title: 'homeIndex',
  needs: 'homeIndex',
  texts: ['home', 'accounts'],
  page: () => import('./HomePage.tsx'),
})
export const homeScreens = [homeIndex]
