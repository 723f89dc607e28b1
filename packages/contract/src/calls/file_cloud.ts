import * as z from 'zod'
import { group, read, write } from '../kit.ts'
import { Bytes, Count, Done, Instant, Kid, paged, paging, Search, text } from '../wire.ts'

export const CloudFile = z.object({
  kid: Kid,
  name: z.string(),
  size: Bytes,
  md5: z.string(),
  sha256: z.string(),
  content_type: z.string(),
  url: z.string().describe('signed download address, one hour'),
  created_at: Instant,
  created_by: z.string(),
  push_count: Count,
})
export type CloudFile = z.output<typeof CloudFile>

export const fileCloud = group('file_cloud', text('File cloud', 'Kho tệp', '文件云'), {
  paging: read('POST', {
    needs: 'fileCloudList',
    title: text('List files', 'Danh sách tệp', '文件列表'),
    input: paging(['name', 'size', 'created_at']).extend({ text: Search }),
    output: paged(CloudFile),
  }),
  insert: write('POST', {
    needs: 'fileCloudList:upload',
    title: text('Add an uploaded file', 'Thêm tệp đã tải lên', '添加已上传的文件'),
    input: z.object({ upload_kid: Kid, name: z.string().max(1000) }),
    output: CloudFile,
    errors: ['file_name_invalid', 'upload_not_finished', 'duplicate_name', 'file_transfer_failed', 'storage_exceeded'],
  }),
  delete: write('POST', {
    needs: 'fileCloudList:delete',
    title: text('Delete a file', 'Xóa tệp', '删除文件'),
    input: z.object({ kid: Kid }),
    output: Done,
    errors: ['delete_failed'],
  }),
})
