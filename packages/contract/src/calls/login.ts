import * as z from 'zod'
import { gatewayKinds } from '../agents.ts'
import { group, read, write } from '../kit.ts'
import { Count, Done, Instant, Kid, languages, Line, Nothing, text } from '../wire.ts'
import { ownActivationStates } from './activation.ts'
import { PasskeyAnswer, PasskeyOptions } from './passkey.ts'
import { PasswordHash, TotpCode } from './people.ts'

export const Puzzle = z.object({
  puzzle_kid: Kid,
  image: z.string().describe('PNG data URL, the picture with the hole'),
  piece: z.string().describe('PNG data URL, the piece to drag'),
  width: Count,
  height: Count,
  piece_size: Count,
  piece_y: Count.describe('pixels from the top; x is what the person finds'),
  work_bits: Count.describe('zero bits that the SHA-1 of `<puzzle_kid>:<work>` of the answer must begin with'),
})

export const Session = z.object({
  token: z.string().optional().describe('only in the reply to login/login'),
  user_kid: Kid,
  username: z.string(),
  name: z.string(),
  account_type: z.union([z.literal(1), z.literal(2), z.literal(3), z.literal(101)]),
  own_account_kid: Kid.describe('account that calls act for when no customer is entered'),
  account_kid: Kid.describe('account that calls act for now: the entered customer, else own_account_kid'),
  account_name: z.string(),
  enter_kid: Kid.nullable(),
  enter_name: z.string().nullable(),
  permissions: z.array(z.string()).describe('names and patterns, the union of all roles'),
  roles: z.array(z.object({ kid: Kid, code: z.string(), name: z.string() })),
  expire_time: Instant.nullable().describe('of the account acted for, or of its root when that ends first'),
  activation: z
    .object({ state: z.enum(ownActivationStates), ends_at: Instant.nullable() })
    .nullable()
    .describe('of the server, where it needs one; to people of the provider only'),
  gateways: z.array(z.enum(gatewayKinds)).describe('whose agents may join, beside those that speak the device link'),
  language: z.enum(languages).nullable(),
  zone_id: z.string().nullable(),
  map_type: z.enum(['1', '2']).nullable(),
})
export type Session = z.output<typeof Session>

/** The password was right; the second factor is asked for with `login/totp`. */
export const TotpAsked = z.object({ totp_token: z.string(), expires_at: Instant })
export type TotpAsked = z.output<typeof TotpAsked>

