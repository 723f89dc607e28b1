import * as z from 'zod'
import { ServerStatus } from './server_status.ts'
import { group, ofProvider, read, write } from '../kit.ts'
import { Count, Instant, Kid, Line, Nothing, paged, paging, QueryBool, QueryInt, Search, text } from '../wire.ts'

export const OpsTerminalRow = z.object({
  kid: Kid,
  sn: z.string(),
  name: z.string(),
  imei: z.string().nullable(),
  model: z.string(),
  os_version: z.string(),
  is_online: z.boolean(),
  last_online_at: Instant.nullable(),
  registered_at: Instant,
  account_kid: Kid,
  account_name: z.string(),
  account_state: z.enum(['normal', 'init', 'invalid']),
  can: z.array(z.enum(['enter'])).describe('whether its customer can be entered'),
})
export type OpsTerminalRow = z.output<typeof OpsTerminalRow>

export const ScrappedRow = z.object({
  kid: Kid,
  sn: z.string(),
  name: z.string().describe('alias it had; empty when there was none'),
  model: z.string(),
  account_kid: Kid,
  account_name: z.string().describe('whose device it was'),
  scrapped_by: z.string(),
  scrapped_at: Instant,
})
export type ScrappedRow = z.output<typeof ScrappedRow>
const Sns = z.array(Line(100, 1)).min(1).max(1000)

/** Devices of every customer, for the provider's search. */
export const opsTerminal = group(ofProvider('ops/terminal'), text('Device search', 'Tìm thiết bị', '设备搜索'), {
  paging: read('POST', {
    is_also_get: true,
    needs: 'searchList',
    title: text('Search devices of every customer', 'Tìm thiết bị của mọi khách hàng', '搜索所有客户的设备'),
    input: paging(['registered_at', 'sn']).extend({
      text: Search.describe(
        'part of SN, alias or IMEI; without three letters or digits in a row, the beginning of an SN',
      ),
      account_text: Search.describe('part of the name of the customer'),
      is_online: QueryBool.optional(),
      page: QueryInt.min(1).max(10_000).default(1),
      page_size: QueryInt.min(1).max(200).default(20),
    }),
    output: paged(OpsTerminalRow),
  }),
  paging_scrapped: read('POST', {
    needs: 'searchList',
    title: text('Search scrapped devices', 'Tìm thiết bị đã loại bỏ', '搜索已报废设备'),
    input: paging(['scrapped_at', 'sn']).extend({
      text: Search.describe('part of the SN or the alias'),
      account_text: Search.describe('part of the name of the customer'),
    }),
    output: paged(ScrappedRow),
  }),
  restore: write('POST', {
    needs: 'searchList:restore',
    title: text('Undo scrapping', 'Khôi phục thiết bị đã loại bỏ', '恢复已报废设备'),
    input: z.object({ sns: Sns.describe('all of them or none; each may then be registered again') }),
    output: z.object({ restored: Count }),
    errors: ['sn_not_scrapped'],
  }),
})

export const OpsOverview = z.object({
  customers: z
    .object({ total: Count, normal: Count, init: Count, invalid: Count, expired: Count })
    .describe('without sub-accounts; who expired is invalid as well'),
  devices: z.object({ total: Count, online: Count }),
  expiring: z
    .array(z.object({ kid: Kid, name: z.string(), expire_time: Instant }))
    .describe('the next ten within 30 days, and what expired in the last 30'),
  nearly_full: z
    .array(z.object({ kid: Kid, name: z.string(), taken: Count, terminal_max: Count }))
    .describe(
      'ten customers with 90 % of their places or more taken by devices or given to sub-accounts, fullest first',
    ),
  storage: z
    .array(z.object({ kid: Kid, name: z.string(), used: Count, space: Count }))
    .describe('ten customers by space used, file disk and app center together'),
  tasks: z
    .object({ running: Count, failed_today: Count })
    .describe('push tasks of all customers; those that failed on a device since midnight, in the zone of the reader'),
  failed_sign_ins: Count.describe('in the last 24 hours'),
  nodes: z.array(
    z.object({
      kid: Kid,
      started_at: Instant,
      seen_at: Instant,
      is_alive: z.boolean(),
      clock_doubt: z
        .object({
          jumped_ms: z.number().int().describe('back when below zero'),
          since: Instant.describe('what the clock read then'),
          is_start: z.boolean().describe('it was so when the server started, which may only have been off'),
        })
        .nullable()
        .describe('the clock has jumped by more than an hour; nothing expires until it has stood for one'),
    }),
  ),
})
export type OpsOverview = z.output<typeof OpsOverview>

/** The provider's home: everything at a glance. */
export const opsHome = group(ofProvider('ops/home'), text('Operator home', 'Trang chủ vận hành', '运营首页'), {
  overview: read('GET', {
    needs: 'homeIndex',
    title: text('Read the overview', 'Đọc tổng quan', '读取总览'),
    input: Nothing,
    output: OpsOverview,
  }),
  status: read('GET', {
    needs: 'serverStatus',
    title: text('Read the server status', 'Đọc trạng thái máy chủ', '读取服务器状态'),
    input: Nothing,
    output: ServerStatus,
  }),
})
