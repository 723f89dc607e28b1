import * as z from 'zod'
import { file, group, ofProvider, read, write } from '../kit.ts'
import { ByKid, Bytes, Count, Done, Instant, Kid, paged, paging, Search, text } from '../wire.ts'

/** What the provider follows: each is a row of the table that the work itself is done from. */
export const operationTaskKinds = [
  'device_import',
  'policy_import',
  'device_export',
  'list_export',
  'os_package',
  'os_delta',
  'os_cancelling',
  'os_build',
  'base_file',
  'scrapping',
] as const
export type OperationTaskKind = (typeof operationTaskKinds)[number]

export const operationTaskStates = ['waiting', 'running', 'completed', 'failed', 'canceled'] as const
export type OperationTaskState = (typeof operationTaskStates)[number]

/** `result`: a spreadsheet that is made as it is read. `download`: a file that is kept. */
export const operationTaskActs = ['cancel', 'retry', 'result', 'download'] as const
export type OperationTaskAct = (typeof operationTaskActs)[number]

/** What `total` and `done` count. */
export const operationTaskUnits = {
  device_import: 'rows',
  policy_import: 'rows',
  device_export: 'devices',
  list_export: null,
  os_package: 'bytes',
  os_delta: 'percent',
  os_cancelling: 'pushes',
  os_build: 'percent',
  base_file: 'bytes',
  scrapping: 'devices',
} as const satisfies Record<OperationTaskKind, 'rows' | 'devices' | 'bytes' | 'percent' | 'pushes' | null>

const Kind = z.enum(operationTaskKinds)
const State = z.enum(operationTaskStates)
const Acts = z.array(z.enum(operationTaskActs))

export const OperationTaskRow = z.object({
  kid: Kid,
  kind: Kind,
  state: State,
  name: z.string().describe('what it works on: a file, a policy, an OS version; empty where it has no name'),
  account_kid: Kid.nullable().describe('customer whom it is for; null: the provider itself'),
  account_name: z.string().nullable(),
  can_enter: z.boolean().describe('whether that customer can be entered'),
  created_by: z.string(),
  created_at: Instant,
  finished_at: Instant.nullable().describe('null while it is not over, and where its end is not kept'),
  total: Count.nullable().describe('rows, devices, bytes, percent or pushes, by its kind; null: not known'),
  done: Count,
  failed: Count.describe('of those done'),
  has_support: Acts.describe('what tasks of this kind can do at all'),
  can: Acts.describe('what this one can do now'),
})
export type OperationTaskRow = z.output<typeof OperationTaskRow>

export const OperationTaskDetail = OperationTaskRow.extend({
  fault: z.string().nullable().describe('why it failed, in the language of the caller'),
  size: Bytes.nullable().describe('of its file, once there is one'),
  result_until: Instant.nullable().describe('until when its result can be downloaded; null: no such limit'),
})
export type OperationTaskDetail = z.output<typeof OperationTaskDetail>

const impossible = ['operation_task_unsupported', 'operation_task_state_wrong'] as const

/** Background jobs of the whole installation, for the provider. */
export const opsOperationTask = group(
  ofProvider('ops/operation_task'),
  text('Operation tasks', 'Tác vụ vận hành', '运维任务'),
  {
    paging: read('POST', {
      needs: 'operationTaskList',
      title: text('List operation tasks', 'Danh sách tác vụ vận hành', '运维任务列表'),
      input: paging(['created_at']).extend({
        kinds: z.array(Kind).max(operationTaskKinds.length).optional(),
        states: z.array(State).max(operationTaskStates.length).optional(),
        text: Search.describe('part of what it works on'),
        account_text: Search.describe('part of the name of the customer'),
        person: Search.describe('part of the name of whoever asked for it'),
        from: z.iso.datetime().optional(),
        to: z.iso.datetime().optional(),
      }),
      output: paged(OperationTaskRow),
    }),
    get: read('GET', {
      needs: ['operationTaskDetail', 'operationTaskList'],
      title: text('Read an operation task', 'Đọc tác vụ vận hành', '读取运维任务'),
      input: ByKid,
      output: OperationTaskDetail,
    }),
    cancel: write('POST', {
      needs: 'operationTaskList:cancel',
      title: text('Cancel an operation task', 'Hủy tác vụ vận hành', '取消运维任务'),
      input: ByKid,
      output: Done,
      errors: [...impossible, 'os_not_own'],
      works_on_full_disk: true,
    }),
    retry: write('POST', {
      needs: 'operationTaskList:retry',
      title: text('Retry an operation task', 'Thử lại tác vụ vận hành', '重试运维任务'),
      input: ByKid,
      output: Done,
      errors: [...impossible, 'os_not_own', 'os_custom_abandoned', 'os_custom_building', 'os_builds_per_hour'],
    }),
    result: file('read', 'GET', {
      needs: 'operationTaskList:result',
      title: text('Download the result of an operation task', 'Tải kết quả tác vụ vận hành', '下载运维任务结果'),
      input: ByKid,
    }),
    download: write('POST', {
      needs: 'operationTaskList:result',
      title: text('Download the file of an operation task', 'Tải tệp của tác vụ vận hành', '下载运维任务文件'),
      input: ByKid,
      output: z.object({ url: z.string().describe('signed, one hour') }),
    }),
  },
)