export const login = group('login', text('Sign-in', 'Đăng nhập', '登录'), {
  puzzle: read('GET', {
    needs: 'public',
    title: text('Get a slider puzzle', 'Lấy câu đố trượt', '获取滑块拼图'),
    input: Nothing,
    output: Puzzle,
  }),
  check_puzzle: read('POST', {
    needs: 'public',
    title: text('Check a slider puzzle', 'Kiểm tra câu đố trượt', '校验滑块拼图'),
    input: z.object({
      puzzle_kid: Kid,
      x: z.number().min(0).max(2000).describe('left edge of the piece, pixels'),
      track: z
        .array(z.object({ x: z.number(), t: z.number().describe('ms since the drag began') }))
        .min(2)
        .max(2000),
      work: z.string().max(40).default('').describe('as work_bits asks; 0 asks for none'),
    }),
    output: z.object({ puzzle_token: z.string() }),
    errors: ['puzzle_too_fast', 'puzzle_too_slow', 'puzzle_misaligned', 'puzzle_expired'],
  }),
  login: write('POST', {
    needs: 'public',
    title: text('Sign in', 'Đăng nhập', '登录'),
    input: z.object({
      username: Line(64, 1),
      password: PasswordHash.describe('SHA-1, lower-case hex, of what was typed'),
      puzzle_token: z.string().max(200),
    }),
    output: z.union([Session, TotpAsked]),
    errors: ['login_failed', 'login_locked', 'no_role', 'puzzle_expired'],
    works_on_full_disk: true,
    tells: 'user.signed_in',
    tells_refused: 'user.sign_in_failed',
  }),
  forgot_password: write('POST', {
    needs: 'public',
    title: text('Ask for a new password', 'Yêu cầu mật khẩu mới', '申请重设密码'),
    input: z.object({
      username: Line(254, 1).describe('login name or e-mail address'),
      puzzle_token: z.string().max(200),
    }),
    output: Done.describe('whether there is such a person or not: who has an e-mail address gets a link'),
    errors: ['puzzle_expired', 'mail_off'],
  }),
  read_link: read('POST', {
    needs: 'public',
    title: text('Read a link to set a password', 'Đọc liên kết đặt mật khẩu', '读取设置密码的链接'),
    input: z.object({ link_token: z.string().max(200) }),
    output: z.object({
      kind: z.enum(['invitation', 'password_reset']),
      username: z.string(),
      name: z.string(),
      expires_at: Instant,
    }),
    errors: ['link_expired'],
  }),
  set_password: write('POST', {
    needs: 'public',
    title: text('Set the password by a link', 'Đặt mật khẩu bằng liên kết', '通过链接设置密码'),
    input: z.object({ link_token: z.string().max(200), password: PasswordHash }),
    output: z.union([Session, TotpAsked]).describe('every other session of the person has ended'),
    errors: ['link_expired', 'no_role'],
    // Perhaps a second step is still to come: only of the password it is certain.
    tells: 'user.updated',
  }),
  totp: write('POST', {
    needs: 'public',
    title: text('Sign in: second step', 'Đăng nhập: bước hai', '登录：第二步'),
    input: z.object({
      totp_token: z.string().max(200),
      totp_code: TotpCode.describe('six digits, or a recovery code'),
    }),
    output: Session,
    errors: ['totp_wrong', 'totp_expired', 'login_locked', 'no_role'],
    works_on_full_disk: true,
    tells: 'user.signed_in',
    tells_refused: 'user.sign_in_failed',
  }),
  options: read('GET', {
    needs: 'public',
    title: text('Read the ways to sign in', 'Đọc các cách đăng nhập', '读取登录方式'),
    input: Nothing,
    output: z.object({
      oidc: z
        .object({ name: z.string().describe('of the provider, for the button'), url: z.string() })
        .nullable()
        .describe('OpenID Connect, when it is set up'),
      passkeys: z.string().nullable().describe('host that they are of; null where the public address allows none'),
      forgot_password: z.boolean().describe('whether a link to set a new one can be sent by mail'),
    }),
  }),
  exchange: write('POST', {
    needs: 'public',
    title: text('Sign in with OpenID Connect', 'Đăng nhập bằng OpenID Connect', '使用 OpenID Connect 登录'),
    input: z.object({ exchange_token: z.string().max(200).describe('from the address the provider led back to') }),
    output: Session,
    errors: ['oidc_expired', 'no_role'],
    works_on_full_disk: true,
    tells: 'user.signed_in',
    tells_refused: 'user.sign_in_failed',
  }),
  passkey_begin: read('POST', {
    needs: 'public',
    title: text('Begin to sign in with a passkey', 'Bắt đầu đăng nhập bằng passkey', '开始使用通行密钥登录'),
    input: Nothing,
    output: PasskeyOptions,
    errors: ['passkeys_off'],
  }),
  passkey: write('POST', {
    needs: 'public',
    title: text('Sign in with a passkey', 'Đăng nhập bằng passkey', '使用通行密钥登录'),
    input: z.object({ answer: PasskeyAnswer }),
    output: Session.describe('a passkey counts for both factors'),
    errors: ['passkey_expired', 'passkey_wrong', 'no_role'],
    works_on_full_disk: true,
    tells: 'user.signed_in',
    tells_refused: 'user.sign_in_failed',
  }),
  confirm_passkey_begin: read('POST', {
    needs: 'signed_in',
    title: text('Begin to confirm with a passkey', 'Bắt đầu xác nhận bằng passkey', '开始使用通行密钥确认'),
    input: Nothing,
    output: PasskeyOptions,
    errors: ['passkeys_off'],
    is_personal: true,
  }),
  confirm_passkey: write('POST', {
    needs: 'signed_in',
    title: text('Confirm with a passkey', 'Xác nhận bằng passkey', '通行密钥确认'),
    input: z.object({ answer: PasskeyAnswer }),
    output: z.object({ confirmed_until: Instant }),
    errors: ['passkey_expired', 'passkey_wrong'],
    is_personal: true,
    is_unlogged: 'unless_refused',
    works_on_full_disk: true,
  }),
  confirm_password: write('POST', {
    needs: 'signed_in',
    title: text('Confirm with the password', 'Xác nhận bằng mật khẩu', '密码确认'),
    input: z.object({ password: PasswordHash }),
    output: z.object({ confirmed_until: Instant }),
    errors: ['password_wrong', 'login_locked'],
    is_personal: true,
    is_unlogged: 'unless_refused',
    works_on_full_disk: true,
  }),
  logout: write('POST', {
    needs: 'signed_in',
    title: text('Sign out', 'Đăng xuất', '退出登录'),
    input: Nothing,
    output: Done,
    is_personal: true,
    works_on_full_disk: true,
    is_about_session: true,
  }),
  session: read('GET', {
    needs: 'signed_in',
    title: text('Read the session', 'Đọc phiên làm việc', '读取会话'),
    input: Nothing,
    output: Session,
  }),
})
