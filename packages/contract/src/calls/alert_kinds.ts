import * as z from 'zod'
import { Line, text } from '../wire.ts'
import type { Text } from '../wire.ts'
import { AppPackage } from './app_package.ts'

const Percent = z.number().int().min(1).max(99)
const Minutes = z.number().int().min(1).max(43_200)

/**
 * What a rule watches: its name, what it is told beside, and whether it is about devices or about the account. What is true of
 * a device by then is on the server (modules/watch/alert/kinds.ts), its fields in the console (features/alert/kind-fields.tsx).
 */
export const alertKinds = {
  battery: {
    title: text('Battery low', 'Pin yếu', '电量低'),
    params: z.object({ percent: Percent.describe('at most') }),
    subject: 'device',
  },
  storage: {
    title: text('Storage nearly full', 'Bộ nhớ sắp đầy', '存储空间不足'),
    params: z.object({ percent: Percent.describe('used at least') }),
    subject: 'device',
  },
  offline: {
    title: text('Offline', 'Ngoại tuyến', '离线'),
    params: z.object({ minutes: Minutes.describe('since its last contact') }),
    subject: 'device',
  },
  fence: {
    title: text('Outside of its fence', 'Ra khỏi hàng rào', '离开围栏'),
    params: z.object({}),
    subject: 'device',
  },
  failed_tasks: {
    title: text('Tasks failed', 'Tác vụ thất bại', '任务失败'),
    params: z.object({
      count: z.number().int().min(1).max(100),
      hours: z.number().int().min(1).max(168),
    }),
    subject: 'device',
  },
  config_drift: {
    title: text('Configuration not taken over', 'Chưa nhận cấu hình', '配置未生效'),
    params: z.object({ minutes: Minutes.describe('online and without the newest configuration') }),
    subject: 'device',
  },
  app_behind: {
    title: text('App version behind', 'Ứng dụng chưa cập nhật', '应用版本落后'),
    params: z.object({ package: AppPackage, version: Line(64, 1).describe('below it') }),
    subject: 'device',
  },
  os_behind: {
    title: text('OS version behind', 'Hệ điều hành chưa cập nhật', '系统版本落后'),
    params: z.object({ version: Line(64, 1).describe('below it') }),
    subject: 'device',
  },
  certificate_expiry: {
    title: text('Certificate expires', 'Chứng chỉ sắp hết hạn', '证书即将到期'),
    params: z.object({ days: z.number().int().min(1).max(365) }),
    subject: 'device',
  },
  account_expiry: {
    title: text('Account expires', 'Tài khoản sắp hết hạn', '账号即将到期'),
    params: z.object({ days: z.number().int().min(1).max(365) }),
    subject: 'account',
  },
} as const satisfies Record<string, { title: Text; params: z.ZodObject; subject: 'device' | 'account' }>
export type AlertKind = keyof typeof alertKinds
export const alertKindNames = Object.keys(alertKinds) as [AlertKind, ...AlertKind[]]
export type AlertParams<K extends AlertKind> = z.output<(typeof alertKinds)[K]['params']>

/** A kind with what it is told. */
export const AlertWatch = z.discriminatedUnion(
  'kind',
  alertKindNames.map((kind) => z.object({ kind: z.literal(kind), params: alertKinds[kind].params })) as unknown as [
    { [K in AlertKind]: z.ZodObject<{ kind: z.ZodLiteral<K>; params: (typeof alertKinds)[K]['params'] }> }[AlertKind],
  ],
)
export type AlertWatch = { [K in AlertKind]: { kind: K; params: AlertParams<K> } }[AlertKind]
