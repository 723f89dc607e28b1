import * as z from 'zod'
import { group, ofProvider, read, write } from '../kit.ts'
import { Bytes, Count, Done, Kid, paged, paging, Search, text } from '../wire.ts'

export const DiskSpace = z.object({
  kid: Kid,
  account_kid: Kid,
  disk_space: Bytes.describe('bytes the account may store; what its customer may, where it has no share of that'),
  is_shared: z.boolean().describe('a sub-account without a share: it draws on what its customer has left'),
  least: Bytes.describe('it cannot be made smaller than what is used and what is kept for sub-accounts'),
  most: Bytes.nullable().describe('a share can be as much as its customer has left; null of a customer'),
  used: Bytes,
  item_count: Count,
})
export type DiskSpace = z.output<typeof DiskSpace>

const max_space = 2 ** 50
/** What is kept for a sub-account of what its customer may store. */
export const SpaceShare = Bytes.max(max_space).nullable()
const rows = {
  get: read('GET', {
    needs: 'externalUserManageList',
    title: text('Read the disk space', 'Đọc dung lượng', '读取磁盘空间'),
    input: z.object({ account_kid_param: Kid }),
    output: DiskSpace,
  }),
  update_space: write('GET', {
    needs: 'externalUserManageList:space',
    title: text('Change the disk space', 'Đổi dung lượng', '修改磁盘空间'),
    input: z.object({
      kid: Kid,
      account_kid_param: Kid,
      disk_space: z.coerce
        .number<number | string>()
        .int()
        .min(0)
        .max(max_space)
        .optional()
        .describe('bytes; a sub-account without it draws on what its customer has left'),
    }),
    output: Done,
    errors: ['storage_below_use', 'storage_beyond_customer'],
  }),
}
export const opsFileDisk = group(
  ofProvider('ops/file_disk'),
  text('File disk space', 'Dung lượng tệp', '文件磁盘空间'),
  rows,
)
export const opsAppCenter = group(
  ofProvider('ops/app_center'),
  text('App center space', 'Dung lượng ứng dụng', '应用中心空间'),
  rows,
)

export const ContentReportRow = z.object({
  kid: Kid.describe('the account'),
  name: z.string(),
  type: z.number(),
  file_count: Count,
  file_used: Bytes,
  file_space: Bytes,
  app_count: Count,
  app_used: Bytes,
  app_space: Bytes,
  push_count: Count.describe('pushes of files and apps in the asked time'),
  download_count: Count.describe('devices that completed such a push'),
  failed_count: Count.describe('devices on which such a push failed'),
})
export type ContentReportRow = z.output<typeof ContentReportRow>
const Period = z.object({ from: z.iso.datetime().optional(), to: z.iso.datetime().optional() })

/** What customers store and push. */
export const opsContentReport = group(
  ofProvider('ops/content_report'),
  text('Content report', 'Báo cáo nội dung', '内容报表'),
  {
    paging: read('POST', {
      needs: 'contentReportList',
      title: text('List content by customer', 'Nội dung theo khách hàng', '按客户统计内容'),
      input: paging(['name', 'file_used', 'file_count', 'app_used']).extend({ text: Search }).extend(Period.shape),
      output: paged(ContentReportRow),
    }),
    total: read('GET', {
      needs: 'contentReportList',
      title: text('Read the totals', 'Đọc tổng số', '读取合计'),
      input: Period,
      output: ContentReportRow.omit({ kid: true, name: true, type: true }),
    }),
  },
)
