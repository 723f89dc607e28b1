import * as z from 'zod'
import { constants } from '../constants.ts'
import { file, group, ofProvider, read, withinGroups, write } from '../kit.ts'
import { serialNumber } from '../text-keys.ts'
import { Count, Done, Instant, Kid, Line, Nothing, paged, paging, QueryBool, shaped, Sn, text, wrong } from '../wire.ts'
import type { Text } from '../wire.ts'
import { given } from './targets.ts'
import { TerminalGroup } from './terminal_group.ts'

export const batch_limits = {
  rows: 50_000,
  sheet_bytes: 10 * 1024 ** 2,
  body_bytes: 16 * 1024 ** 2,
  work_order: 64,
  verification_code: 20,
  /** SNs that a sheet of announced devices may be asked for. */
  announced: 1_000,
  /** Groups that one sheet may create. */
  new_groups: 100,
  /** Names of other sheets of its file that a preview gives. */
  other_sheets: 20,
  /** A result can be read and downloaded for so long. */
  result_days: 7,
} as const

/** Columns of a sheet, by the field of a row they fill. The template has these titles; sheets may have others. */
export const batchColumns = {
  sn: text('SN', 'SN', 'SN'),
  work_order: text('Work order', 'Lệnh công việc', '工单'),
  verification_code: text('Verification code', 'Mã xác minh', '验证码'),
  name: text('Alias', 'Tên gợi nhớ', '别名'),
  production_date: text('Production date', 'Ngày sản xuất', '生产日期'),
  group_path: text('Group', 'Nhóm', '分组'),
} as const satisfies Record<string, Text>
export type BatchColumn = keyof typeof batchColumns

const Cell = z.string().trim().max(1000)
export const SheetCell = Cell.default('')
/** What is missing or too long has a code of its own, which the row's message says. */
export const SheetRow = z.object({
  row: z
    .number()
    .int()
    .min(1)
    .max(1_048_576)
    .optional()
    .describe('row of the spreadsheet, for messages; the place when absent'),
  sn: Cell.overwrite(serialNumber).default(''),
  work_order: SheetCell,
})
const Row = SheetRow.extend({
  verification_code: SheetCell.describe('registration code that the device shows'),
  name: SheetCell.describe('alias'),
  group_path: SheetCell.describe(
    'where its group stands, as Hanoi/Dock B, instead of the one that is given for all rows',
  ),
})
export type BatchRow = z.output<typeof Row>

export const BatchVersion = z
  .string()
  .regex(...shaped('schedule_version', /^[\w.-]{1,64}$/))
  .describe('name of the job, chosen by the caller, unique in its account')
export const ByVersion = z.object({ schedule_version: BatchVersion })
const Target = z.union([Kid, z.literal('NO_GROUP')]).default('NO_GROUP')

export const batchStates = ['running', 'done', 'canceled', 'failed'] as const
export type BatchState = (typeof batchStates)[number]
export const BatchJob = z.object({
  kid: Kid.describe(
    'terminal_batch_kid of a filter of devices: those that its rows registered, and those that were there',
  ),
  schedule_version: z.string(),
  account_kid: Kid.describe('whose devices they become'),
  state: z.enum(batchStates),
  total: Count,
  done: Count,
  ok: Count,
  failed: Count.describe('refused, or there already'),
  already: Count.describe('of those that failed: what they ask for is so already'),
  created_by: z.string(),
  created_at: Instant,
  finished_at: Instant.nullable(),
  result_until: Instant.describe('until when the result can be read and downloaded'),
})
export type BatchJob = z.output<typeof BatchJob>

export const batchRowStates = ['waiting', 'ok', 'already', 'refused'] as const
export type BatchRowState = (typeof batchRowStates)[number]
export const BatchResultRow = z.object({
  row: Count.describe('of the spreadsheet'),
  sn: z.string(),
  work_order: z.string(),
  name: z.string(),
  production_date: z.string(),
  group_path: z.string(),
  state: z.enum(batchRowStates).describe('already: what the row asks for is so already; waiting: not worked off'),
  result: z.number().nullable().describe('code of the refusal'),
  message: z.string().nullable().describe('why it was refused, in the language of the caller'),
  terminal_kid: Kid.nullable().describe('the device, where it is one of the account that the caller may see'),
})
export type BatchResultRow = z.output<typeof BatchResultRow>
const batchRowSorts = ['row', 'sn'] as const
export const BatchRowPaging = paging(batchRowSorts).extend({
  schedule_version: BatchVersion,
  state: z.enum(batchRowStates).optional(),
})
export const BatchResultRows = paged(BatchResultRow)
export const RecentJobs = z.array(BatchJob).describe('newest first, at most 20')

