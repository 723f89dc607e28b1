import { text } from '../wire.ts'
import { page, pageGroup } from './kit.ts'

/** Of the customers' app center and of the provider's. */
export const appOperations = {
  publish: text('List and delist apps', 'Đưa ứng dụng lên kho và gỡ khỏi kho', '上架和下架应用'),
  delete: text('Delete apps and versions', 'Xóa ứng dụng và phiên bản', '删除应用和版本'),
  category: text('Edit app categories', 'Sửa danh mục ứng dụng', '编辑应用分类'),
}

export const apkManage = pageGroup(
  'apk-manage',
  text('Apps', 'Ứng dụng', '应用管理'),
  { icon: 'apps', end_type: 1 },
  {
    appCenterList: page('/app-center-list', text('App center', 'Kho ứng dụng', '应用中心'), {
      icon: 'app-center',
      operations: appOperations,
    }),
    appCenterAdd: page('/app-center-add', text('Add app', 'Thêm ứng dụng', '添加应用'), { parent: 'appCenterList' }),
    appCenterDetails: page('/app-center-details', text('App', 'Ứng dụng', '应用详情'), {
      parent: 'appCenterList',
      record: 'kid',
    }),
    appCenterEdit: page('/app-center-edit', text('Edit app', 'Sửa ứng dụng', '编辑应用'), {
      parent: 'appCenterList',
      query: ['kid'],
    }),
    appCenterAddVersion: page('/app-center-add-version', text('Add version', 'Thêm phiên bản', '添加版本'), {
      parent: 'appCenterList',
      query: ['kid'],
    }),
    appCenterPush: page('/app-center-push', text('Push apps', 'Đẩy ứng dụng', '推送应用'), {
      parent: 'appCenterList',
      operations: {
        push: text('Push apps to devices', 'Đẩy ứng dụng đến thiết bị', '推送应用到设备'),
        uninstall: text('Uninstall apps from devices', 'Gỡ ứng dụng khỏi thiết bị', '从设备卸载应用'),
      },
    }),
    appRequiredList: page('/app-required-list', text('Required apps', 'Ứng dụng bắt buộc', '必装应用'), {
      icon: 'app-required',
      operations: { edit: text('Edit required apps', 'Sửa ứng dụng bắt buộc', '编辑必装应用') },
    }),
    softwareReport: page('/software-report', text('Software report', 'Báo cáo phần mềm', '软件报表'), {
      icon: 'software-report',
    }),
    appCenterEditVersion: page('/app-center-edit-version', text('Edit version', 'Sửa phiên bản', '编辑版本'), {
      parent: 'appCenterList',
      query: ['kid'],
    }),
  },
)
