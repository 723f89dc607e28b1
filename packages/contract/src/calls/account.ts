import * as z from 'zod'
import { group, read, write } from '../kit.ts'
import {
  ByKid,
  Count,
  Done,
  edited,
  Instant,
  JsonValue,
  Kid,
  languages,
  Nothing,
  QueryInt,
  text,
  shaped,
} from '../wire.ts'
import { Zone } from '../zones.ts'
import { Belonging, Contact, PasswordHash, PersonName, TotpCode } from './people.ts'

export const AccountInfo = z.object({
  kid: Kid,
  username: z.string(),
  name: z.string(),
  phone: z.string().nullable(),
  email: z.string().nullable(),
  wechat: z.string().nullable(),
  organization_name: z.string().nullable(),
  ...Belonging,
  type: z.number(),
  roles: z.array(z.string()),
  has_totp: z.boolean(),
  recovery_codes_left: Count,
  has_oidc: z.boolean().describe('whether an identity of the OpenID Connect provider is linked'),
  language: z.enum(languages).nullable(),
  zone_id: z.string().nullable(),
  map_type: z.enum(['1', '2']).nullable(),
  last_use_at: Instant.nullable(),
})

export const Inventory = z.object({
  terminal_max: Count,
  terminal_count: Count,
  given: Count.describe('places that its sub-accounts use or that are kept for them'),
  remaining: Count.describe('what it may still register or give to a sub-account'),
  is_enough: z.boolean(),
})

export const account = group('account', text('Account', 'Tài khoản', '账号'), {
  info: read('GET', {
    needs: 'signed_in',
    title: text('Read own account', 'Đọc tài khoản', '读取账号信息'),
    input: Nothing,
    output: AccountInfo,
  }),
  save_preferences: write('POST', {
    needs: 'signed_in',
    title: text('Save preferences', 'Lưu tùy chọn', '保存偏好设置'),
    input: z.object({
      language: z.enum(languages).optional(),
      zone_id: Zone.optional(),
      map_type: z.enum(['1', '2']).optional(),
    }),
    output: Done,
  }),
  check_inventory: read('GET', {
    // Whoever manages sub-accounts asks it as well as who registers devices; it tells of the own account only.
    needs: 'signed_in',
    scope: 'tenant',
    title: text('Check remaining places', 'Kiểm tra số lượng còn lại', '检查剩余名额'),
    input: z.object({
      parent_kid: Kid.optional(),
      src_kid: Kid.optional(),
      num: QueryInt.min(0).max(1_000_000).default(0),
    }),
    output: Inventory,
  }),
  update_info: write('POST', {
    needs: 'signed_in',
    title: text('Change own details', 'Sửa thông tin cá nhân', '修改个人信息'),
    input: edited(z.object({ name: PersonName, ...Contact }).omit({ remark: true })),
    output: Done,
    errors: ['duplicate_email', 'duplicate_phone'],
    is_personal: true,
  }),
  change_password: write('POST', {
    needs: 'signed_in',
    title: text('Change own password', 'Đổi mật khẩu', '修改密码'),
    input: z.object({ old_password: PasswordHash, new_password: PasswordHash }),
    output: Done.describe('every other session of this person has ended'),
    errors: ['password_wrong', 'login_locked'],
    is_personal: true,
  }),
  list_session: read('GET', {
    needs: 'signed_in',
    title: text('List own sessions', 'Danh sách phiên làm việc', '会话列表'),
    input: Nothing,
    output: z.array(
      z.object({
        kid: Kid,
        is_current: z.boolean(),
        address: z.string(),
        os: z.string().nullable(),
        browser: z.string().nullable(),
        created_at: Instant,
        last_use_at: Instant,
        expires_at: Instant,
      }),
    ),
    is_personal: true,
  }),
  end_session: write('POST', {
    needs: 'signed_in',
    title: text('End a session', 'Kết thúc phiên', '结束会话'),
    input: ByKid,
    output: Done,
    is_personal: true,
  }),
  end_other_sessions: write('POST', {
    needs: 'signed_in',
    title: text('End all other sessions', 'Kết thúc các phiên khác', '结束其他会话'),
    input: Nothing,
    output: z.object({ ended: Count }),
    is_personal: true,
  }),
  totp_begin: write('POST', {
    needs: 'signed_in',
    title: text('Begin two-factor set-up', 'Bắt đầu thiết lập hai bước', '开始设置两步验证'),
    input: Nothing,
    output: z.object({ secret: z.string().describe('Base32'), otpauth_url: z.string() }),
    errors: ['conflict'],
    is_personal: true,
    asks_password: () => true,
  }),
  totp_enable: write('POST', {
    needs: 'signed_in',
    title: text('Switch on two-factor sign-in', 'Bật xác thực hai bước', '启用两步验证'),
    input: z.object({ totp_code: TotpCode }),
    output: z.object({ recovery_tokens: z.array(z.string()).describe('each signs in once; shown this once') }),
    errors: ['totp_wrong', 'conflict', 'login_locked'],
    is_personal: true,
  }),
  totp_disable: write('POST', {
    needs: 'signed_in',
    title: text('Switch off own two-factor sign-in', 'Tắt xác thực hai bước của mình', '关闭自己的两步验证'),
    input: Nothing,
    output: Done,
    is_personal: true,
    asks_password: () => true,
  }),
  oidc_link: write('POST', {
    needs: 'signed_in',
    title: text('Link an external identity', 'Liên kết danh tính ngoài', '绑定外部身份'),
    input: z.object({ link_token: z.string().max(200).describe('from the address the provider led back to') }),
    output: Done,
    errors: ['oidc_expired', 'oidc_linked'],
    is_personal: true,
    asks_password: () => true,
  }),
  oidc_unlink: write('POST', {
    needs: 'signed_in',
    title: text('Unlink the external identity', 'Hủy liên kết danh tính ngoài', '解除外部身份绑定'),
    input: Nothing,
    output: Done,
    is_personal: true,
    asks_password: () => true,
  }),
  preferences: read('GET', {
    needs: 'signed_in',
    title: text('Read what the console remembers', 'Đọc tùy chọn giao diện', '读取界面偏好'),
    input: Nothing,
    output: z.array(z.object({ key: z.string(), value: z.unknown() })),
  }),
  save_preference: write('POST', {
    needs: 'signed_in',
    title: text('Remember something for the console', 'Lưu tùy chọn giao diện', '保存界面偏好'),
    input: z.object({
      key: z.string().regex(...shaped('preference_key', /^(columns|views|sort|panel)\.[a-z0-9-]{1,60}$/)),
      value: JsonValue.describe('32 KB at most; null forgets it'),
    }),
    output: Done,
    is_unlogged: true,
  }),
})
