import type { Permission } from '@mdm/contract'
import { deviceDialogNeeds } from '../../shared/device/commands/names.ts'

export const renewNeeds = 'deviceList:cancel' satisfies Permission
/** What is done to a device in a dialog of its page, and the permission that it needs. */
export const deviceDialogs = {
  ...deviceDialogNeeds,
  note: 'deviceList:edit',
  renew: renewNeeds,
  lost: 'deviceDetailInfo:lost',
  found: 'deviceDetailInfo:lost',
  wipe: 'deviceDetailInfo:factoryReset',
} as const satisfies Record<string, Permission>
export type DeviceDialog = keyof typeof deviceDialogs
