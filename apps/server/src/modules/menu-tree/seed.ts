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

/** A screen of both sides has an entry on each: the second one has a code of its own and names the permission. */
type SecondPage = Omit<Page, 'code'> & { code: string; access_code: Permission }
const home = { name: text('Home', 'Trang chủ', '首页'), path: '/home/index', icon: 'home' }

/** Pages that stand beside the groups. */
export const seedPages: ((Page | SecondPage) & { end_type: 1 | 2 })[] = [
  { ...home, code: 'homeIndex', end_type: 1 },
  { ...home, code: 'opsHomeIndex', access_code: 'homeIndex', end_type: 2 },
]

/** The permission that an entry asks for. */
export const accessOf = (page: Page | SecondPage): Permission => ('access_code' in page ? page.access_code : page.code)

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
          act(
            'deviceList:qrcode',
            'Permanent and set-up QR codes',
            'Mã QR cố định và mã cài đặt',
            '永久二维码与初始化二维码',
          ),
          act('deviceList:edit', 'Edit devices', 'Sửa thiết bị', '编辑设备'),
          act('deviceList:move', 'Move devices', 'Di chuyển thiết bị', '移动设备'),
          act(
            'deviceList:cancel',
            'Deregister or scrap devices',
            'Hủy đăng ký hoặc loại bỏ thiết bị',
            '注销或报废设备',
          ),
          act('deviceList:group', 'Manage groups', 'Quản lý nhóm', '管理分组'),
          act('deviceList:field', 'Manage device fields', 'Quản lý trường thiết bị', '管理设备字段'),
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
        name: text('Push message', 'Gửi tin nhắn', '推送消息'),
        path: '/device-detail/push-message',
        is_hidden: true,
        operations: [act('deviceDetailPushMessage:push', 'Push a message', 'Gửi tin nhắn', '推送消息')],
      },
      {
        code: 'deviceDetailConfig',
        name: text('Configuration of a device', 'Cấu hình thiết bị', '设备配置'),
        path: '/device-detail/config',
        is_hidden: true,
        operations: [
          act('deviceDetailConfig:edit', 'Configure devices', 'Cấu hình thiết bị', '配置设备'),
          act(
            'deviceDetailConfig:group',
            'Configure groups and the account',
            'Cấu hình nhóm và tài khoản',
            '配置分组和账号',
          ),
        ],
      },
      {
        code: 'deviceDetailApp',
        name: text('Apps of a device', 'Ứng dụng trên thiết bị', '设备应用'),
        path: '/device-detail/app',
        is_hidden: true,
        operations: [
          act('deviceDetailApp:uninstall', 'Uninstall apps', 'Gỡ ứng dụng', '卸载应用'),
          act('deviceDetailApp:permission', 'Set permissions of apps', 'Đặt quyền của ứng dụng', '设置应用权限'),
        ],
      },
      {
        code: 'deviceDetailFileManager',
        name: text('Files of a device', 'Tệp trên thiết bị', '设备文件'),
        path: '/device-detail/file-manager',
        is_hidden: true,
        operations: [
          act('deviceDetailFileManager:write', 'Change files on devices', 'Thay đổi tệp trên thiết bị', '修改设备文件'),
        ],
      },
      {
        code: 'deviceDetailRun',
        name: text('Running information', 'Thông tin vận hành', '运行信息'),
        path: '/device-detail/run',
        is_hidden: true,
        operations: [act('deviceDetailRun:log', 'Fetch logs', 'Lấy nhật ký', '获取日志')],
      },
      {
        code: 'deviceDetailEvent',
        name: text('Device events', 'Sự kiện thiết bị', '设备事件'),
        path: '/device-detail/event',
        is_hidden: true,
      },
      {
        code: 'deviceDetailLocation',
        name: text('Location', 'Vị trí', '位置'),
        path: '/device-detail/location',
        is_hidden: true,
        operations: [act('deviceDetailLocation:refresh', 'Ask for the position', 'Yêu cầu báo vị trí', '刷新位置')],
      },
      {
        code: 'deviceDetailFsCapture',
        name: text('Screenshots', 'Ảnh chụp màn hình', '屏幕截图'),
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
    code: 'base-setting',
    name: text('Settings', 'Thiết lập', '基础设置'),
    icon: 'settings',
    end_type: 1,
    pages: [
      {
        code: 'subAccountManageList',
        name: text('Sub-accounts', 'Tài khoản con', '子账号'),
        path: '/sub-account-manage-list',
        icon: 'sub-accounts',
        operations: [
          act('subAccountManageList:disable', 'Enable or disable', 'Bật hoặc tắt', '启用或停用'),
          act('subAccountManageList:delete', 'Delete sub-accounts', 'Xóa tài khoản con', '删除子账号'),
        ],
      },
      {
        code: 'userManageSubAccountManageAdd',
        name: text('Add sub-account', 'Thêm tài khoản con', '添加子账号'),
        path: '/user-manage/sub-account-manage-add',
        is_hidden: true,
      },
      {
        code: 'userManageSubAccountManageEdit',
        name: text('Edit sub-account', 'Sửa tài khoản con', '编辑子账号'),
        path: '/user-manage/sub-account-manage-edit',
        is_hidden: true,
      },
      {
        code: 'userAccountManageList',
        name: text('User accounts', 'Tài khoản người dùng', '用户账号'),
        path: '/user-account-manage-list',
        icon: 'users',
        operations: [
          act('userAccountManageList:delete', 'Delete user accounts', 'Xóa tài khoản người dùng', '删除用户账号'),
        ],
      },
      {
        code: 'userAccountManageAdd',
        name: text('Add user account', 'Thêm tài khoản người dùng', '添加用户账号'),
        path: '/user-account-manage-add',
        is_hidden: true,
      },
      {
        code: 'userAccountManageEdit',
        name: text('Edit user account', 'Sửa tài khoản người dùng', '编辑用户账号'),
        path: '/user-account-manage-edit',
        is_hidden: true,
      },
      {
        code: 'userRoleManageList',
        name: text('User roles', 'Vai trò người dùng', '用户角色'),
        path: '/user-role-manage-list',
        icon: 'roles',
        operations: [
          act('userRoleManageList:edit', 'Create and edit roles', 'Tạo và sửa vai trò', '新建和编辑角色'),
          act('userRoleManageList:delete', 'Delete roles', 'Xóa vai trò', '删除角色'),
        ],
      },
      {
        code: 'webhookList',
        name: text('Webhooks', 'Webhook', 'Webhook'),
        path: '/webhook-list',
        icon: 'webhook',
        operations: [act('webhookList:edit', 'Create and edit webhooks', 'Tạo và sửa webhook', '新建和编辑 Webhook')],
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
        name: text('Customers', 'Khách hàng', '客户'),
        path: '/external-user-manage-list',
        icon: 'users',
        operations: [
          act('externalUserManageList:enter', 'Enter a customer', 'Vào tài khoản khách hàng', '进入客户账号'),
          act(
            'externalUserManageList:register',
            'Register devices for customers',
            'Đăng ký thiết bị cho khách hàng',
            '为客户注册设备',
          ),
          act('externalUserManageList:disable', 'Enable or disable', 'Bật hoặc tắt', '启用或停用'),
          act('externalUserManageList:renew', 'Renew', 'Gia hạn', '续期'),
          act('externalUserManageList:space', 'Change disk space', 'Đổi dung lượng', '修改磁盘空间'),
          act('externalUserManageList:reset_totp', 'Switch off two-factor', 'Tắt xác thực hai bước', '关闭两步验证'),
        ],
      },
      {
        code: 'mdmManageExternalUserManageAdd',
        name: text('Add customer', 'Thêm khách hàng', '添加客户'),
        path: '/mdm-manage/external-user-manage-add',
        is_hidden: true,
      },
      {
        code: 'mdmManageExternalUserManageEdit',
        name: text('Edit customer', 'Sửa khách hàng', '编辑客户'),
        path: '/mdm-manage/external-user-manage-edit',
        is_hidden: true,
      },
      {
        code: 'insideUserManageList',
        name: text('Internal users', 'Người dùng nội bộ', '内部用户'),
        path: '/inside-user-manage-list',
        icon: 'inside-users',
        operations: [
          act('insideUserManageList:delete', 'Delete internal users', 'Xóa người dùng nội bộ', '删除内部用户'),
        ],
      },
      {
        code: 'mdmManageInsideUserManageAdd',
        name: text('Add internal user', 'Thêm người dùng nội bộ', '添加内部用户'),
        path: '/mdm-manage/inside-user-manage-add',
        is_hidden: true,
      },
      {
        code: 'mdmManageInsideUserManageEdit',
        name: text('Edit internal user', 'Sửa người dùng nội bộ', '编辑内部用户'),
        path: '/mdm-manage/inside-user-manage-edit',
        is_hidden: true,
      },
      {
        code: 'insideRoleManageList',
        name: text('Internal roles', 'Vai trò nội bộ', '内部角色'),
        path: '/inside-role-manage-list',
        icon: 'roles',
        operations: [
          act('insideRoleManageList:edit', 'Create and edit roles', 'Tạo và sửa vai trò', '新建和编辑角色'),
          act('insideRoleManageList:delete', 'Delete roles', 'Xóa vai trò', '删除角色'),
        ],
      },
      {
        code: 'searchList',
        name: text('Device search', 'Tìm thiết bị', '设备搜索'),
        path: '/search-list',
        icon: 'search',
        operations: [act('searchList:restore', 'Undo scrapping', 'Khôi phục thiết bị đã loại bỏ', '恢复已报废设备')],
      },
      {
        code: 'policyList',
        name: text('Policies', 'Chính sách', '策略'),
        path: '/policy-list',
        icon: 'policy',
        operations: [
          act('policyList:edit', 'Create and edit policies', 'Tạo và sửa chính sách', '新建和编辑策略'),
          act('policyList:delete', 'Delete policies', 'Xóa chính sách', '删除策略'),
          act('policyList:import', 'Put devices on policies', 'Thêm thiết bị vào chính sách', '导入策略设备'),
        ],
      },
      {
        code: 'contentReportList',
        name: text('Content report', 'Báo cáo nội dung', '内容报表'),
        path: '/content-report-list',
        icon: 'report',
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
        code: 'menuTreeList',
        name: text('Menu tree', 'Cây menu', '菜单树'),
        path: '/menu-tree-list',
        icon: 'menu-tree',
        operations: [act('menuTreeList:delete', 'Delete menu entries', 'Xóa mục menu', '删除菜单项')],
      },
      {
        code: 'mdmManageMenuTreeAdd',
        name: text('Add menu entry', 'Thêm mục menu', '添加菜单项'),
        path: '/mdm-manage/menu-tree-add',
        is_hidden: true,
      },
      {
        code: 'mdmManageMenuTreeEdit',
        name: text('Edit menu entry', 'Sửa mục menu', '编辑菜单项'),
        path: '/mdm-manage/menu-tree-edit',
        is_hidden: true,
      },
      {
        code: 'opsWebhookList',
        name: text('Webhooks', 'Webhook', 'Webhook'),
        path: '/ops-webhook-list',
        icon: 'webhook',
        operations: [
          act('opsWebhookList:edit', 'Create and edit webhooks', 'Tạo và sửa webhook', '新建和编辑 Webhook'),
        ],
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
