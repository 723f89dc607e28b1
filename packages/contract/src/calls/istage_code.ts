import * as z from 'zod'
import { IstageConfig } from './istage.ts'
import { group, ofWhole, read, write } from '../kit.ts'
import { ByKid, Bytes, Count, Instant, Kid, paged, paging, text } from '../wire.ts'
import { sheetErrors } from './terminal_batch.ts'
import { TerminalEventRow, TerminalRow } from './terminal.ts'

/** How long a code may be good for, and how many rows of a spreadsheet become codes at once. */
export const stagingCodeLimits = { hours_min: 1, hours_max: 2_160, rows: 500, sheet_bytes: 2 * 1024 ** 2 } as const

/** Registers a new device, which then sets itself up: by a permanent QR code, or a new one that works once. */
const Enrol = z
  .object({
    qrcode_kid: Kid.optional().describe('a permanent code; a new one for one device and 10 minutes when absent'),
  })
  .optional()
const making = {
  kid: Kid.describe('of the configuration'),
  hours: z.number().int().min(stagingCodeLimits.hours_min).max(stagingCodeLimits.hours_max),
  enrol: Enrol,
}
/** A staging link tells the token of a registration code. */
const needs_for = ({ enrol }: { enrol?: unknown }): string =>
  enrol === undefined ? 'istageConfigCode' : 'deviceList:qrcode'
const made = { expires_at: Instant, bytes: Bytes }
const errors = ['istage_incomplete', 'staging_variables', 'qrcode_invalid', 'account_device_limit'] as const

export const StagingScanRow = TerminalEventRow.extend({
  terminal_kid: Kid,
  ...TerminalRow.pick({ sn: true, name: true }).shape,
})
export type StagingScanRow = z.output<typeof StagingScanRow>

export const istageCode = group(ofWhole('istage_code'), text('iStage codes', 'Mã iStage', 'iStage 二维码'), {
  get: read('GET', {
    needs: 'istageConfigCode',
    title: text('Read what codes are made of', 'Xem nguồn tạo mã', '查看二维码来源'),
    input: ByKid,
    output: IstageConfig.pick({
      kid: true,
      name: true,
      description: true,
      type: true,
      version: true,
      status: true,
    }).extend({
      variables: z.array(z.string()).describe('columns that a spreadsheet has to have'),
    }),
  }),
  make: write('POST', {
    needs: 'istageConfigCode',
    needs_for,
    title: text('Make QR codes of a configuration', 'Tạo mã QR của cấu hình', '生成配置二维码'),
    input: z.object(making),
    output: z.object({
      ...made,
      secret_codes: z.array(z.string()).max(24).describe('texts of QR codes, in their order'),
      count: Count,
    }),
    errors: [...errors, 'staging_too_large'],
  }),
  file: write('POST', {
    needs: 'istageConfigCode',
    needs_for,
    title: text('Make a staging file of a configuration', 'Tạo tệp thiết lập của cấu hình', '生成配置部署文件'),
    input: z.object(making),
    output: z.object({ ...made, file_name: z.string(), secret_file: z.string().describe('base64') }),
    errors,
  }),
  rows: write('POST', {
    needs: 'istageConfigCode',
    needs_for,
    title: text('Make QR codes of a spreadsheet', 'Tạo mã QR từ bảng tính', '从表格生成二维码'),
    input: z.object({
      ...making,
      enrol: z.object({ qrcode_kid: Kid }).optional().describe('all of them register by one permanent code'),
      upload_kid: Kid.describe('a sheet with a column for each variable'),
    }),
    output: z.object({
      expires_at: Instant,
      columns: z.array(z.string()),
      rows: z
        .array(z.object({ row: Count, label: z.string(), secret_code: z.string().describe('text of the QR code') }))
        .max(stagingCodeLimits.rows),
    }),
    errors: [
      'istage_incomplete',
      'staging_no_variables',
      'staging_row_wrong',
      'staging_row_too_large',
      'qrcode_invalid',
      ...sheetErrors,
    ],
    keeps_uploads: true,
  }),
  paging_scan: read('POST', {
    needs: 'istageConfigCode',
    title: text('List scans of a configuration', 'Danh sách lượt quét cấu hình', '配置扫码记录'),
    input: paging(['at']).extend({ kid: Kid.describe('of the configuration') }),
    output: paged(StagingScanRow),
  }),
})
