import * as z from 'zod'
import { file, group, ofProvider, read, write } from '../kit.ts'
import { ByKid, Count, Done, edited, Exists, Instant, Kid, Line, paged, paging, Search, text } from '../wire.ts'
import {
  batch_limits,
  BatchJob,
  BatchResultRows,
  BatchRowPaging,
  BatchVersion,
  ByVersion,
  previewed,
  previewFacts,
  previewOf,
  RecentJobs,
  ResultInput,
  sheetErrors,
  SheetCell,
  SheetRow,
} from './terminal_batch.ts'

/** Where rows come from: typed into a sheet, or from the manufacturing execution system. */
export const policySources = ['sheet', 'mes'] as const
export type PolicySource = (typeof policySources)[number]
export const terminalPolicyStates = ['pending', 'active', 'ended'] as const
export type TerminalPolicyState = (typeof terminalPolicyStates)[number]

/** An entitlement for remote service that the provider gives to devices, and how long it lasts. */
export const Policy = z.object({
  kid: Kid,
  name: Line(64, 1),
  remark: z.string(),
  days: Count.describe('from the day on which it starts for a device'),
  terminal_count: Count.describe('devices on it, whatever their state'),
  created_at: Instant,
  updated_at: Instant,
})
export type Policy = z.output<typeof Policy>
const Draft = z.object({
  name: Line(64, 1),
  days: z.number().int().min(1).max(3_650),
  remark: Line(200).default(''),
})

/** One SN on one policy. The device need not be registered yet. */
export const TerminalPolicyRow = z.object({
  kid: Kid,
  policy_kid: Kid,
  policy_name: z.string(),
  sn: z.string(),
  work_order: z.string(),
  source: z.enum(policySources),
  state: z.enum(terminalPolicyStates),
  starts_at: Instant,
  ends_at: Instant,
  account_name: z.string().nullable().describe('whose device it is; null while it is not registered'),
  created_by: z.string(),
  created_at: Instant,
})
export type TerminalPolicyRow = z.output<typeof TerminalPolicyRow>

const MesRow = SheetRow.extend({ production_date: SheetCell.describe('2026-01-31: the policy starts on this day') })
export const PolicyPreview = z.object({
  rows: z.array(SheetRow.extend({ ...previewed, production_date: z.string().optional() })),
  ...previewFacts,
})
export type PolicyPreview = z.output<typeof PolicyPreview>

const Source = z.object({ source: z.enum(policySources) })
const importOf = <R extends z.ZodType>(row: R) =>
  z.object({
    importTerminalDtos: z.array(row).min(1).max(batch_limits.rows),
    policyKid: Kid,
    schedule_version: BatchVersion,
  })
/** Production dates are of rows from the MES alone. */
const AnyRow = SheetRow.extend({ production_date: SheetCell })
const importErrors = ['batch_running', 'batch_version_used'] as const
const list = 'policyList'
const edit = 'policyList:edit'
const imports = 'policyList:import'

