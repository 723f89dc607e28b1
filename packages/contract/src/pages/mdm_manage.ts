import { text } from '../wire.ts'
import { appOperations } from './apk_manage.ts'
import { fileOperations } from './file_manage.ts'
import { page, pageGroup } from './kit.ts'
import { templateOperations } from './utilities_manage.ts'

export const mdmManage = pageGroup(
  'mdm-manage',
  text('MDM management', 'Quản lý MDM', 'MDM 管理'),
  { icon: 'manage', end_type: 2 },
  {
    externalUserManageList: page('/external-user-manage-list', text('Customers', 'Khách hàng', '客户'), {
      icon: 'team',
      operations: {
        enter: text('Enter a customer', 'Vào tài khoản khách hàng', '进入客户账号'),
        register: text('Register devices for customers', 'Đăng ký thiết bị cho khách hàng', '为客户注册设备'),
        disable: text('Enable or disable', 'Bật hoặc tắt', '启用或停用'),
        renew: text('Renew', 'Gia hạn', '续期'),
        space: text('Change disk space', 'Đổi dung lượng', '修改磁盘空间'),
        reset_totp: text('Switch off two-factor', 'Tắt xác thực hai bước', '关闭两步验证'),
      },
    }),
    mdmManageExternalUserManageAdd: page(
      '/mdm-manage/external-user-manage-add',
      text('Create customer', 'Tạo khách hàng', '新建客户'),
      { parent: 'externalUserManageList' },
    ),
    mdmManageExternalUserManageEdit: page(
      '/mdm-manage/external-user-manage-edit',
      text('Edit customer', 'Sửa khách hàng', '编辑客户'),
      { parent: 'externalUserManageList', record: 'kid' },
    ),
    insideUserManageList: page('/inside-user-manage-list', text('Internal users', 'Người dùng nội bộ', '内部用户'), {
      icon: 'inside-users',
      operations: { delete: text('Delete internal users', 'Xóa người dùng nội bộ', '删除内部用户') },
    }),
    mdmManageInsideUserManageAdd: page(
      '/mdm-manage/inside-user-manage-add',
      text('Add internal user', 'Thêm người dùng nội bộ', '添加内部用户'),
      { parent: 'insideUserManageList' },
    ),
    mdmManageInsideUserManageEdit: page(
      '/mdm-manage/inside-user-manage-edit',
      text('Edit internal user', 'Sửa người dùng nội bộ', '编辑内部用户'),
      { parent: 'insideUserManageList', query: ['kid'] },
    ),
    insideRoleManageList: page('/inside-role-manage-list', text('Internal roles', 'Vai trò nội bộ', '内部角色'), {
      icon: 'roles',
      operations: {
        edit: text('Create and edit roles', 'Tạo và sửa vai trò', '新建和编辑角色'),
        delete: text('Delete roles', 'Xóa vai trò', '删除角色'),
      },
    }),
    searchList: page('/search-list', text('Device search', 'Tìm thiết bị', '设备搜索'), {
      icon: 'search',
      operations: { restore: text('Undo scrapping', 'Khôi phục thiết bị đã loại bỏ', '恢复已报废设备') },
    }),
    platformConfig: page('/platform-config', text('Platform configuration', 'Cấu hình nền tảng', '平台配置'), {
      icon: 'configurations',
      operations: { edit: text('Change the platform configuration', 'Thay đổi cấu hình nền tảng', '修改平台配置') },
    }),
    policyList: page('/policy-list', text('Policies', 'Chính sách', '策略'), {
      icon: 'policy',
      operations: {
        edit: text('Create and edit policies', 'Tạo và sửa chính sách', '新建和编辑策略'),
        delete: text('Delete policies', 'Xóa chính sách', '删除策略'),
        import: text('Put devices on policies', 'Thêm thiết bị vào chính sách', '导入策略设备'),
      },
    }),
    platformApkList: page('/platform-apk-list', text('Platform apps', 'Ứng dụng nền tảng', '平台应用'), {
      icon: 'app-center',
      operations: appOperations,
    }),
    platformApkAdd: page('/platform-apk-add', text('Add platform app', 'Thêm ứng dụng nền tảng', '添加平台应用'), {
      parent: 'platformApkList',
    }),
    platformApkDetails: page('/platform-apk-details', text('Platform app', 'Ứng dụng nền tảng', '平台应用详情'), {
      parent: 'platformApkList',
      record: 'kid',
    }),
    platformApkEdit: page('/platform-apk-edit', text('Edit platform app', 'Sửa ứng dụng nền tảng', '编辑平台应用'), {
      parent: 'platformApkList',
      query: ['kid'],
    }),
    platformApkAddVersion: page(
      '/platform-apk-add-version',
      text('Add platform app version', 'Thêm phiên bản ứng dụng nền tảng', '添加平台应用版本'),
      { parent: 'platformApkList', query: ['kid'] },
    ),
    platformApkEditVersion: page(
      '/platform-apk-edit-version',
      text('Edit platform app version', 'Sửa phiên bản ứng dụng nền tảng', '编辑平台应用版本'),
      { parent: 'platformApkList', query: ['kid'] },
    ),
    platformFileList: page('/platform-file-list', text('Platform files', 'Tệp nền tảng', '平台文件'), {
      icon: 'file-cloud',
      operations: fileOperations,
    }),
    platformFileAdd: page('/platform-file-add', text('Add platform files', 'Thêm tệp nền tảng', '添加平台文件'), {
      parent: 'platformFileList',
    }),
    platformFileEdit: page('/platform-file-edit', text('Edit platform file', 'Sửa tệp nền tảng', '编辑平台文件'), {
      parent: 'platformFileList',
      query: ['kid'],
    }),
    opsIstageTemplateList: page('/ops-istage-template-list', text('iStage templates', 'Mẫu iStage', 'iStage 模板'), {
      icon: 'istage-template',
      operations: templateOperations,
    }),
    contentReportList: page('/content-report-list', text('Content report', 'Báo cáo nội dung', '内容报表'), {
      icon: 'report',
    }),
    activateList: page('/activate-list', text('Activations', 'Kích hoạt', '激活列表'), {
      icon: 'activation',
      operations: {
        renew: text('Renew activations', 'Gia hạn kích hoạt', '续期激活'),
        eliminate: text('Eliminate activations', 'Hủy kích hoạt', '作废激活'),
        confirm: text('Enter receipts', 'Nhập biên nhận', '录入回执'),
        activate: text('Activate this server', 'Kích hoạt máy chủ này', '激活本服务器'),
      },
    }),
    privatizationGenerate: page(
      '/privatization-generate',
      text('Issue an activation code', 'Cấp mã kích hoạt', '生成激活码'),
      { parent: 'activateList' },
    ),
    privatizationConfig: page('/privatization-config', text('Private deployment', 'Triển khai riêng', '私有化配置'), {
      icon: 'private-deployment',
    }),
    serverStatus: page('/server-status', text('Server status', 'Trạng thái máy chủ', '服务器状态'), {
      icon: 'server-status',
    }),
    menuTreeList: page('/menu-tree-list', text('Menu tree', 'Cây menu', '菜单树'), {
      icon: 'menu-tree',
      operations: { delete: text('Delete menu entries', 'Xóa mục menu', '删除菜单项') },
    }),
    mdmManageMenuTreeAdd: page('/mdm-manage/menu-tree-add', text('Add menu entry', 'Thêm mục menu', '添加菜单项'), {
      parent: 'menuTreeList',
    }),
    mdmManageMenuTreeEdit: page('/mdm-manage/menu-tree-edit', text('Edit menu entry', 'Sửa mục menu', '编辑菜单项'), {
      parent: 'menuTreeList',
      query: ['kid'],
    }),
    osMdmApiList: page('/os-mdm-api-list', text('API authorization', 'Cấp quyền API', 'API 授权'), {
      icon: 'api',
      operations: { delete: text('Delete API authorizations', 'Xóa cấp quyền API', '删除 API 授权') },
    }),
    osMdmApiAdd: page('/os-mdm-api-add', text('Add API authorization', 'Thêm cấp quyền API', '添加 API 授权'), {
      parent: 'osMdmApiList',
    }),
    osMdmApiEdit: page('/os-mdm-api-edit', text('Edit API authorization', 'Sửa cấp quyền API', '编辑 API 授权'), {
      parent: 'osMdmApiList',
      query: ['kid'],
    }),
    operationTaskList: page('/operation-task-list', text('Operation tasks', 'Tác vụ vận hành', '运维任务'), {
      icon: 'operation-tasks',
      operations: {
        cancel: text('Cancel operation tasks', 'Hủy tác vụ vận hành', '取消运维任务'),
        retry: text('Retry operation tasks', 'Thử lại tác vụ vận hành', '重试运维任务'),
        result: text('Download results', 'Tải kết quả', '下载结果'),
      },
    }),
    operationTaskDetail: page('/operation-task-detail', text('Operation task', 'Tác vụ vận hành', '运维任务详情'), {
      parent: 'operationTaskList',
      record: 'kid',
    }),
    opsWebhookList: page('/ops-webhook-list', text('Webhooks', 'Webhook', 'Webhook'), {
      icon: 'webhook',
      operations: { edit: text('Create and edit webhooks', 'Tạo và sửa webhook', '新建和编辑 Webhook') },
    }),
    opsOperationLogList: page(
      '/ops-operation-log-list',
      text('Global operation log', 'Nhật ký toàn hệ thống', '全局操作日志'),
      { icon: 'log' },
    ),
  },
)
