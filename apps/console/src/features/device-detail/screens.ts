import type { Permission } from '@mdm/contract'
import { screen } from '../../screen/screen.ts'
import type { Page, ScreenTitle } from '../../screen/screen.ts'

const layout: Page = () => import('./DeviceDetailPage.tsx')
const tab = <const P extends string>(name: P, title: ScreenTitle, needs: Permission, page: Page) =>
  screen(`/device-detail/${name}`, {
    group: 'device-manages',
    title,
    needs,
    menu: false,
    query: ['kid'],
    record: 'kid',
    parent: { path: '/device-list', title: 'deviceList' },
    texts: ['device-detail', 'pickers', 'push'],
    layout,
    page,
  })

export const deviceDetailInfo = tab('info', 'deviceDetailInfo', 'deviceDetailInfo', () => import('./InfoPage.tsx'))
export const deviceDetailTask = tab('task', 'deviceDetailTask', 'deviceDetailTask', () => import('./TaskPage.tsx'))
export const deviceDetailPushMessage = tab(
  'push-message',
  'deviceDetailPushMessage',
  'deviceDetailPushMessage',
  () => import('./PushMessagePage.tsx'),
)
export const deviceDetailRun = tab('run', 'deviceDetailRun', 'deviceDetailRun', () => import('./RunPage.tsx'))
export const deviceDetailEvent = tab('event', 'deviceDetailEvent', 'deviceDetailEvent', () => import('./EventPage.tsx'))
export const deviceDetailFsCapture = tab(
  'fs-capture',
  'deviceDetailFsCapture',
  'deviceDetailFsCapture',
  () => import('./FsCapturePage.tsx'),
)

/** In the order of the tabs. */
export const deviceDetailScreens = [
  deviceDetailInfo,
  deviceDetailTask,
  deviceDetailPushMessage,
  deviceDetailRun,
  deviceDetailEvent,
  deviceDetailFsCapture,
]
