import * as z from 'zod'
import { group, read, withinGroups, write } from '../kit.ts'
import { Bytes, Count, Done, Instant, Kid, paged, paging, Search, text } from '../wire.ts'
import { askErrors } from './device_transfer.ts'

/** What is carried between a browser and a device: pictures and input, a shell, lines of the log as they are written, or files. */
export const remoteKinds = ['desktop', 'terminal', 'log', 'files'] as const
export type RemoteKind = (typeof remoteKinds)[number]
/** Whether the person at the device is asked, told, or neither (a kiosk has nobody to ask). */
export const remoteConsents = ['ask', 'notify', 'unattended'] as const
export type RemoteConsent = (typeof remoteConsents)[number]
export const remoteEnds = [
  'ended',
  'expired',
  'signed_out',
  'not_allowed',
  'device_gone',
  'no_viewer',
  'server_stopped',
  'failed',
] as const
export type RemoteEnd = (typeof remoteEnds)[number]
/** Of one period, and of a session that nobody renews. */
export const remote_period_seconds = 7_200

/** How people of an account may open its devices. */
export const RemoteSettings = z.object({
  consent: z.enum(remoteConsents).describe('what the person at a device is asked before its screen is shown'),
  clipboard: z.boolean().describe('whether text is carried between both clipboards'),
  terminal: z.boolean().describe('whether shells may be opened at all; each of them is recorded'),
  record_desktop: z.boolean(),
  recording_days: z.number().int().min(1).max(365),
  recording_bytes: Bytes.describe('of all recordings of the account; the oldest are removed first'),
})
export type RemoteSettings = z.output<typeof RemoteSettings>

/** Somebody who looks at a session, or looked. */
export const RemoteViewer = z.object({
  kid: Kid,
  user_kid: Kid,
  username: z.string(),
  has_control: z.boolean(),
  joined_at: Instant,
  left_at: Instant.nullable(),
})

/** A session with a device: one person opens it, others may join. */
export const RemoteSession = z.object({
  kid: Kid,
  terminal_kid: Kid,
  sn: z.string(),
  kind: z.enum(remoteKinds),
  consent: z.enum(remoteConsents),
  created_by: z.string(),
  created_by_kid: Kid,
  created_at: Instant,
  ends_at: Instant.describe('when it ends unless it is renewed'),
  ended_at: Instant.nullable().describe('null while it is open'),
  end_reason: z.enum(remoteEnds).nullable(),
  terminal_policy_kid: Kid.nullable().describe('entitlement under which it was opened; null where none is asked for'),
  renewals: Count.describe('periods that were added'),
  viewers: z.array(RemoteViewer),
  recordings: z.array(
    z.object({
      kid: Kid,
      format: z.enum(['fbs', 'asciicast']),
      bytes: Bytes,
      seconds: z.number().min(0),
      started_at: Instant,
    }),
  ),
})
export type RemoteSession = z.output<typeof RemoteSession>

/** What a browser needs to open its end: a WebSocket of `url` with the subprotocols `mdm-tunnel` and `ticket.{ticket}`. */
export const RemoteTicket = z.object({
  session: RemoteSession,
  viewer_kid: Kid,
  url: z.string().describe('path on this server: /tunnel/{viewer_kid}'),
  ticket: z.string().describe('good once, for 30 seconds, in the session of the person who asked'),
})
export type RemoteTicket = z.output<typeof RemoteTicket>

const opened = [
  ...askErrors,
  'no_remote_connection',
  'remote_asleep',
  'remote_no_consent',
  'remote_permission_missing',
  'remote_busy',
  'remote_no_entitlement',
] as const
/** Where the person at the device may be asked. */
const asked = [...opened, 'remote_asked_lately'] as const
const view = 'deviceDetailRemote'
const terminal = 'deviceDetailRemote:terminal'
const log = 'deviceDetailRemote:log'
const files = 'deviceDetailFileManager'
const of_device = z.object({ terminal_kid: Kid })
const of_session = z.object({ session_kid: Kid })

