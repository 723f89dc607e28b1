import { text } from '../wire.ts'
import { page, pageGroup } from './kit.ts'

export const baseSetting = pageGroup(
  'base-setting',
  text('Settings', 'Thiết lập', '基础设置'),
  { icon: 'settings', end_type: 1 },
  {
    subAccountManageList: page('/sub-account-manage-list', text('Sub-accounts', 'Tài khoản con', '子账号'), {
      icon: 'sub-accounts',
      operations: {
        disable: text('Enable or disable', 'Bật hoặc tắt', '启用或停用'),
        delete: text('Delete sub-accounts', 'Xóa tài khoản con', '删除子账号'),
      },
    }),
    userManageSubAccountManageAdd: page(
      '/user-manage/sub-account-manage-add',
      text('Create sub-account', 'Tạo tài khoản con', '新建子账号'),
      { parent: 'subAccountManageList' },
    ),
    userManageSubAccountManageEdit: page(
      '/user-manage/sub-account-manage-edit',
      text('Edit sub-account', 'Sửa tài khoản con', '编辑子账号'),
      { parent: 'subAccountManageList', record: 'kid' },
    ),
    userAccountManageList: page(
      '/user-account-manage-list',
      text('User accounts', 'Tài khoản người dùng', '用户账号'),
      {
        icon: 'users',
        operations: { delete: text('Delete user accounts', 'Xóa tài khoản người dùng', '删除用户账号') },
      },
    ),
    userAccountManageAdd: page(
      '/user-account-manage-add',
      text('Add user account', 'Thêm tài khoản người dùng', '添加用户账号'),
      { parent: 'userAccountManageList' },
    ),
    userAccountManageEdit: page(
      '/user-account-manage-edit',
      text('Edit user account', 'Sửa tài khoản người dùng', '编辑用户账号'),
      { parent: 'userAccountManageList', query: ['kid'] },
    ),
    userRoleManageList: page('/user-role-manage-list', text('User roles', 'Vai trò người dùng', '用户角色'), {
      icon: 'roles',
      operations: {
        edit: text('Create and edit roles', 'Tạo và sửa vai trò', '新建和编辑角色'),
        delete: text('Delete roles', 'Xóa vai trò', '删除角色'),
      },
    }),
    webhookList: page('/webhook-list', text('Webhooks', 'Webhook', 'Webhook'), {
      icon: 'webhook',
      operations: { edit: text('Create and edit webhooks', 'Tạo và sửa webhook', '新建和编辑 Webhook') },
    }),
  },
)
