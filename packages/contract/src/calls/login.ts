import * as z from 'zod'
import { group, read, write } from '../kit.ts'
import { Count, Done, Instant, Kid, languages, Line, Nothing, text } from '../wire.ts'

const Hex40 = z.string().regex(/^[0-9a-f]{40}$/, 'must match regular expression ^[0-9a-f]{40}$')

export const Puzzle = z.object({
  puzzle_kid: Kid,
  image: z.string().describe('PNG data URL, the picture with the hole'),
  piece: z.string().describe('PNG data URL, the piece to drag'),
  width: Count,
  height: Count,
  piece_size: Count,
  piece_y: Count.describe('pixels from the top; x is what the person finds'),
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
  expire_time: Instant.nullable().describe('of the account acted for'),
  language: z.enum(languages).nullable(),
  zone_id: z.string().nullable(),
  map_type: z.enum(['1', '2']).nullable(),
})
export type Session = z.output<typeof Session>

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
    }),
    output: z.object({ puzzle_token: z.string() }),
    errors: ['puzzle_too_fast', 'puzzle_too_slow', 'puzzle_misaligned', 'puzzle_expired'],
  }),
  login: write('POST', {
    needs: 'public',
    title: text('Sign in', 'Đăng nhập', '登录'),
    input: z.object({
      username: Line(64, 1),
      password: Hex40.describe('SHA-1, lower-case hex, of what was typed'),
      puzzle_token: z.string().max(200),
    }),
    output: Session,
    errors: ['login_failed', 'login_locked', 'no_role', 'puzzle_expired'],
  }),
  logout: write('POST', {
    needs: 'signed_in',
    title: text('Sign out', 'Đăng xuất', '退出登录'),
    input: Nothing,
    output: Done,
  }),
  session: read('GET', {
    needs: 'signed_in',
    title: text('Read the session', 'Đọc phiên làm việc', '读取会话'),
    input: Nothing,
    output: Session,
  }),
})
