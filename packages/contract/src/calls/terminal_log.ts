import * as z from 'zod'
import { group, read, write } from '../kit.ts'
import { Kid, paged, paging, text } from '../wire.ts'
import { DeviceTransfer, transferErrors } from './device_transfer.ts'

export const terminalLog = group('terminal_log', text('Logs of a device', 'Nhật ký của thiết bị', '设备日志'), {
  ask: write('POST', {
    needs: 'deviceDetailRun:log',
    title: text('Ask a device for its log', 'Yêu cầu nhật ký từ thiết bị', '获取设备日志'),
    input: z.object({ terminal_kid: Kid }),
    output: DeviceTransfer,
    errors: [...transferErrors],
  }),
  paging: read('POST', {
    needs: 'deviceDetailRun:log',
    title: text('List logs of a device', 'Danh sách nhật ký của thiết bị', '设备日志列表'),
    input: paging(['created_at']).extend({ terminal_kid: Kid }),
    output: paged(DeviceTransfer),
  }),
})
