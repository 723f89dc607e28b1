import * as z from 'zod'
import { group, read, write } from '../kit.ts'
import { Count, Done, Instant, Kid, languages, Line, Nothing, paged, paging, QueryInt, Search, text } from '../wire.ts'

export const AccountInfo = z.object({
  kid: Kid,
  username: z.string(),
  name: z.string(),
  phone: z.string().nullable(),
  email: z.string().nullable(),
  organization_name: z.string().nullable(),
  type: z.number(),
  roles: z.array(z.string()),
  language: z.enum(languages).nullable(),
  zone_id: z.string().nullable(),
  map_type: z.enum(['1', '2']).nullable(),
  last_use_at: Instant.nullable(),
})

export const Inventory = z.object({
  terminal_max: Count,
  terminal_count: Count,
  remaining: Count,
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
      zone_id: z.string().max(64).refine(isZone, 'unknown time zone').optional(),
      map_type: z.enum(['1', '2']).optional(),
    }),
    output: Done,
  }),
  check_inventory: read('GET', {
    needs: 'deviceList',
    title: text('Check remaining places', 'Kiểm tra số lượng còn lại', '检查剩余名额'),
    input: z.object({
      parent_kid: Kid.optional(),
      src_kid: Kid.optional(),
      num: QueryInt.min(0).max(1_000_000).default(0),
    }),
    output: Inventory,
  }),
})

export const CustomerRow = z.object({
  kid: Kid,
  username: z.string(),
  name: z.string(),
  organization_name: z.string().nullable(),
  type: z.number(),
  parent_kid: Kid.nullable(),
  state: z.enum(['normal', 'init', 'invalid']),
  terminal_max: Count,
  terminal_count: Count,
  expire_time: Instant.nullable(),
  last_use_at: Instant.nullable(),
  fae_name: z.string().nullable().describe('technical-support owner'),
  can: z.array(z.enum(['enter'])).describe('what may be done with this row now'),
})
export type CustomerRow = z.output<typeof CustomerRow>

export const opsAccount = group('ops/account', text('External users', 'Người dùng ngoài', '外部用户'), {
  paging: read('POST', {
    needs: 'externalUserManageList',
    title: text('List customers', 'Danh sách khách hàng', '客户列表'),
    input: paging(['name', 'username', 'expire_time', 'terminal_count', 'last_use_at']).extend({
      text: Search,
      state: z.enum(['normal', 'init', 'invalid']).optional(),
    }),
    output: paged(CustomerRow),
  }),
  enter: write('POST', {
    needs: 'externalUserManageList:enter',
    title: text('Enter a customer', 'Vào tài khoản khách hàng', '进入客户账号'),
    input: z.object({ kid: Kid }),
    output: z.object({ enter_kid: Kid, enter_name: Line(128) }),
  }),
  leave: write('POST', {
    needs: 'signed_in',
    title: text('Leave a customer', 'Rời tài khoản khách hàng', '退出客户账号'),
    input: Nothing,
    output: Done,
  }),
})

function isZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}