export const opsPolicy = group(ofProvider('ops/policy'), text('Policies', 'Chính sách', '策略'), {
  paging: read('POST', {
    needs: list,
    title: text('List policies', 'Danh sách chính sách', '策略列表'),
    input: paging(['name', 'days', 'updated_at']).extend({ text: Search }),
    output: paged(Policy),
  }),
  exists: read('GET', {
    needs: list,
    title: text('Check a policy', 'Kiểm tra chính sách', '检查策略'),
    input: z.object({ name: Line(64), src_kid: Kid.optional() }),
    output: Exists,
  }),
  insert: write('POST', {
    needs: edit,
    title: text('Create a policy', 'Tạo chính sách', '新建策略'),
    input: Draft,
    output: Policy,
    errors: ['duplicate_name'],
  }),
  update: write('POST', {
    needs: edit,
    title: text('Edit a policy', 'Sửa chính sách', '编辑策略'),
    input: edited(Draft).extend({ kid: Kid }),
    output: Policy,
    errors: ['duplicate_name'],
  }),
  delete: write('POST', {
    needs: 'policyList:delete',
    title: text('Delete a policy', 'Xóa chính sách', '删除策略'),
    input: ByKid,
    output: Done,
    errors: ['policy_in_use'],
    works_on_full_disk: true,
  }),
  paging_terminal: read('POST', {
    needs: list,
    title: text('List devices on policies', 'Danh sách thiết bị theo chính sách', '策略设备列表'),
    input: paging(['created_at', 'sn', 'ends_at']).extend({
      policy_kid: Kid.optional(),
      text: Search.describe('part of SN or work order'),
      source: z.enum(policySources).optional(),
      state: z.enum(terminalPolicyStates).optional(),
    }),
    output: paged(TerminalPolicyRow),
  }),
  delete_terminal: write('POST', {
    needs: imports,
    title: text('Take devices off policies', 'Gỡ thiết bị khỏi chính sách', '将设备移出策略'),
    input: z.object({ kids: z.array(Kid).min(1).max(1000).describe('all of them or none') }),
    output: z.object({ deleted: Count }),
    works_on_full_disk: true,
  }),
  import_sheet: file('write', 'POST', {
    path: 'ops/policy/import/terminal/policy',
    needs: imports,
    title: text('Put devices on a policy', 'Thêm thiết bị vào chính sách', '导入策略设备'),
    body_bytes: batch_limits.body_bytes,
    input: importOf(SheetRow),
    errors: importErrors,
  }),
  import_mes: file('write', 'POST', {
    path: 'ops/policy/import/mes/terminal/policy',
    needs: imports,
    title: text('Put produced devices on a policy', 'Thêm thiết bị từ MES vào chính sách', '导入 MES 策略设备'),
    body_bytes: batch_limits.body_bytes,
    input: importOf(MesRow),
    errors: importErrors,
  }),
  get_import_schedule: read('GET', {
    path: 'ops/policy/get/import/terminal/policy/schedule',
    needs: imports,
    title: text('Read the progress of an import', 'Đọc tiến độ nhập', '读取导入进度'),
    input: ByVersion.extend({ policy_kid: Kid }),
    output: BatchJob,
  }),
  list_import: read('GET', {
    needs: imports,
    title: text('List imports', 'Danh sách lượt nhập', '导入列表'),
    input: z.object({ policy_kid: Kid }),
    output: RecentJobs,
  }),
  cancel_import: write('POST', {
    needs: imports,
    title: text('Cancel an import', 'Hủy lượt nhập', '取消导入'),
    input: ByVersion.extend({ policy_kid: Kid }),
    output: Done,
    errors: ['batch_not_running'],
    works_on_full_disk: true,
  }),
  paging_import_row: read('POST', {
    needs: imports,
    title: text('Read the result of an import', 'Đọc kết quả nhập', '读取导入结果'),
    input: BatchRowPaging.extend({ policy_kid: Kid }),
    output: BatchResultRows,
  }),
  import_result: file('read', 'GET', {
    needs: imports,
    title: text('Download the result of an import', 'Tải kết quả nhập', '下载导入结果'),
    input: ResultInput.extend({ policy_kid: Kid }),
  }),
  import_template: file('read', 'GET', {
    needs: imports,
    title: text('Download the template of an import', 'Tải mẫu nhập', '下载导入模板'),
    input: Source,
  }),
  preview_import: write('POST', {
    needs: imports,
    title: text('Check a spreadsheet of an import', 'Kiểm tra bảng tính nhập', '检查导入表格'),
    body_bytes: batch_limits.body_bytes,
    input: previewOf(AnyRow, { ...Source.shape, policy_kid: Kid }),
    output: PolicyPreview,
    errors: sheetErrors,
    keeps_uploads: true,
  }),
})
