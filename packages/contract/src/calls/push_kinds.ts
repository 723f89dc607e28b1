import * as z from 'zod'
import { constants } from '../constants.ts'
import { controlCharacters, Kid, Line, shaped, text } from '../wire.ts'
import type { Text } from '../wire.ts'
import { AppPackage, pushedAppLimits } from './app_package.ts'

const devicePath = new RegExp(String.raw`^/(?!(?:.*/)?\.\.(?:/|$))[^${controlCharacters}:*?"<>|\\]*$`)
/** Absolute path of a folder on the device, without `..`. */
export const DevicePath = z
  .string()
  .trim()
  .min(1)
  .max(1000)
  .regex(...shaped('device_path', devicePath, '^/[^:*?"<>|\\\\]*$'))

type Kind = {
  /** In lists of tasks and in the operation log. */
  title: Text
  /** On a button that does it to a device. */
  action: Text
  /** The permission that a push of this kind asks for. */
  needs: string
  /** What somebody says of the work. */
  payload: z.ZodType
  /** It takes a device out of people's hands: many of them ask for the password (`Call.destroys`). */
  is_destructive?: true
  /** Many of them begin after a delay in which they can be stopped. */
  is_delayed?: true
  /** How many devices of one account it may be done to within an hour, and so what a stolen session can do. */
  per_hour?: number
  /** It puts content of the account on devices, and is counted with it (`ops_content_report`). */
  is_content?: true
  /** Made by another call only: nobody pushes it by hand, copies it or keeps it as a template. */
  is_internal_only?: true
}

/** Everything that can be pushed, in the order of menus. A kind is its row here, one in the agent and what a person is asked in the console. */
export const pushKinds = {
  message: {
    title: text('Message', 'Tin nhắn', '消息'),
    action: text('Message', 'Gửi tin nhắn', '发送消息'),
    needs: 'deviceDetailPushMessage:push',
    payload: z.object({ title: Line(100, 1), text: z.string().trim().min(1).max(2000) }),
  },
  file: {
    title: text('Files', 'Tệp', '文件'),
    action: text('Push files', 'Đẩy tệp', '推送文件'),
    needs: 'fileCloudPush:push',
    payload: z.object({
      file_kids: z
        .array(Kid)
        .min(1)
        .max(20)
        .describe('folders too: with all that is in them, at most 200 files together'),
      path: DevicePath,
    }),
    is_content: true,
  },
  config_file: {
    title: text('Configuration file', 'Tệp cấu hình', '配置文件'),
    action: text('Push configuration file', 'Đẩy tệp cấu hình', '推送配置文件'),
    needs: 'configureFilePush:push',
    payload: z.object({ config_file_kid: Kid }),
  },
  app_install: {
    title: text('App', 'Ứng dụng', '应用'),
    action: text('Push apps', 'Đẩy ứng dụng', '推送应用'),
    needs: 'appCenterPush:push',
    payload: z.object({
      apps: z
        .array(z.object({ app_kid: Kid, version_kid: Kid.optional().describe('absent: the offered one') }))
        .min(1)
        .max(pushedAppLimits.apps),
      may_downgrade: z.boolean().default(false).describe('devices that have a higher version get this one'),
    }),
    is_content: true,
  },
  app_uninstall: {
    title: text('App removal', 'Gỡ ứng dụng', '卸载应用'),
    action: text('Uninstall apps', 'Gỡ ứng dụng', '卸载应用'),
    needs: 'appCenterPush:uninstall',
    payload: z.object({ packages: z.array(AppPackage).min(1).max(pushedAppLimits.packages) }),
    is_destructive: true,
    is_delayed: true,
    per_hour: constants.app_uninstall_per_hour,
  },
  find: {
    title: text('Find device', 'Tìm thiết bị', '查找设备'),
    action: text('Find', 'Tìm', '查找'),
    needs: 'deviceDetailInfo:find',
    payload: z.object({ seconds: z.number().int().min(constants.ring_min_seconds).max(600) }),
    is_destructive: true,
  },
  lock: {
    title: text('Lock screen', 'Khóa màn hình', '锁屏'),
    action: text('Lock', 'Khóa', '锁屏'),
    needs: 'deviceDetailInfo:lock',
    payload: z.object({
      password: z
        .string()
        .regex(...shaped('digits', /^\d+$/))
        .min(constants.screen_lock_min)
        .max(64)
        .optional(),
    }),
    is_destructive: true,
  },
  screenshot: {
    title: text('Screenshot', 'Chụp màn hình', '截屏'),
    action: text('Take screenshot', 'Chụp màn hình', '截屏'),
    needs: 'deviceDetailFsCapture:capture',
    payload: z.object({}),
  },
  remote_log: {
    title: text('Remote log', 'Nhật ký từ xa', '远程日志'),
    action: text('Fetch log', 'Lấy nhật ký', '获取日志'),
    needs: 'deviceDetailInfo:remoteLog',
    payload: z.object({}),
  },
  restart: {
    title: text('Restart', 'Khởi động lại', '重启'),
    action: text('Restart', 'Khởi động lại', '重启'),
    needs: 'deviceDetailInfo:restart',
    payload: z.object({}),
    is_destructive: true,
  },
  shutdown: {
    title: text('Shut down', 'Tắt máy', '关机'),
    action: text('Shut down', 'Tắt máy', '关机'),
    needs: 'deviceDetailInfo:shutdown',
    payload: z.object({}),
    is_destructive: true,
    is_delayed: true,
    per_hour: constants.shutdown_per_hour,
  },
  factory_reset: {
    title: text('Factory reset', 'Khôi phục cài đặt gốc', '恢复出厂设置'),
    action: text('Factory reset', 'Khôi phục cài đặt gốc', '恢复出厂设置'),
    needs: 'deviceDetailInfo:factoryReset',
    payload: z.object({}),
    is_destructive: true,
    is_delayed: true,
    per_hour: constants.factory_reset_per_hour,
  },
  os: {
    title: text('OS update', 'Cập nhật OS', 'OS 更新'),
    action: text('Update OS', 'Cập nhật OS', '更新 OS'),
    needs: 'userOsPush',
    payload: z.object({ os_version_kid: Kid }),
    is_destructive: true,
    is_delayed: true,
    per_hour: constants.os_push_per_hour,
  },
  configuration: {
    title: text('Configuration change', 'Thay đổi cấu hình', '配置变更'),
    action: text('Change configuration', 'Thay đổi cấu hình', '修改配置'),
    needs: 'deviceDetailConfig:edit',
    payload: z.object({ change_kid: Kid, version: z.number().int() }),
    is_internal_only: true,
  },
} as const satisfies Record<string, Kind>

