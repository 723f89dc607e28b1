import * as z from 'zod'
import { group, read, write } from '../kit.ts'
import { pages } from '../pages.ts'
import { ByKid, Count, Done, edited, Instant, Kid, Line, Nothing, text } from '../wire.ts'
import { Zone } from '../zones.ts'
import { ExportColumns, exportFormats } from './list_export.ts'

export const reportLimits = { reports: 20, attachment_bytes: 5 * 1024 ** 2 } as const
export const reportRhythms = ['day', 'week', 'month'] as const
/** mailed: the file was in the mail; linked: it was too large, the mail led to the list; failed: there was no mail. */
export const reportOutcomes = ['mailed', 'linked', 'failed'] as const

const When = z.object({
  every: z.enum(reportRhythms),
  hour: z.number().int().min(0).max(23).describe('by the clock of the zone'),
  weekday: z.number().int().min(1).max(7).default(1).describe('of a weekly report: 1 Monday to 7 Sunday'),
  day: z.number().int().min(1).max(28).default(1).describe('of the month, of a monthly report'),
  zone_id: Zone.describe('zone of the hour, and of times in the file'),
})
const Head = When.extend({ name: Line(64, 1), format: z.enum(exportFormats) })
const pageNames = Object.keys(pages) as [string, ...string[]]

export const ListReport = Head.extend({
  kid: Kid,
  page: z.string().nullable().describe('where the list is, as pages of the contract are named'),
  search: z.string().describe('its filters and order, as the address of that page says them'),
  is_new_only: z.boolean().describe('only what is new since the report before'),
  state: z.enum(['on', 'paused']),
  created_at: Instant,
  next_at: Instant.nullable().describe('null while it is being sent, and of a paused one'),
  last_at: Instant.nullable().describe('when it was last due'),
  last_outcome: z.enum(reportOutcomes).nullable(),
  last_rows: Count.nullable(),
  last_error: z.string().nullable().describe('why there was no mail, in the language of the reader'),
})
export type ListReport = z.output<typeof ListReport>

const title = text('Scheduled reports', 'Báo cáo định kỳ', '定期报表')
/** Lists that are mailed as files again and again, to the person who wants them and with what that person may see then. */
export const listReport = group('list_report', title, {
  list: read('GET', {
    needs: 'signed_in',
    title: text('List own scheduled reports', 'Danh sách báo cáo định kỳ của mình', '我的定期报表列表'),
    input: Nothing,
    output: z.array(ListReport).describe('by name'),
    is_personal: true,
  }),
  insert: write('POST', {
    needs: 'signed_in',
    title: text('Create a scheduled report', 'Tạo báo cáo định kỳ', '新建定期报表'),
    input: Head.extend({
      path: z.string().max(100).describe('a call that lists rows, as of list_export/insert'),
      input: z.record(z.string(), z.unknown()).describe('filters, sort and order of that call'),
      columns: ExportColumns,
      new_by: z
        .object({ key: z.string().max(60), until: z.string().max(60).optional() })
        .optional()
        .describe(
          'only what is new since the report before: the inputs of the call that say from when and until when; without `until` the one is { from, to }',
        ),
      page: z.enum(pageNames).nullable(),
      search: z.string().max(4_000),
    }),
    output: z.object({ kid: Kid }),
    errors: ['export_not_possible', 'report_mail_off', 'report_no_address', 'report_limit'],
    is_personal: true,
  }),
  update: write('POST', {
    needs: 'signed_in',
    title: text(
      'Change, pause or resume a scheduled report',
      'Sửa, tạm dừng hoặc tiếp tục báo cáo định kỳ',
      '修改、暂停或恢复定期报表',
    ),
    input: ByKid.extend({
      state: z.enum(['on', 'paused']).optional(),
      settings: edited(Head).optional().describe('its name, its file and when it comes; the list stays as it is'),
    }),
    output: Done,
    is_personal: true,
  }),
  send_now: write('POST', {
    needs: 'signed_in',
    title: text('Send a scheduled report now', 'Gửi báo cáo định kỳ ngay', '立即发送定期报表'),
    input: ByKid,
    output: Done,
    errors: ['report_mail_off', 'report_no_address', 'report_paused'],
    is_personal: true,
  }),
  delete: write('POST', {
    needs: 'signed_in',
    title: text('Delete a scheduled report', 'Xóa báo cáo định kỳ', '删除定期报表'),
    input: ByKid,
    output: Done,
    is_personal: true,
    works_on_full_disk: true,
  }),
})
