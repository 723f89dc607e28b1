import * as z from 'zod'
import { group, read, withinGroups, write } from '../kit.ts'
import { Bytes, ByKid, Done, Instant, Kid, paged, paging, text } from '../wire.ts'
import { askErrors, DeviceTransfer, ReportedAt, transferErrors } from './device_transfer.ts'
import { DevicePath } from './push_kinds.ts'

export const DeviceFile = z.object({
  name: z.string(),
  type: z.enum(['folder', 'file', 'other']),
  size: Bytes.nullable(),
  modified_at: Instant.nullable(),
})
export type DeviceFile = z.output<typeof DeviceFile>

/** The catalogue has a refusal of its own for names (45002), so the schema leaves them to the service. */
const Name = z.string().max(1000)
const OfDevice = z.object({ terminal_kid: Kid, path: DevicePath })

const group_title = text('Files of a device', 'Tệp trên thiết bị', '设备文件')
export const terminalFile = group(withinGroups('terminal_file'), group_title, {
  list: read('POST', {
    needs: 'deviceDetailFileManager',
    title: text('List a folder of a device', 'Liệt kê thư mục trên thiết bị', '列出设备文件夹'),
    input: OfDevice.extend({ after: z.string().max(255).optional().describe('`next` of the part before') }),
    output: z.object({ items: z.array(DeviceFile).max(1000), next: z.string().nullable(), reported_at: ReportedAt }),
    errors: [...askErrors, 'device_file_missing'],
  }),
  make_folder: write('POST', {
    needs: 'deviceDetailFileManager:write',
    title: text('Create a folder on a device', 'Tạo thư mục trên thiết bị', '在设备上新建文件夹'),
    input: OfDevice.extend({ name: Name }),
    output: Done,
    errors: [...askErrors, 'device_file_missing', 'duplicate_name', 'file_name_invalid'],
  }),
  rename: write('POST', {
    needs: 'deviceDetailFileManager:write',
    title: text('Rename a file on a device', 'Đổi tên tệp trên thiết bị', '重命名设备文件'),
    input: OfDevice.extend({ name: Name.describe('the new one, in the same folder') }),
    output: Done,
    errors: [...askErrors, 'device_file_missing', 'duplicate_name', 'file_name_invalid'],
  }),
  delete: write('POST', {
    needs: 'deviceDetailFileManager:write',
    title: text('Delete a file on a device', 'Xóa tệp trên thiết bị', '删除设备文件'),
    input: OfDevice.describe('a folder goes with all that is in it'),
    output: Done,
    errors: [...askErrors, 'device_file_missing'],
    works_on_full_disk: true,
  }),
  download: write('POST', {
    needs: 'deviceDetailFileManager',
    title: text('Fetch a file from a device', 'Lấy tệp từ thiết bị', '从设备取回文件'),
    input: OfDevice,
    output: DeviceTransfer.describe('begun; how it goes on is in paging and in live events'),
    errors: [...transferErrors, 'file_name_invalid'],
  }),
  upload: write('POST', {
    needs: 'deviceDetailFileManager:write',
    title: text('Send a file to a device', 'Gửi tệp đến thiết bị', '发送文件到设备'),
    input: OfDevice.extend({ name: Name, upload_kid: Kid }),
    output: DeviceTransfer,
    errors: [...transferErrors, 'file_name_invalid', 'upload_not_finished', 'file_transfer_failed'],
    keeps_uploads: true,
  }),
  paging: read('POST', {
    needs: 'deviceDetailFileManager',
    title: text('List file transfers of a device', 'Danh sách lượt truyền tệp', '设备文件传输列表'),
    input: paging(['created_at']).extend({ terminal_kid: Kid }),
    output: paged(DeviceTransfer),
  }),
  cancel: write('POST', {
    needs: 'deviceDetailFileManager',
    title: text('Cancel a file transfer', 'Hủy lượt truyền tệp', '取消文件传输'),
    input: ByKid,
    output: DeviceTransfer,
    errors: ['task_not_cancelable'],
    works_on_full_disk: true,
  }),
})