type Kinds = typeof pushKinds
export type PushTaskType = keyof Kinds
export type PushPayload<T extends PushTaskType> = z.output<Kinds[T]['payload']>
/** Kinds that somebody pushes. */
export type PushableType = {
  [T in PushTaskType]: Kinds[T] extends { is_internal_only: true } ? never : T
}[PushTaskType]
export type PushWork = { [T in PushableType]: { type: T; payload: PushPayload<T> } }[PushableType]

const types = Object.keys(pushKinds) as PushTaskType[]
export const PushType = z.enum(types as [PushTaskType, ...PushTaskType[]])
export const pushTaskTypes: readonly PushTaskType[] = types
const isPushable = (type: PushTaskType): type is PushableType => !('is_internal_only' in pushKinds[type])
export const pushableTypes: readonly PushableType[] = types.filter(isPushable)
export const PushableType = z.enum(pushableTypes as [PushableType, ...PushableType[]])

export const pushTitles = Object.fromEntries(types.map((type) => [type, pushKinds[type].title])) as Record<
  PushTaskType,
  Text
>

/** What is said of a kind whichever it is. */
export const pushKindOf = (type: PushTaskType): Kind => pushKinds[type]

export const contentTypes: readonly PushTaskType[] = types.filter((type) => pushKindOf(type).is_content)

/** `{ type, payload }`: the payload is that of the type. */
type WorkOf<T extends PushableType> = z.ZodObject<{ type: z.ZodLiteral<T>; payload: Kinds[T]['payload'] }>
type AnyWork = { [T in PushableType]: WorkOf<T> }[PushableType]
const works = pushableTypes.map((type) => z.object({ type: z.literal(type), payload: pushKinds[type].payload }))
export const Work = z.discriminatedUnion('type', works as unknown as [AnyWork, ...AnyWork[]])
