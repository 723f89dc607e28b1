import * as z from 'zod'
import { constants } from '../constants.ts'
import { group, ofProvider, read, withinGroups, write } from '../kit.ts'
import type { Permission } from '../permissions.ts'
import { ByKid, Bytes, Count, Done, Instant, Kid, Nothing, paged, paging, Search, text } from '../wire.ts'
import { listUpload } from './interrupted_upload.ts'
import { DevicePath } from './push_kinds.ts'

export const fileLimits = {
  /** Of one account: what a tree of folders shows is read as a whole. */
  folders: 2000,
  /** Folders within folders. */
  depth: 10,
  /** Files and folders that one call takes. */
  at_once: 500,
  /** Files and folders that one copy may make. */
  copied: 5000,
} as const

/** private: of the account acted for; platform: of the provider, read-only for everybody else. */
export const fileOrigins = ['private', 'platform'] as const
export type FileOrigin = (typeof fileOrigins)[number]
export const fileKinds = ['file', 'folder'] as const

/** The catalogue has refusals of its own for names, so the schema leaves them to the service. */
const Name = z.string().max(1000)
const Folder = Kid.nullable().default(null).describe('null is the top')
const Place = z.string().describe(`where its files belong on a device; ${constants.device_storage_root} at the top`)
const Kids = z.array(Kid).min(1).max(fileLimits.at_once)

export const CloudFile = z.object({
  kid: Kid,
  parent_kid: Kid.nullable(),
  name: z.string(),
  is_folder: z.boolean(),
  origin: z.enum(fileOrigins),
  path: z.string().describe('names of the folders that it is in, each followed by /; empty at the top'),
  device_path: Place,
  is_visible: z.boolean().describe('whether devices see it when they look into the file cloud themselves'),
  size: Bytes,
  md5: z.string(),
  sha256: z.string(),
  content_type: z.string(),
  is_broken: z.boolean().describe('its bytes are gone or are others: it has to be uploaded again'),
  url: z.string().nullable().describe('signed download address, one hour; a folder has none'),
  created_at: Instant,
  updated_at: Instant,
  created_by: z.string(),
  push_count: Count,
})
export type CloudFile = z.output<typeof CloudFile>

export const CloudFolder = z.object({
  kid: Kid,
  parent_kid: Kid.nullable(),
  name: z.string(),
  device_path: Place,
})
export type CloudFolder = z.output<typeof CloudFolder>

export const CloudFileDetails = CloudFile.extend({
  folders: z.array(z.object({ kid: Kid, name: z.string() })).describe('that it is in, outermost first'),
  own_device_path: DevicePath.nullable().describe('of a folder whose place on devices was chosen'),
})
export type CloudFileDetails = z.output<typeof CloudFileDetails>

export const FileSpace = z.object({
  disk_space: Bytes.describe('bytes that the account may store'),
  used: Bytes.describe('by what is kept'),
  arriving: Bytes.describe('by uploads that are not kept yet'),
  file_count: Count,
  folder_count: Count,
  broken_count: Count.describe('files whose bytes are gone or are others'),
})
export type FileSpace = z.output<typeof FileSpace>

const folderErrors = ['file_folder_unknown', 'file_folder_depth', 'file_folder_limit'] as const

