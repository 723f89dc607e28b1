import { screen } from '../../screen/screen.ts'

export const deviceList = screen('/device-list', {
  group: 'device-manages',
  title: 'deviceList',
  needs: 'deviceList',
  texts: ['devices', 'device-filters', 'pickers', 'push', 'enrolment', 'device-config'],
  page: () => import('./DevicesPage.tsx'),
})
export const deviceScreens = [deviceList]
