import { screen } from '../../screen/screen.ts'

export const accountIndex = screen('/account/index', {
  group: 'static',
  title: 'accountIndex',
  needs: 'signed_in',
  // Everyone has an account, so an operator outside any customer may open it too.
  end_type: 2,
  menu: false,
  texts: ['account-info', 'permission-tree'],
  page: () => import('./AccountInfoPage.tsx'),
})
export const accountInfoScreens = [accountIndex]
