import { text } from '@mdm/contract'
import type { Permission, Text } from '@mdm/contract'

type Operation = { code: Permission; name: Text }
type Page = {
  /** The permission of the screen, which is also the key the console knows it by. */
  code: Permission
  name: Text
  path: string
  icon?: string
  /** Reached from other screens only: forms, details. Default false. */
  is_hidden?: boolean
  operations?: Operation[]
}
export type SeedGroup = { code: string; name: Text; icon: string; end_type: 1 | 2; pages: Page[] }

const act = (code: Permission, en: string, vi: string, zh: string): Operation => ({ code, name: text(en, vi, zh) })

/** Pages that stand beside the groups. */
export const seedPages: (Page & { end_type: 1 | 2 })[] = [
  { code: 'homeIndex', name: text('Home', 'Trang chủ', '首页'), path: '/home/index', icon: 'home', end_type: 1 },
]

/** The menu as it is delivered (specification, 2): groups in their order, pages in theirs, buttons below their page. */
export const seedGroups: SeedGroup[] = [
  {
    code: 'device-manages',
    name: text('Devices', 'Thiết bị', '设备管理'),
    icon: 'device',
    end_type: 1,
    pages: [
      {
        code: 'deviceList',
        name: text('Device list', 'Danh sách thiết bị', '设备列表'),
        path: '/device-list',
        icon: 'device-list',
        operations: [
          act('deviceList:register', 'Register devices', 'Đăng ký thiết bị', '注册设备'),
          act('deviceList:edit', 'Edit devices', 'Sửa thiết bị', '编辑设备'),
          act('deviceList:move', 'Move devices', 'Di chuyển thiết bị', '移动设备'),
          act('deviceList:cancel', 'Cancel or scrap devices', 'Hủy hoặc loại bỏ thiết bị', '注销或报废设备'),
          act('deviceList:group', 'Manage groups', 'Quản lý nhóm', '管理分组'),
        ],
      },
      {
        code: 'deviceDetailInfo',
        name: text('Device information', 'Thông tin thiết bị', '设备信息'),
        path: '/device-detail/info',
        is_hidden: true,
        operations: [
          act('deviceDetailInfo:lock', 'Lock the screen', 'Khóa màn hình', '锁屏'),
          act('deviceDetailInfo:find', 'Find the device', 'Tìm thiết bị', '查找设备'),
          act('deviceDetailInfo:restart', 'Restart', 'Khởi động lại', '重启'),
        ],
      },
      {
        code: 'deviceDetailTask',
        name: text('Device tasks', 'Tác vụ của thiết bị', '设备任务'),
        path: '/device-detail/task',
        is_hidden: true,
        operations: [
          act('deviceDetailTask:cancel', 'Cancel tasks', 'Hủy tác vụ', '取消任务'),
          act('deviceDetailTask:retry', 'Retry tasks', 'Thử lại tác vụ', '重试任务'),
        ],
      },
      {
        code: 'deviceDetailPushMessage',
        name: text('Push message', 'Gửi thông báo', '推送消息'),
        path: '/device-detail/push-message',
        is_hidden: true,
        operations: [act('deviceDetailPushMessage:push', 'Push a message', 'Gửi thông báo', '推送消息')],
      },
      {
        code: 'deviceDetailRun',
        name: text('Running information', 'Thông tin vận hành', '运行信息'),
        path: '/device-detail/run',
        is_hidden: true,
      },
      {
        code: 'deviceDetailEvent',
        name: text('Device events', 'Sự kiện thiết bị', '设备事件'),
        path: '/device-detail/event',
        is_hidden: true,
      },
      {
        code: 'deviceDetailFsCapture',
        name: text('Screen captures', 'Ảnh chụp màn hình', '屏幕截图'),
        path: '/device-detail/fs-capture',
        is_hidden: true,
        operations: [act('deviceDetailFsCapture:capture', 'Take a screenshot', 'Chụp màn hình', '截屏')],
      },
    ],
  },
  {
    code: 'file-manage',
    name: text('Files', 'Tệp', '文件管理'),
    icon: 'file',
    end_type: 1,
    pages: [
      {
        code: 'fileCloudList',
        name: text('File cloud', 'Kho tệp', '文件云'),
        path: '/file-cloud-list',
        icon: 'file-cloud',
        operations: [
          act('fileCloudList:upload', 'Upload files', 'Tải tệp lên', '上传文件'),
          act('fileCloudList:delete', 'Delete files', 'Xóa tệp', '删除文件'),
        ],
      },
      {
        code: 'fileCloudPush',
        name: text('Push files', 'Đẩy tệp', '推送文件'),
        path: '/file-cloud-push',
        is_hidden: true,
        operations: [act('fileCloudPush:push', 'Push files to devices', 'Đẩy tệp đến thiết bị', '推送文件到设备')],
      },
    ],
  },
  {
    code: 'operation-log-manage',
    name: text('Operation', 'Vận hành', '运维管理'),
    icon: 'operation',
    end_type: 1,
    pages: [
      {
        code: 'operationLogList',
        name: text('Operation log', 'Nhật ký thao tác', '操作日志'),
        path: '/operation-log-list',
        icon: 'log',
      },
    ],
  },
  {
    code: 'mdm-manage',
    name: text('MDM management', 'Quản lý MDM', 'MDM 管理'),
    icon: 'manage',
    end_type: 2,
    pages: [
      {
        code: 'externalUserManageList',
        name: text('External users', 'Người dùng ngoài', '外部用户'),
        path: '/external-user-manage-list',
        icon: 'users',
        operations: [
          act('externalUserManageList:enter', 'Enter a customer', 'Vào tài khoản khách hàng', '进入客户账号'),
        ],
      },
      {
        code: 'informationListClientCode',
        name: text('Customer codes', 'Mã khách hàng', '客户代码'),
        path: '/information-list/client-code',
        icon: 'list',
        operations: [
          act('informationListClientCode:delete', 'Delete customer codes', 'Xóa mã khách hàng', '删除客户代码'),
        ],
      },
      {
        code: 'clientCodeAdd',
        name: text('Add customer code', 'Thêm mã khách hàng', '添加客户代码'),
        path: '/client-code-add',
        is_hidden: true,
      },
      {
        code: 'clientCodeEdit',
        name: text('Edit customer code', 'Sửa mã khách hàng', '编辑客户代码'),
        path: '/client-code-edit',
        is_hidden: true,
      },
      {
        code: 'opsOperationLogList',
        name: text('Operation log (all)', 'Nhật ký thao tác (tất cả)', '操作日志（全部）'),
        path: '/ops-operation-log-list',
        icon: 'log',
      },
    ],
  },
]
