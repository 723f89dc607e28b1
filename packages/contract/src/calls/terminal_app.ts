import * as z from 'zod'
import { group, read, write } from '../kit.ts'
import { Bytes, Done, Kid, text } from '../wire.ts'
import { askErrors, ReportedAt } from './device_transfer.ts'

export const appPermissionStates = ['allow', 'deny', 'default'] as const
export type AppPermissionState = (typeof appPermissionStates)[number]
const State = z.enum(appPermissionStates)

/** Of a device that has more the list is refused: it does not end. */
export const device_apps_max = 20_000

export const DeviceApp = z.object({
  package: z.string(),
  title: z.string(),
  version: z.string(),
  version_code: z.number().optional().describe('where the device says it'),
  size: Bytes.nullable(),
  is_system: z.boolean(),
  permissions: z.array(z.object({ name: z.string(), state: State })),
})
export type DeviceApp = z.output<typeof DeviceApp>
const OfApp = z.object({ terminal_kid: Kid, package: z.string().trim().min(1).max(200) })

export const terminalApp = group('terminal_app', text('Apps of a device', 'Ứng dụng trên thiết bị', '设备应用'), {
  list: read('GET', {
    needs: 'deviceDetailApp',
    title: text('List the apps of a device', 'Danh sách ứng dụng trên thiết bị', '设备应用列表'),
    input: z.object({ terminal_kid: Kid }),
    output: z.object({ items: z.array(DeviceApp).max(device_apps_max), reported_at: ReportedAt }),
    errors: [...askErrors],
  }),
  uninstall: write('POST', {
    needs: 'deviceDetailApp:uninstall',
    title: text('Uninstall an app', 'Gỡ ứng dụng', '卸载应用'),
    input: OfApp,
    output: Done,
    errors: [...askErrors, 'device_app_missing'],
    destroys: () => true,
  }),
  set_permission: write('POST', {
    needs: 'deviceDetailApp:permission',
    title: text('Set a permission of an app', 'Đặt quyền của ứng dụng', '设置应用权限'),
    input: OfApp.extend({ permission: z.string().trim().min(1).max(200), state: State }),
    output: Done,
    errors: [...askErrors, 'device_app_missing'],
  }),
})
