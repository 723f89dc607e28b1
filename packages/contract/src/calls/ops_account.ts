import * as z from 'zod'
import { constants } from '../constants.ts'
import { group, ofProvider, read, write } from '../kit.ts'
import { ByKid, Bytes, Count, Done, edited, Instant, Kid, Line, Nothing, paged, paging, Search, text } from '../wire.ts'
import {
  AccountState,
  Belonging,
  Contact,
  ContactShown,
  FirstPassword,
  Invitation,
  InvitationState,
  invite,
  listGrantable,
  NewPassword,
  Permissions,
} from './people.ts'
import { PersonExists, PersonName, SetStatus, Username } from './people.ts'

export const CustomerRow = z.object({
  kid: Kid,
  username: z.string(),
  name: z.string(),
  organization_name: z.string().nullable(),
  type: z.number(),
  parent_kid: Kid.nullable(),
  state: AccountState,
  is_expired: z.boolean(),
  terminal_max: Count,
  terminal_count: Count,
  user_max: Count.nullable().describe('user accounts it may have; null is no limit'),
  user_count: Count,
  expire_time: Instant.nullable(),
  last_use_at: Instant.nullable(),
  fae_kid: Kid.nullable().describe('technical-support owner'),
  fae_name: z.string().nullable(),
  invitation: InvitationState.describe('of its root login'),
  created_at: Instant,
  can: z.array(z.enum(['enter', 'disable', 'enable', 'renew'])).describe('what may be done with this row now'),
})
export type CustomerRow = z.output<typeof CustomerRow>

export const Customer = CustomerRow.extend({
  ...ContactShown,
  ...Belonging,
  user_kid: Kid.describe('its root login'),
  sub_accounts_allowed: z.boolean(),
  permissions: z.array(z.string()).describe('names and patterns its administrators hold; its other roles hold no more'),
  file_disk_space: Bytes,
  file_disk_used: Bytes,
  app_center_space: Bytes,
  app_center_used: Bytes,
})
export type Customer = z.output<typeof Customer>

export const TerminalMax = z.number().int().min(0).max(constants.unlimited_devices)
const Draft = z.object({
  name: PersonName.describe('name of the customer'),
  organization_name: Line(128).nullable().default(null),
  ...Contact,
  terminal_max: TerminalMax,
  user_max: z.number().int().min(1).max(100_000).nullable().default(null),
  expire_time: z.iso.datetime().nullable().default(null),
  sub_accounts_allowed: z.boolean().default(false),
  fae_kid: Kid.nullable().default(null),
  permissions: Permissions.default(['*']),
})
const draftErrors = ['duplicate_email', 'duplicate_phone', 'duplicate_name', 'fae_unknown'] as const

export const opsAccount = group(ofProvider('ops/account'), text('Customers', 'Khách hàng', '客户'), {
  paging: read('POST', {
    needs: 'externalUserManageList',
    title: text('List customers', 'Danh sách khách hàng', '客户列表'),
    input: paging(['name', 'username', 'expire_time', 'terminal_count', 'last_use_at', 'created_at']).extend({
      text: Search,
      state: AccountState.optional(),
      type: z.union([z.literal(1), z.literal(2)]).optional(),
      fae_kid: Kid.optional(),
      expires_within_days: z.number().int().min(0).max(3650).optional().describe('also what has expired'),
    }),
    output: paged(CustomerRow),
  }),
  get: read('GET', {
    needs: 'externalUserManageList',
    title: text('Read a customer', 'Đọc khách hàng', '读取客户'),
    input: ByKid,
    output: Customer,
  }),
  exists: read('GET', {
    needs: 'externalUserManageList',
    title: text('Check a login name', 'Kiểm tra tên đăng nhập', '检查登录名'),
    ...PersonExists,
  }),
  list_grantable: read('GET', { needs: 'externalUserManageList', ...listGrantable }),
  list_fae: read('GET', {
    needs: 'externalUserManageList',
    title: text('List technical-support owners', 'Danh sách phụ trách kỹ thuật', '技术支持负责人列表'),
    input: Nothing,
    output: z.array(z.object({ kid: Kid, name: z.string(), username: z.string() })),
  }),
  insert: write('POST', {
    needs: 'mdmManageExternalUserManageAdd',
    title: text('Create a customer', 'Tạo khách hàng', '新建客户'),
    input: Draft.extend({ username: Username, password: FirstPassword }),
    output: z.object({ kid: Kid, user_kid: Kid, invitation: Invitation.nullable() }),
    errors: [
      'duplicate_login_name',
      ...draftErrors,
      'role_beyond_own',
      'registered_users_exceed_limit',
      'activation_missing',
      'activation_expired',
    ],
    tells: 'account.created',
  }),
  invite: write('POST', {
    needs: 'mdmManageExternalUserManageEdit',
    ...invite,
    tells: 'user.updated',
  }),
  update: write('POST', {
    needs: 'mdmManageExternalUserManageEdit',
    title: text('Edit a customer', 'Sửa khách hàng', '编辑客户'),
    input: edited(Draft).extend({ kid: Kid, password: NewPassword }),
    output: Done,
    errors: [...draftErrors, 'terminal_max_below_count', 'registered_devices_exceed_limit', 'role_beyond_own'],
    tells: 'account.updated',
  }),
  set_status: write('POST', {
    needs: 'externalUserManageList:disable',
    title: text('Enable or disable a customer', 'Bật hoặc tắt khách hàng', '启用或停用客户'),
    input: SetStatus,
    output: Done,
    asks_password: ({ status }) => status === 'invalid',
    tells: ({ status }) => (status === 'invalid' ? 'account.disabled' : 'account.enabled'),
  }),
  renew: write('POST', {
    needs: 'externalUserManageList:renew',
    title: text('Renew a customer', 'Gia hạn khách hàng', '客户续期'),
    input: z.object({
      kid: Kid,
      expire_time: z.iso.datetime().nullable().describe('null: it never expires'),
      terminal_max: TerminalMax.optional(),
    }),
    output: Done,
    errors: ['terminal_max_below_count', 'registered_devices_exceed_limit'],
    tells: 'account.renewed',
  }),
  reset_totp: write('POST', {
    needs: 'externalUserManageList:reset_totp',
    title: text('Switch off two-factor sign-in', 'Tắt xác thực hai bước', '关闭两步验证'),
    input: ByKid,
    output: Done,
    errors: ['role_beyond_own'],
    asks_password: () => true,
    tells: 'user.updated',
  }),
  enter: write('POST', {
    needs: 'externalUserManageList:enter',
    title: text('Enter a customer', 'Vào tài khoản khách hàng', '进入客户账号'),
    input: ByKid,
    output: z.object({ enter_kid: Kid, enter_name: Line(128) }),
    // An API token has no session that could remember it: it names the customer in every request.
    is_personal: true,
    works_on_full_disk: true,
  }),
  leave: write('POST', {
    needs: 'signed_in',
    title: text('Leave a customer', 'Rời tài khoản khách hàng', '退出客户账号'),
    input: Nothing,
    output: Done,
    is_personal: true,
    works_on_full_disk: true,
    is_about_session: true,
  }),
  get_elements: read('GET', {
    needs: 'externalUserManageList',
    title: text(
      'Read what an account, role or user may do',
      'Đọc quyền của tài khoản, vai trò hoặc người dùng',
      '读取账号、角色或用户的权限',
    ),
    input: z.object({ scope: z.enum(['account', 'role', 'user']).default('account'), scope_kid: Kid }),
    output: z.object({
      permissions: z.array(z.string()),
      elements: z.array(z.string()).describe('every name that they cover'),
    }),
  }),
})
