import { text } from '../wire.ts'
import { page, pageGroup } from './kit.ts'

/** Of the customers' file cloud and of the provider's. */
export const fileOperations = {
  delete: text('Delete files', 'Xóa tệp', '删除文件'),
}

export const fileManage = pageGroup(
  'file-manage',
  text('Files', 'Tệp', '文件管理'),
  { icon: 'file', end_type: 1 },
  {
    fileCloudList: page('/file-cloud-list', text('File cloud', 'Kho tệp', '文件云'), {
      icon: 'file-cloud',
      operations: fileOperations,
    }),
    fileCloudAdd: page('/file-cloud-add', text('Add files', 'Thêm tệp', '添加文件'), { parent: 'fileCloudList' }),
    fileCloudEdit: page('/file-cloud-edit', text('Edit file', 'Sửa tệp', '编辑文件'), {
      parent: 'fileCloudList',
      query: ['kid'],
    }),
    fileCloudPush: page('/file-cloud-push', text('Push files', 'Đẩy tệp', '推送文件'), {
      parent: 'fileCloudList',
      operations: { push: text('Push files to devices', 'Đẩy tệp đến thiết bị', '推送文件到设备') },
    }),
  },
)
