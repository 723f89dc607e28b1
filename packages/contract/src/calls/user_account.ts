import * as z from 'zod'
import { group, ofProvider, read, withinGroups, write } from '../kit.ts'
import { ByKid, Count, Done, edited, Instant, Kid, Nothing, paged, paging, Search, text } from '../wire.ts'
import {
  AccountState,
  Belonging,
  Contact,
  ContactShown,
  FirstPassword,
  Invitation,
  InvitationState,
  invite,
  NewPassword,
  PersonExists,
} from './people.ts'
import { PersonName, RoleName, SetStatus, Username } from './people.ts'

const Person = z.object({
  kid: Kid,
  username: z.string(),
  name: z.string(),
  ...ContactShown,
  state: AccountState,
  roles: z.array(RoleName),
  has_totp: z.boolean(),
  invitation: InvitationState,
  last_use_at: Instant.nullable(),
  created_at: Instant,
  can: z
    .array(z.enum(['edit', 'invite', 'disable', 'enable', 'delete', 'reset_totp']))
    .describe('what may be done with this row now'),
})
export const UserAccountRow = Person.extend({
  group_kids: z.array(Kid).describe('device groups (with all below) this person is limited to; empty is no limit'),
})
export type UserAccountRow = z.output<typeof UserAccountRow>
export const InsideUserRow = Person
export type InsideUserRow = z.output<typeof InsideUserRow>

/** For those who look after people and may not see the roles themselves. */
const RoleChoice = RoleName.extend({
  parent_kid: Kid.nullable(),
  weight: z.number().int(),
  can_assign: z.boolean().describe('whether the caller may give it to somebody'),
})
export type RoleChoice = z.output<typeof RoleChoice>
const listRole = {
  title: text('List roles to choose from', 'Danh sách vai trò để chọn', '可选角色列表'),
  input: Nothing,
  output: z.array(RoleChoice).describe('parents before children'),
}

const RoleKids = z.array(Kid).min(1).max(20)
const Draft = z.object({ name: PersonName, ...Contact, role_kids: RoleKids })
const UserDraft = Draft.extend({ group_kids: z.array(Kid).max(500).default([]) })
const filter = paging(['username', 'name', 'last_use_at', 'created_at']).extend({
  text: Search,
  state: AccountState.optional(),
  role_kid: Kid.optional(),
})
const draftErrors = ['duplicate_email', 'duplicate_phone', 'role_unknown', 'role_weight', 'role_beyond_own'] as const
const Added = ByKid.extend({ invitation: Invitation.nullable() })
const ownErrors = ['own_account', 'role_weight'] as const

const group_title = text('User accounts', 'Tài khoản người dùng', '用户账号')
/** People of the account acted for (type 3), limited by roles and, optionally, to device groups. */
export const userAccount = group(withinGroups('user_account'), group_title, {
  paging: read('POST', {
    needs: 'userAccountManageList',
    title: text('List user accounts', 'Danh sách tài khoản người dùng', '用户账号列表'),
    input: filter,
    output: paged(UserAccountRow),
  }),
  get: read('GET', {
    needs: 'userAccountManageList',
    title: text('Read a user account', 'Đọc tài khoản người dùng', '读取用户账号'),
    input: ByKid,
    output: UserAccountRow.extend(Belonging),
  }),
  exists: read('GET', {
    needs: 'userAccountManageList',
    title: text('Check a login name', 'Kiểm tra tên đăng nhập', '检查登录名'),
    ...PersonExists,
  }),
  list_role: read('GET', { needs: 'userAccountManageList', ...listRole }),
  inventory: read('GET', {
    needs: 'userAccountManageList',
    title: text('Check remaining user accounts', 'Kiểm tra số tài khoản còn lại', '检查剩余用户数'),
    input: z.object({}),
    output: z.object({ user_max: Count.nullable(), user_count: Count }),
  }),
  insert: write('POST', {
    needs: 'userAccountManageAdd',
    title: text('Create a user account', 'Tạo tài khoản người dùng', '新建用户账号'),
    input: UserDraft.extend({ username: Username, password: FirstPassword }),
    output: Added,
    errors: ['duplicate_login_name', ...draftErrors, 'group_unknown', 'registered_users_exceed_limit'],
    tells: 'user.created',
  }),
  invite: write('POST', {
    needs: 'userAccountManageEdit',
    ...invite,
    errors: [...ownErrors, ...invite.errors],
    tells: 'user.updated',
  }),
  update: write('POST', {
    needs: 'userAccountManageEdit',
    title: text('Edit a user account', 'Sửa tài khoản người dùng', '编辑用户账号'),
    input: edited(UserDraft).extend({ kid: Kid, password: NewPassword }),
    output: Done,
    errors: [...draftErrors, 'group_unknown', 'own_account'],
    tells: 'user.updated',
  }),
  set_status: write('POST', {
    needs: 'userAccountManageEdit',
    title: text('Enable or disable a user account', 'Bật hoặc tắt tài khoản người dùng', '启用或停用用户账号'),
    input: SetStatus,
    output: Done,
    errors: [...ownErrors],
    tells: ({ status }) => (status === 'invalid' ? 'user.disabled' : 'user.updated'),
  }),
  reset_totp: write('POST', {
    needs: 'userAccountManageEdit',
    title: text('Switch off two-factor sign-in', 'Tắt xác thực hai bước', '关闭两步验证'),
    input: ByKid,
    output: Done,
    errors: [...ownErrors, 'role_beyond_own'],
    asks_password: () => true,
    tells: 'user.updated',
  }),
  delete: write('POST', {
    needs: 'userAccountManageList:delete',
    title: text('Delete a user account', 'Xóa tài khoản người dùng', '删除用户账号'),
    input: ByKid,
    output: Done,
    errors: [...ownErrors],
    asks_password: () => true,
    works_on_full_disk: true,
    tells: 'user.deleted',
  }),
})

