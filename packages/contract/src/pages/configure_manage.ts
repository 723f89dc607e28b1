import { text } from '../wire.ts'
import { page, pageGroup } from './kit.ts'

export const configureManage = pageGroup(
  'configure-manage',
  text('Configuration', 'Cấu hình', '配置管理'),
  { icon: 'configure', end_type: 1 },
  {
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
