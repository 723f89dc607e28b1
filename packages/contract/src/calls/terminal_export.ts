import * as z from 'zod'
import { file, group, read, withinGroups, write } from '../kit.ts'
import { Bytes, Count, Done, Instant, Kid, Line, Nothing, text } from '../wire.ts'
import { Zone } from '../zones.ts'
import { ExportColumns, exportFormats } from './list_export.ts'
import { namedOrMatched, targets } from './targets.ts'
import { terminal } from './terminal.ts'
import { TerminalFilter } from './terminal_filter.ts'

export const terminal_export_limits = {
  /** Finished exports that an account keeps; older ones make room. */
  kept: 20,
} as const

export const exportRanges = ['named', 'filter', 'all'] as const
export const exportStates = ['running', 'done', 'canceled', 'failed'] as const
export type ExportState = (typeof exportStates)[number]

export const TerminalExport = z.object({
  schedule_version: Kid,
  state: z.enum(exportStates),
  name: z.string().describe('of the file, with its ending'),
  format: z.enum(exportFormats),
  total: Count.describe('devices, as counted when it began'),
  done: Count,
  size: Bytes.nullable().describe('null until it is done'),
  columns: z.array(z.string()).describe('their titles, in order'),
  range: z.enum(exportRanges).describe('which devices: those named, those that match a filter, or all'),
  match: TerminalFilter.nullable().describe('the filter, where it is one'),
  created_by: z.string(),
  created_at: Instant,
  finished_at: Instant.nullable(),
  expires_at: Instant.describe('until when it can be downloaded'),
})
export type TerminalExport = z.output<typeof TerminalExport>

const { sort, order } = terminal.calls.paging.input.shape
const BySchedule = z.object({ schedule_version: Kid })
const needs = 'deviceList'

const group_title = text('Device exports', 'Xuất thiết bị', '设备导出')
/** Devices as a file, made in the background: one at a time in each account, kept for seven days. */
export const terminalExport = group(withinGroups('terminal_export'), group_title, {
  export: write('POST', {
    path: 'terminal/export',
    needs,
    title: text('Export devices', 'Xuất danh sách thiết bị', '导出设备'),
    input: z
      .object({
        ...targets,
        sort,
        order,
        format: z.enum(exportFormats),
        name: Line(80, 1).describe('file name without its ending'),
        zone_id: Zone.describe('zone of times in the file'),
        columns: ExportColumns,
      })
      .refine(...namedOrMatched),
    output: TerminalExport,
    errors: ['export_running', 'device_not_found'],
  }),
  list_export_schedule: read('GET', {
    path: 'terminal/list_export_schedule',
    needs,
    title: text('List device exports', 'Danh sách lượt xuất thiết bị', '设备导出列表'),
    input: Nothing,
    output: z.array(TerminalExport).describe(`newest first, at most ${terminal_export_limits.kept}`),
  }),
  cancel_export_schedule: write('GET', {
    path: 'terminal/cancel_export_schedule',
    needs,
    title: text('Cancel a device export', 'Hủy lượt xuất thiết bị', '取消设备导出'),
    input: BySchedule,
    output: Done,
    errors: ['export_not_running'],
    works_on_full_disk: true,
  }),
  download_export: file('read', 'GET', {
    path: 'terminal/download_export',
    needs,
    title: text('Download a device export', 'Tải tệp thiết bị đã xuất', '下载设备导出文件'),
    input: BySchedule,
  }),
})
