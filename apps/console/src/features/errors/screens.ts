import { screen } from '../../screen/screen.ts'

export const notFound = screen('/404', {
  group: 'static',
  title: 'notFound',
  needs: 'signed_in',
  end_type: 2,
  menu: false,
  page: () => import('./NotFoundPage.tsx'),
})
export const redirect = screen('/redirect/*', {
  group: 'static',
  title: 'redirect',
  needs: 'signed_in',
  end_type: 2,
  menu: false,
  page: () => import('./RedirectPage.tsx'),
})
export const errorScreens = [notFound, redirect]
