import * as z from 'zod'
import { group, write } from '../kit.ts'
import { Kid, Line, text } from '../wire.ts'
import { Zone } from '../zones.ts'

/** The formats of a list as a file, by their names, which are the same in every language. */
export const exportFormatNames = { csv: 'CSV', xlsx: 'Excel (XLSX)', pdf: 'PDF' } as const
export type ExportFormat = keyof typeof exportFormatNames
export const exportFormats = Object.keys(exportFormatNames) as ExportFormat[]
/** What stands in a file, from left to right. */
export const ExportColumns = z
  .array(
    z.object({
      key: z.string().max(60).describe('field of a row; fields.KID for one of its record'),
      title: Line(80, 1),
      words: z
        .record(z.string().max(60), z.string().max(200))
        .optional()
        .describe('what to write for a value: { true: "Online" }'),
    }),
  )
  .min(1)
  .max(60)

/** Any list as a file: the call's own rows, with its filters, for whom the call would answer. */
export const listExport = group('list_export', text('Exports', 'Xuất dữ liệu', '导出'), {
  insert: write('POST', {
    needs: 'signed_in',
    title: text('Export a list', 'Xuất danh sách', '导出列表'),
    input: z.object({
      path: z.string().max(100).describe('a call that lists rows, such as ops/account/paging'),
      input: z
        .record(z.string(), z.unknown())
        .describe('filters, sort and order of that call; page and after are ignored'),
      kids: z
        .array(Kid)
        .max(10_000)
        .optional()
        .describe('of a list that has no pages: only these rows, in this order, as a screen that sorts them itself'),
      format: z.enum(exportFormats),
      name: Line(80, 1).describe('file name without its ending'),
      zone_id: Zone.describe('zone of times in the file'),
      columns: ExportColumns,
    }),
    output: z.object({ url: z.string().describe('good for ten minutes and one download, with this session only') }),
    errors: ['export_not_possible'],
  }),
})
