import * as z from 'zod'
import { group, ofProvider, read } from '../kit.ts'
import { ByKid, Count, Instant, Kid, Line, paged, paging, Search, text } from '../wire.ts'

/** One thing that an operation changed. */
const ChangedObject = z.object({
  table: z.string(),
  table_name: z.string().describe('in the language of the request'),
  kid: z.string(),
  name: z.string().describe('what it was called then; empty of what has no name'),
})

export const OperationLogRow = z.object({
  kid: Kid,
  module_code: z.string(),
  module_name: z.string().describe('in the language of the request'),
  action_code: z.string(),
  action_name: z.string(),
  operator_kid: Kid.nullable(),
  operator_name: z.string(),
  operator_username: z.string(),
  account_kid: Kid.nullable(),
  account_name: z.string().nullable().describe('account acted for'),
  ip: z.string(),
  result: z.number().describe('1 is success'),
  message: z.string(),
  objects: z.array(ChangedObject).describe('what it was done to: the first three'),
  object_count: Count.describe('how many that were, 200 at most'),
  change: z.string().describe('what changed of those, in the language of the request'),
  duration_ms: Count,
  created_at: Instant,
})
export const OperationLogDetail = OperationLogRow.extend({
  operator_enterprise_kid: Kid.nullable().describe('of the account that the operator belongs to'),
  operator_enterprise_name: z.string().nullable(),
  operator_picture: z.string().describe('data URL: the initials of the operator'),
  detail: z.string().describe('what changed, or which fields were wrong, in one text'),
  client: z.object({
    access_type: z.string(),
    access_target: z.string(),
    access_mode: z.string(),
    timestamp: z.string().nullable(),
    os: z.string().nullable(),
    ip: z.string(),
    name: z.string().nullable(),
    major_version: z.string().nullable(),
    version: z.string().nullable(),
  }),
  request: z.object({
    url: z.string(),
    method: z.string(),
    content_type: z.string().nullable(),
    length: Count,
    content: z.string(),
  }),
  response: z.object({ content: z.string() }),
  tracks: z.array(ChangedObject.extend({ change: z.string().describe('in the language of the request') })),
  remark: z.string().describe('the remark that was given with what was saved'),
})
export type OperationLogRow = z.output<typeof OperationLogRow>

const filter = paging(['created_at']).extend({
  text: Search.describe(
    'part of operator, module, action, message or of the name of what it was done to; the last 31 days when from is absent',
  ),
  object_kid: Line(60).optional().describe('what it was done to; the last 31 days when from is absent'),
  module_code: Line(60).optional(),
  action_code: Line(60).optional(),
  operator_kid: Kid.optional(),
  result: z.enum(['success', 'failure']).optional(),
  from: z.iso.datetime().optional(),
  to: z.iso.datetime().optional(),
})
const rows = <P extends 'operationLogList' | 'opsOperationLogList'>(needs: P, scope: 'person' | 'ops') => ({
  paging: read('POST', {
    needs,
    scope,
    title: text('List operations', 'Danh sách thao tác', '操作列表'),
    input: filter,
    output: paged(OperationLogRow),
  }),
  list_operator: read('GET', {
    needs,
    scope,
    title: text('List who operated', 'Danh sách người thao tác', '操作人列表'),
    input: z.object({ text: Search }),
    output: z
      .array(z.object({ operator_kid: Kid, operator_name: z.string(), operator_username: z.string() }))
      .describe('at most 50 of the people who may be found in this log'),
  }),
  get: read('GET', {
    needs,
    scope,
    title: text('Read an operation', 'Đọc thao tác', '读取操作'),
    input: ByKid,
    output: OperationLogDetail,
  }),
})

/** What was done in the account acted for; of an operator outside of customers that is the provider's own. */
export const operationLog = group(
  'operation_log',
  text('Operation log', 'Nhật ký thao tác', '操作日志'),
  rows('operationLogList', 'person'),
)
/** What was done anywhere, for the provider. */
export const opsOperationLog = group(
  ofProvider('ops/operation_log'),
  text('Operation log', 'Nhật ký thao tác', '操作日志'),
  rows('opsOperationLogList', 'ops'),
)
