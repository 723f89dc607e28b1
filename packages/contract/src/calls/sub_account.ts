import * as z from 'zod'
import { group, ofWhole, read, write } from '../kit.ts'
import { ByKid, Count, Done, edited, Instant, Kid, Line, paged, paging, Search, text } from '../wire.ts'
import { DiskSpace, SpaceShare } from './disk_space.ts'
import { TerminalMax } from './ops_account.ts'
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

export const SubAccountRow = z.object({
  kid: Kid,
  user_kid: Kid,
  username: z.string(),
  name: z.string(),
  organization_name: z.string().nullable(),
  ...ContactShown,
  state: AccountState,
  invitation: InvitationState.describe('of its root login'),
  terminal_max: Count,
  terminal_count: Count,
  expire_time: Instant.nullable().describe('its own; the account above ends it too'),
  last_use_at: Instant.nullable(),
  created_at: Instant,
  permissions: z.array(z.string()).describe('names and patterns its administrators hold'),
})
export type SubAccountRow = z.output<typeof SubAccountRow>

const share = 'of the bytes that the account above may store; null: it draws on what is left there'
const Draft = z.object({
  name: PersonName,
  organization_name: Line(128).nullable().default(null),
  ...Contact,
  terminal_max: TerminalMax.describe('its share of the places of the account above'),
  file_disk_share: SpaceShare.default(null).describe(share),
  app_center_share: SpaceShare.default(null).describe(share),
  expire_time: z.iso.datetime().nullable().default(null),
  permissions: Permissions.default(['*']).describe('at most what the account above holds'),
})
const draftErrors = [
  'duplicate_email',
  'duplicate_phone',
  'duplicate_name',
  'registered_devices_exceed_limit',
  'role_beyond_own',
  'storage_beyond_customer',
] as const

/** Accounts below the root account acted for: own devices, own people, a share of the root's places. */
export const subAccount = group(ofWhole('sub_account'), text('Sub-accounts', 'Tài khoản con', '子账号'), {
  paging: read('POST', {
    needs: 'subAccountManageList',
    title: text('List sub-accounts', 'Danh sách tài khoản con', '子账号列表'),
    input: paging(['name', 'username', 'expire_time', 'terminal_count', 'last_use_at', 'created_at']).extend({
      text: Search,
      state: AccountState.optional(),
    }),
    output: paged(SubAccountRow),
  }),
  get: read('GET', {
    needs: 'subAccountManageList',
    title: text('Read a sub-account', 'Đọc tài khoản con', '读取子账号'),
    input: ByKid,
    output: SubAccountRow.extend(Belonging).extend({ file_disk: DiskSpace, app_center: DiskSpace }),
  }),
  list_grantable: read('GET', { needs: 'subAccountManageList', ...listGrantable }),
  exists: read('GET', {
    needs: 'subAccountManageList',
    title: text('Check a login name', 'Kiểm tra tên đăng nhập', '检查登录名'),
    ...PersonExists,
  }),
  insert: write('POST', {
    needs: 'userManageSubAccountManageAdd',
    title: text('Create a sub-account', 'Tạo tài khoản con', '新建子账号'),
    input: Draft.extend({ username: Username, password: FirstPassword }),
    output: z.object({ kid: Kid, user_kid: Kid, invitation: Invitation.nullable() }),
    errors: ['duplicate_login_name', ...draftErrors, 'sub_accounts_not_allowed'],
    tells: 'account.created',
  }),
  invite: write('POST', {
    needs: 'userManageSubAccountManageEdit',
    ...invite,
    tells: 'user.updated',
  }),
  update: write('POST', {
    needs: 'userManageSubAccountManageEdit',
    title: text('Edit a sub-account', 'Sửa tài khoản con', '编辑子账号'),
    input: edited(Draft).extend({ kid: Kid, password: NewPassword }),
    output: Done,
    errors: [...draftErrors, 'terminal_max_below_count', 'storage_below_use'],
    tells: 'account.updated',
  }),
  set_status: write('POST', {
    needs: 'subAccountManageList:disable',
    title: text('Enable or disable a sub-account', 'Bật hoặc tắt tài khoản con', '启用或停用子账号'),
    input: SetStatus,
    output: Done,
    asks_password: ({ status }) => status === 'invalid',
    tells: ({ status }) => (status === 'invalid' ? 'account.disabled' : 'account.enabled'),
  }),
  delete: write('POST', {
    needs: 'subAccountManageList:delete',
    title: text('Delete a sub-account', 'Xóa tài khoản con', '删除子账号'),
    input: ByKid,
    output: Done,
    errors: ['delete_failed'],
    asks_password: () => true,
    works_on_full_disk: true,
  }),
})
