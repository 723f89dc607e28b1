import { screen } from '../../screen/screen.ts'

export const login = screen('/login', {
  group: 'static',
  title: 'login',
  needs: 'public',
  menu: false,
  texts: ['sign-in'],
  page: () => import('./SignInPage.tsx'),
})
export const signInScreens = [login]