/** The provider's own people (type 101). */
export const opsInsideUser = group(
  ofProvider('ops/inside_user'),
  text('Internal users', 'Người dùng nội bộ', '内部用户'),
  {
    paging: read('POST', {
      needs: 'insideUserManageList',
      title: text('List internal users', 'Danh sách người dùng nội bộ', '内部用户列表'),
      input: filter,
      output: paged(InsideUserRow),
    }),
    get: read('GET', {
      needs: 'insideUserManageList',
      title: text('Read an internal user', 'Đọc người dùng nội bộ', '读取内部用户'),
      input: ByKid,
      output: InsideUserRow.extend(Belonging),
    }),
    exists: read('GET', {
      needs: 'insideUserManageList',
      title: text('Check a login name', 'Kiểm tra tên đăng nhập', '检查登录名'),
      ...PersonExists,
    }),
    list_role: read('GET', { needs: 'insideUserManageList', ...listRole }),
    insert: write('POST', {
      needs: 'mdmManageInsideUserManageAdd',
      title: text('Create an internal user', 'Tạo người dùng nội bộ', '新建内部用户'),
      input: Draft.extend({ username: Username, password: FirstPassword }),
      output: Added,
      errors: ['duplicate_login_name', ...draftErrors],
      tells: 'user.created',
    }),
    invite: write('POST', {
      needs: 'mdmManageInsideUserManageEdit',
      ...invite,
      errors: [...ownErrors, ...invite.errors],
      tells: 'user.updated',
    }),
    update: write('POST', {
      needs: 'mdmManageInsideUserManageEdit',
      title: text('Edit an internal user', 'Sửa người dùng nội bộ', '编辑内部用户'),
      input: edited(Draft).extend({ kid: Kid, password: NewPassword }),
      output: Done,
      errors: [...draftErrors, 'own_account', 'last_administrator'],
      tells: 'user.updated',
    }),
    set_status: write('POST', {
      needs: 'mdmManageInsideUserManageEdit',
      title: text('Enable or disable an internal user', 'Bật hoặc tắt người dùng nội bộ', '启用或停用内部用户'),
      input: SetStatus,
      output: Done,
      errors: [...ownErrors, 'last_administrator'],
      asks_password: ({ status }) => status === 'invalid',
      tells: ({ status }) => (status === 'invalid' ? 'user.disabled' : 'user.updated'),
    }),
    reset_totp: write('POST', {
      needs: 'mdmManageInsideUserManageEdit',
      title: text('Switch off two-factor sign-in', 'Tắt xác thực hai bước', '关闭两步验证'),
      input: ByKid,
      output: Done,
      errors: [...ownErrors, 'role_beyond_own'],
      asks_password: () => true,
      tells: 'user.updated',
    }),
    delete: write('POST', {
      needs: 'insideUserManageList:delete',
      title: text('Delete an internal user', 'Xóa người dùng nội bộ', '删除内部用户'),
      input: ByKid,
      output: Done,
      errors: [...ownErrors, 'last_administrator'],
      asks_password: () => true,
      works_on_full_disk: true,
      tells: 'user.deleted',
    }),
  },
)
