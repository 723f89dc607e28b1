import * as z from 'zod'
import { constants } from '../constants.ts'
import { group, read, withinGroups, write } from '../kit.ts'
import { ByKid, Bytes, Count, Done, Instant, Kid, Line, paged, paging, Search, shaped, text } from '../wire.ts'
import { DevicePath } from './push_kinds.ts'

export const ConfigFile = z.object({
  kid: Kid,
  name: z.string(),
  description: z.string(),
  path: z.string().describe('folder on the device'),
  size: Bytes,
  md5: z.string(),
  sha256: z.string(),
  push_count: Count,
  created_at: Instant,
  created_by: z.string(),
})
export type ConfigFile = z.output<typeof ConfigFile>

/** What one account may keep of them. */
export const config_files_max = 500
const base64_characters = Math.ceil(constants.config_file_bytes / 3) * 4

export const configFile = group(withinGroups('config_file'), text('Configuration files', 'Tệp cấu hình', '配置文件'), {
  paging: read('POST', {
    needs: 'configureFilePushList',
    title: text('List configuration files', 'Danh sách tệp cấu hình', '配置文件列表'),
    input: paging(['created_at', 'name', 'size']).extend({ text: Search }),
    output: paged(ConfigFile),
  }),
  insert: write('POST', {
    needs: 'configureFilePushAdd',
    title: text('Add a configuration file', 'Thêm tệp cấu hình', '添加配置文件'),
    body_bytes: base64_characters + 16 * 1024,
    input: z.object({
      name: z.string().max(1000),
      description: Line(500).default(''),
      path: DevicePath,
      content: z
        .string()
        .min(1)
        .regex(...shaped('base64', /^[A-Za-z0-9+/]*={0,2}$/))
        .describe('base64; 1 MB at most'),
    }),
    output: ConfigFile,
    errors: ['file_name_invalid', 'file_too_large', 'duplicate_name', 'storage_exceeded'],
  }),
  download: write('POST', {
    needs: 'configureFilePushList',
    title: text('Download a configuration file', 'Tải tệp cấu hình', '下载配置文件'),
    input: ByKid,
    output: z.object({ url: z.string().describe('signed, one hour') }),
  }),
  delete: write('POST', {
    needs: 'configureFilePushList:delete',
    limited: 'refused',
    title: text('Delete a configuration file', 'Xóa tệp cấu hình', '删除配置文件'),
    input: ByKid,
    output: Done,
    errors: ['delete_failed'],
    works_on_full_disk: true,
  }),
})
