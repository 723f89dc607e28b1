import { screen } from '../../screen/screen.ts'

export const fileCloudList = screen('/file-cloud-list', {
  group: 'file-manage',
  title: 'fileCloudList',
  needs: 'fileCloudList',
  texts: ['file-cloud'],
  page: () => import('./FilesPage.tsx'),
})
export const fileCloudPush = screen('/file-cloud-push', {
  group: 'file-manage',
  title: 'fileCloudPush',
  needs: 'fileCloudPush',
  menu: false,
  parent: fileCloudList,
  texts: ['file-cloud', 'devices-picker', 'pickers', 'push'],
  page: () => import('./FilePushPage.tsx'),
})
export const fileCloudScreens = [fileCloudList, fileCloudPush]
