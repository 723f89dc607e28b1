import type { Permission } from '@mdm/contract'
import type { Namespace } from '../../i18n/resources.ts'
import { screen } from '../../screen/screen.ts'
import type { Page, ScreenTitle } from '../../screen/screen.ts'

const layout: Page = () => import('./DeviceDetailPage.tsx')
const tab = <const P extends string>(
  name: P,
  title: ScreenTitle,
  needs: Permission,
  page: Page,
  more: readonly Namespace[] = [],
) =>
  screen(`/device-detail/${name}`, {
    group: 'device-manages',
    title,
    needs,
    menu: false,
    query: ['kid'],
    record: 'kid',
    parent: { path: '/device-list', title: 'deviceList' },
    texts: ['device-detail', 'device-filters', 'pickers', 'push', ...more],
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
export const deviceDetailConfig = tab(
  'config',
  'deviceDetailConfig',
  'deviceDetailConfig',
  () => import('./ConfigPage.tsx'),
  ['device-config'],
)
export const deviceDetailApp = tab('app', 'deviceDetailApp', 'deviceDetailApp', () => import('./AppPage.tsx'), [
  'device-files',
])
export const deviceDetailFileManager = tab(
  'file-manager',
  'deviceDetailFileManager',
  'deviceDetailFileManager',
  () => import('./FileManagerPage.tsx'),
  ['device-files'],
)
export const deviceDetailRun = tab('run', 'deviceDetailRun', 'deviceDetailRun', () => import('./RunPage.tsx'), [
  'device-files',
  'device-telemetry',
])
export const deviceDetailEvent = tab('event', 'deviceDetailEvent', 'deviceDetailEvent', () => import('./EventPage.tsx'))
export const deviceDetailLocation = tab(
  'location',
  'deviceDetailLocation',
  'deviceDetailLocation',
  () => import('./LocationPage.tsx'),
  ['map'],
)
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
  deviceDetailConfig,
  deviceDetailApp,
  deviceDetailFileManager,
  deviceDetailRun,
  deviceDetailEvent,
  deviceDetailLocation,
  deviceDetailFsCapture,
]
