import { text } from '../wire.ts'
import { page, pageGroup } from './kit.ts'

export const fileManage = pageGroup(
  'file-manage',
  text('Files', 'Tệp', '文件管理'),
  { icon: 'file', end_type: 1 },
  {
    fileCloudList: page('/file-cloud-list', text('File cloud', 'Kho tệp', '文件云'), {
      icon: 'file-cloud',
      operations: {
        upload: text('Upload files', 'Tải tệp lên', '上传文件'),
        delete: text('Delete files', 'Xóa tệp', '删除文件'),
      },
    }),
    fileCloudPush: page('/file-cloud-push', text('Push files', 'Đẩy tệp', '推送文件'), {
      parent: 'fileCloudList',
      operations: { push: text('Push files to devices', 'Đẩy tệp đến thiết bị', '推送文件到设备') },
    }),
  },
)