export const terminalRemote = group(
  withinGroups('terminal_remote'),
  text('Remote hands', 'Điều khiển từ xa', '远程协助'),
  {
    open_desktop: write('POST', {
      needs: view,
      title: text('Open the screen of a device', 'Mở màn hình thiết bị', '打开设备屏幕'),
      input: of_device.extend({ view_only: z.boolean().default(false) }),
      output: RemoteTicket,
      errors: asked,
    }),
    open_terminal: write('POST', {
      needs: terminal,
      title: text('Open a shell on a device', 'Mở dòng lệnh trên thiết bị', '打开设备终端'),
      input: of_device.extend({
        columns: z.number().int().min(2).max(500).default(80),
        rows: z.number().int().min(2).max(300).default(24),
      }),
      output: RemoteTicket,
      errors: [...asked, 'remote_terminal_off'],
    }),
    open_log: write('POST', {
      needs: log,
      title: text('Follow the log of a device', 'Theo dõi nhật ký thiết bị', '查看设备实时日志'),
      input: of_device,
      output: RemoteTicket,
      errors: opened,
    }),
    /** Many files at once, both ways; one file that is to be kept for a while is fetched by `terminal_file`. */
    open_files: write('POST', {
      needs: files,
      title: text('Transfer files of a device', 'Truyền tệp của thiết bị', '传输设备文件'),
      input: of_device,
      output: RemoteTicket,
      errors: opened,
    }),
    /** Another person, or the same one whose connection was lost. */
    join: write('POST', {
      needs: [view, terminal, log, files],
      title: text('Join a remote session', 'Tham gia phiên từ xa', '加入远程会话'),
      input: of_session,
      output: RemoteTicket,
      errors: [...asked, 'remote_ended', 'remote_terminal_off'],
    }),
    control: write('POST', {
      needs: 'deviceDetailRemote:control',
      title: text('Take or hand over control', 'Nhận hoặc chuyển quyền điều khiển', '接管或移交控制'),
      input: of_session.extend({ viewer_kid: Kid.nullable().describe('who has control from now on; null: nobody') }),
      output: Done,
      errors: ['remote_ended'],
    }),
    end: write('POST', {
      needs: [view, terminal, log, files],
      title: text('End remote sessions', 'Kết thúc phiên từ xa', '结束远程会话'),
      input: z.object({ kids: z.array(Kid).min(1).max(100) }),
      output: z.object({ ended: Count }),
      works_on_full_disk: true,
    }),
    get: read('GET', {
      needs: [view, terminal, log, files, 'remoteSessionList'],
      title: text('Read a remote session', 'Đọc phiên từ xa', '读取远程会话'),
      input: of_session,
      output: RemoteSession,
    }),
    paging: read('POST', {
      needs: [view, 'remoteSessionList'],
      title: text('List remote sessions', 'Danh sách phiên từ xa', '远程会话列表'),
      input: paging(['created_at', 'ended_at']).extend({
        text: Search.describe('part of the SN or of the name of who opened it'),
        terminal_kid: Kid.optional(),
        kind: z.enum(remoteKinds).optional(),
        is_open: z.boolean().optional(),
      }),
      output: paged(RemoteSession),
    }),
    /** Watching is an act that is logged, and so a write. */
    watch: write('POST', {
      needs: 'remoteSessionList:watch',
      title: text('Watch a recording', 'Xem bản ghi', '查看录像'),
      input: z.object({ recording_kid: Kid }),
      output: z.object({ url: z.string().describe('signed, one hour'), format: z.enum(['fbs', 'asciicast']) }),
    }),
    delete_recording: write('POST', {
      needs: 'remoteSessionList:delete',
      title: text('Delete a recording', 'Xóa bản ghi', '删除录像'),
      input: z.object({ recording_kid: Kid }),
      output: Done,
      works_on_full_disk: true,
    }),
    settings: read('GET', {
      needs: [view, terminal, log, files, 'remoteSessionList'],
      title: text('Read how devices may be opened', 'Đọc cách mở thiết bị', '读取远程设置'),
      input: z.object({}),
      output: RemoteSettings,
    }),
    update_settings: write('POST', {
      needs: 'remoteSessionList:settings',
      limited: 'refused',
      title: text('Change how devices may be opened', 'Thay đổi cách mở thiết bị', '修改远程设置'),
      input: RemoteSettings,
      output: RemoteSettings,
      asks_password: () => true,
    }),
    renewal: write('GET', {
      needs: view,
      title: text('Renew a remote session', 'Gia hạn phiên từ xa', '远程续期'),
      input: z.object({
        terminal_policy_kid: Kid,
        step: z.coerce.number<number>().int().min(1).max(12).describe('periods of 7,200 seconds to add'),
      }),
      output: RemoteSession,
      errors: ['remote_ended', 'remote_no_entitlement'],
    }),
    clear_renewal: write('GET', {
      path: 'clear_renewal',
      needs: view,
      title: text('Take back a renewal', 'Thu hồi gia hạn phiên từ xa', '清除远程续期'),
      input: z.object({ terminal_policy_kid: Kid }),
      output: RemoteSession,
      errors: ['remote_ended'],
      works_on_full_disk: true,
    }),
  },
)