export const previewed = {
  row: z.number(),
  faults: z
    .array(z.object({ result: z.number(), message: z.string() }))
    .optional()
    .describe('why this row would be left out'),
}
export const previewFacts = {
  good: Count,
  bad: Count,
  unknown_columns: z.array(z.string()).describe('titles that mean nothing here; their cells are ignored'),
  sheet: z.string().nullable().describe('name of the sheet that was read; null where the file has no sheets'),
  other_sheets: z
    .array(z.string())
    .describe(`others of the file, which were not read; at most ${batch_limits.other_sheets}`),
}
export const BatchPreview = z.object({
  rows: z.array(Row.extend(previewed)),
  ...previewFacts,
  room: Count.describe('devices that the account has room for'),
  missing_groups: z
    .array(z.string())
    .describe('of group_path: those that are not there and that the caller may create, by creates_groups'),
})
export type BatchPreview = z.output<typeof BatchPreview>

/** A sheet, or rows of one that were mended since: they are judged by themselves. */
export const previewOf = <R extends z.ZodType, M extends z.ZodRawShape>(row: R, more: M) =>
  z
    .object({
      upload_kid: Kid.optional(),
      rows: z
        .array(row)
        .min(1)
        .max(batch_limits.rows)
        .optional()
        .describe('instead of upload_kid: rows of a sheet that were mended, with all others of their SNs'),
      ...more,
    })
    .refine(
      ({ upload_kid, rows }: { upload_kid?: unknown; rows?: unknown }) => given(upload_kid, rows) > 0,
      wrong('required', undefined, 'upload_kid'),
    )
    .refine(
      ({ upload_kid, rows }: { upload_kid?: unknown; rows?: unknown }) => given(upload_kid, rows) < 2,
      wrong('not_empty', undefined, 'rows'),
    )

const startErrors = ['group_unknown', 'batch_running', 'batch_version_used'] as const
/** A sheet that nothing can be read from. */
export const sheetErrors = [
  'upload_not_finished',
  'file_transfer_failed',
  'file_too_large',
  'sheet_not_supported',
  'sheet_damaged',
  'sheet_beyond_limits',
  'sheet_too_many_rows',
  'sheet_too_many_columns',
  'sheet_columns_missing',
  'sheet_columns_elsewhere',
  'sheet_encoding_unknown',
  'sheet_empty',
] as const
const previewErrors = [...sheetErrors, 'sheet_of_another_week'] as const
export const ResultInput = ByVersion.extend({
  only_failed: QueryBool.default(false).describe('the rows to correct and try again'),
})
const templateTitle = text('Download the template', 'Tải mẫu bảng tính', '下载模板')
const listTitle = text('List spreadsheets', 'Danh sách bảng tính', '表格注册列表')
const startTitle = text('Register devices from a spreadsheet', 'Đăng ký thiết bị từ bảng tính', '通过表格注册设备')
const scheduleTitle = text('Read the progress of a spreadsheet', 'Đọc tiến độ của bảng tính', '读取表格注册进度')
const cancelTitle = text('Cancel a spreadsheet', 'Hủy lượt đăng ký từ bảng tính', '取消表格注册')
const resultTitle = text('Download the result of a spreadsheet', 'Tải kết quả của bảng tính', '下载表格注册结果')
const rowsTitle = text('Read the result of a spreadsheet', 'Đọc kết quả của bảng tính', '读取表格注册结果')
const previewTitle = text('Check a spreadsheet of devices', 'Kiểm tra bảng tính thiết bị', '检查设备表格')

const needs = 'deviceList:register'
/** Registration of many devices at once. The job goes on by itself; its file is a message for every row. */
export const terminalBatch = group(
  withinGroups('terminal_batch'),
  text('Spreadsheets of devices', 'Bảng tính thiết bị', '设备表格'),
  {
    batch_registered: file('write', 'POST', {
      path: 'terminal/batch_registered',
      needs,
      title: startTitle,
      body_bytes: batch_limits.body_bytes,
      input: z.object({
        terminalDtos: z.array(Row).min(1).max(batch_limits.rows),
        terminalGroupKid: Target,
        schedule_version: BatchVersion,
        creates_groups: z
          .boolean()
          .default(false)
          .describe(`creates the groups of group_path that are not there, at most ${batch_limits.new_groups}`),
      }),
      needs_for: ({ creates_groups }) => (creates_groups ? 'deviceList:group' : needs),
      errors: startErrors,
    }),
    get_batch_registered_schedule: read('GET', {
      path: 'terminal/get_batch_registered_schedule',
      needs,
      title: scheduleTitle,
      input: ByVersion,
      output: BatchJob,
    }),
    list_batch_registered: read('GET', {
      path: 'terminal/list_batch_registered',
      needs,
      title: listTitle,
      input: Nothing,
      output: RecentJobs,
    }),
    cancel_batch_registered: write('POST', {
      path: 'terminal/cancel_batch_registered',
      needs,
      title: cancelTitle,
      input: ByVersion,
      output: Done,
      errors: ['batch_not_running'],
      works_on_full_disk: true,
    }),
    batch_result: file('read', 'GET', { path: 'terminal/batch_result', needs, title: resultTitle, input: ResultInput }),
    paging_batch_row: read('POST', {
      path: 'terminal/paging_batch_row',
      needs,
      title: rowsTitle,
      input: BatchRowPaging,
      output: BatchResultRows,
    }),
    batch_template: file('read', 'GET', {
      path: 'terminal/batch_template',
      needs,
      title: templateTitle,
      input: Nothing,
    }),
    preview_batch: write('POST', {
      path: 'terminal/preview_batch',
      needs,
      title: previewTitle,
      body_bytes: batch_limits.body_bytes,
      input: previewOf(Row, {}),
      output: BatchPreview,
      errors: previewErrors,
      keeps_uploads: true,
    }),
  },
)

