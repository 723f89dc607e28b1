import { text } from '../wire.ts'
import { page, pageGroup } from './kit.ts'

export const configureManage = pageGroup(
  'configure-manage',
  text('Configuration', 'Cấu hình', '配置管理'),
  { icon: 'configure', end_type: 1 },
  {
    configurePushList: page('/configure-push-list', text('Configurations', 'Cấu hình', '配置'), {
      icon: 'configurations',
    }),
    configureLevel: page('/configure-level', text('Edit configuration', 'Sửa cấu hình', '编辑配置'), {
      needs: 'signed_in',
      parent: 'configurePushList',
      record: 'kid',
    }),
    configureFilePushList: page('/configure-file-push-list', text('Configuration files', 'Tệp cấu hình', '配置文件'), {
      icon: 'configuration-files',
      operations: { delete: text('Delete configuration files', 'Xóa tệp cấu hình', '删除配置文件') },
    }),
    configureFilePushAdd: page(
      '/configure-file-push-add',
      text('Add configuration file', 'Thêm tệp cấu hình', '添加配置文件'),
      { parent: 'configureFilePushList' },
    ),
    configureFilePush: page(
      '/configure-file-push',
      text('Push configuration file', 'Đẩy tệp cấu hình', '推送配置文件'),
      {
        parent: 'configureFilePushList',
        operations: {
          push: text('Push configuration files to devices', 'Đẩy tệp cấu hình đến thiết bị', '推送配置文件到设备'),
        },
      },
    ),
    electronicFenceList: page('/electronic-fence-list', text('Electronic fences', 'Hàng rào điện tử', '电子围栏'), {
      icon: 'fence',
      operations: {
        edit: text(
          'Edit fences and set them for devices',
          'Sửa hàng rào và áp dụng cho thiết bị',
          '编辑围栏并应用到设备',
        ),
        group: text(
          'Set fences for groups and the account',
          'Áp dụng hàng rào cho nhóm và tài khoản',
          '将围栏应用到分组和账号',
        ),
      },
    }),
  },
)