type Needs = Record<'list' | 'add' | 'edit' | 'delete', Permission>
const rows = (needs: Needs) => ({
  paging: read('POST', {
    needs: needs.list,
    title: text('List files', 'Danh sách tệp', '文件列表'),
    input: paging(['name', 'size', 'created_at']).extend({
      text: Search.describe('part of a name; finds in the folders below, too'),
      folder_kid: Kid.optional().describe('what is in it; the top when absent'),
      is_flat: z.boolean().optional().describe('files of all folders, and no folders'),
      is_deep: z.boolean().optional().describe('files and folders of all folders'),
      kids: z.array(Kid).max(200).optional().describe('these, wherever they are'),
      kind: z.enum(fileKinds).optional(),
      origin: z.enum(fileOrigins).optional(),
      is_visible: z.boolean().optional(),
      is_broken: z.boolean().optional().describe('with it, of all folders'),
    }),
    output: paged(CloudFile),
  }),
  get: read('GET', {
    needs: needs.list,
    title: text('Read a file', 'Xem tệp', '查看文件'),
    input: ByKid,
    output: CloudFileDetails,
  }),
  list_folder: read('GET', {
    needs: needs.list,
    title: text('List own folders', 'Danh sách thư mục', '文件夹列表'),
    input: Nothing,
    output: z.array(CloudFolder),
  }),
  get_space: read('GET', {
    needs: needs.list,
    title: text('Read the space used', 'Xem dung lượng đã dùng', '查看已用空间'),
    input: Nothing,
    output: FileSpace,
  }),
  list_upload: listUpload(needs.add),
  insert: write('POST', {
    needs: needs.add,
    title: text('Add an uploaded file', 'Thêm tệp đã tải lên', '添加已上传的文件'),
    input: z.object({ upload_kid: Kid, name: Name, folder_kid: Folder, is_visible: z.boolean().default(true) }),
    output: CloudFile,
    errors: [
      'file_name_invalid',
      'upload_not_finished',
      'duplicate_name',
      'file_transfer_failed',
      'storage_exceeded',
      'file_folder_unknown',
    ],
    keeps_uploads: true,
  }),
  insert_folder: write('POST', {
    needs: needs.add,
    title: text('Create a folder', 'Tạo thư mục', '新建文件夹'),
    input: z.object({
      name: Name,
      folder_kid: Folder,
      is_visible: z.boolean().default(true),
      device_path: DevicePath.nullable().default(null).describe('null: below the place of the folder that it is in'),
    }),
    output: ByKid,
    errors: ['file_name_invalid', 'duplicate_name', ...folderErrors],
  }),
  make_path: write('POST', {
    needs: needs.add,
    title: text('Create folders within each other', 'Tạo các thư mục lồng nhau', '新建多级文件夹'),
    input: z.object({ folder_kid: Folder, names: z.array(Name).min(1).max(100) }),
    output: ByKid.describe('the innermost; those that are there already stay'),
    errors: ['file_name_invalid', 'duplicate_name', ...folderErrors],
  }),
  update: write('POST', {
    needs: needs.edit,
    limited: 'refused',
    title: text('Edit a file or folder', 'Sửa tệp hoặc thư mục', '编辑文件或文件夹'),
    input: z.object({
      kid: Kid,
      name: Name.optional(),
      is_visible: z.boolean().optional(),
      device_path: DevicePath.nullable().optional().describe('of a folder; null takes a chosen one away'),
    }),
    output: Done,
    errors: ['file_name_invalid', 'duplicate_name'],
  }),
  move: write('POST', {
    needs: needs.edit,
    limited: 'refused',
    title: text('Move files and folders', 'Chuyển tệp và thư mục', '移动文件和文件夹'),
    input: z.object({ kids: Kids, folder_kid: Folder }),
    output: Done,
    errors: ['duplicate_name', 'file_folder_within_itself', 'file_folder_unknown', 'file_folder_depth'],
  }),
  copy: write('POST', {
    needs: needs.add,
    title: text('Copy files and folders', 'Sao chép tệp và thư mục', '复制文件和文件夹'),
    input: z.object({ kids: Kids.describe('platform files too'), folder_kid: Folder }),
    output: z.object({ kids: z.array(Kid).describe('of the copies; a name that is taken gets a number') }),
    errors: ['file_folder_within_itself', 'file_copy_limit', 'storage_exceeded', ...folderErrors],
  }),
  delete: write('POST', {
    needs: needs.delete,
    limited: 'refused',
    title: text('Delete a file or folder', 'Xóa tệp hoặc thư mục', '删除文件或文件夹'),
    input: z.object({ kid: Kid.describe('a folder goes with all that is in it') }),
    output: Done,
    errors: ['delete_failed'],
    works_on_full_disk: true,
  }),
  batch_delete: write('POST', {
    needs: needs.delete,
    limited: 'refused',
    title: text('Delete files and folders', 'Xóa các tệp và thư mục', '批量删除文件和文件夹'),
    input: z.object({ kids: Kids }),
    output: z.object({
      deleted: Count,
      kept: z.array(z.object({ kid: Kid, name: z.string() })).describe('which a push still needs'),
    }),
    works_on_full_disk: true,
  }),
})

/** Files of the account acted for, and those of the provider. */
export const fileCloud = group(
  withinGroups('file_cloud'),
  text('File cloud', 'Kho tệp', '文件云'),
  rows({ list: 'fileCloudList', add: 'fileCloudAdd', edit: 'fileCloudEdit', delete: 'fileCloudList:delete' }),
)
/** The provider's own files, which every customer sees. */
export const opsPlatformFile = group(
  ofProvider('ops/platform_file'),
  text('Platform files', 'Tệp nền tảng', '平台文件'),
  rows({
    list: 'platformFileList',
    add: 'platformFileAdd',
    edit: 'platformFileEdit',
    delete: 'platformFileList:delete',
  }),
)