const opsNeeds = 'externalUserManageList:register'
/** The same for operators, who register devices for a customer. */
export const opsTerminalBatch = group(
  ofProvider('ops/terminal_batch'),
  text('Spreadsheets of customers’ devices', 'Bảng tính thiết bị của khách hàng', '客户设备表格'),
  {
    account_batch_registered: file('write', 'POST', {
      path: 'terminal/account/batch/registered',
      needs: opsNeeds,
      title: startTitle,
      body_bytes: batch_limits.body_bytes,
      input: z.object({
        accountRegisteredTerminalDtos: z
          .array(Row.extend({ account_kid: Kid }))
          .min(1)
          .max(batch_limits.rows)
          .refine(
            (rows) => rows.every(({ account_kid }) => account_kid === rows[0]!.account_kid),
            wrong('one_account'),
          ),
        terminalGroupKid: Target,
        schedule_version: BatchVersion,
      }),
      errors: startErrors,
    }),
    get_account_batch_registered_schedule: read('GET', {
      path: 'get_account_batch_registered_schedule',
      needs: opsNeeds,
      title: scheduleTitle,
      input: ByVersion,
      output: BatchJob,
    }),
    cancel_batch_registered: write('POST', {
      path: 'ops/terminal/cancel_batch_registered',
      needs: opsNeeds,
      title: cancelTitle,
      input: ByVersion,
      output: Done,
      errors: ['batch_not_running'],
      works_on_full_disk: true,
    }),
    list_batch_registered: read('GET', {
      path: 'ops/terminal/list_batch_registered',
      needs: opsNeeds,
      title: listTitle,
      input: z.object({ account_kid_param: Kid }),
      output: RecentJobs,
    }),
    batch_template: file('read', 'GET', {
      path: 'ops/terminal/batch_template',
      needs: opsNeeds,
      title: templateTitle,
      input: Nothing,
    }),
    paging_batch_row: read('POST', {
      path: 'ops/terminal/paging_batch_row',
      needs: opsNeeds,
      title: rowsTitle,
      input: BatchRowPaging,
      output: BatchResultRows,
    }),
    batch_result: file('read', 'GET', {
      path: 'ops/terminal/batch_result',
      needs: opsNeeds,
      title: resultTitle,
      input: ResultInput,
    }),
    preview_batch: write('POST', {
      path: 'ops/terminal/preview_batch',
      needs: opsNeeds,
      title: previewTitle,
      body_bytes: batch_limits.body_bytes,
      input: previewOf(Row, { account_kid_param: Kid }),
      output: BatchPreview,
      errors: previewErrors,
      keeps_uploads: true,
    }),
    list_group: read('GET', {
      path: 'ops/terminal/list_group',
      needs: opsNeeds,
      title: text('List a customer’s device groups', 'Danh sách nhóm thiết bị của khách hàng', '客户的设备分组列表'),
      input: z.object({ account_kid_param: Kid }),
      output: z.array(TerminalGroup).describe('parents before children, siblings by name'),
    }),
    announced_sheet: file('read', 'POST', {
      path: 'ops/terminal/announced_sheet',
      needs: opsNeeds,
      title: text('Download announced devices', 'Tải danh sách thiết bị đã báo danh', '下载待注册设备表'),
      input: z
        .object({
          account_kid_param: Kid.describe('customer whom the devices are for: their codes register them nowhere else'),
          sns: z
            .array(Sn(constants.sn_max))
            .min(1)
            .max(batch_limits.announced)
            .optional()
            .describe('the devices meant for it'),
          work_order: Line(batch_limits.work_order, 1)
            .optional()
            .describe('for every row; without sns also which devices: those imported with this work order on a policy'),
        })
        .refine(({ sns, work_order }) => sns ?? work_order, wrong('devices_or_work_order', undefined, 'sns')),
      errors: ['device_unknown'],
    }),
  },
)
