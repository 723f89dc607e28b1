import type { Permission } from '@mdm/contract'
import { commandNeeds } from '../../shared/device/commands/names.ts'

export const renewNeeds = 'deviceList:cancel' satisfies Permission
/** What is done to a device in a dialog of its page, and the permission that it needs. */
export const deviceDialogs = {
  ...commandNeeds,
  rename: 'deviceList:edit',
  note: 'deviceList:edit',
  renew: renewNeeds,
  move: 'deviceList:move',
  lost: 'deviceDetailInfo:lost',
  found: 'deviceDetailInfo:lost',
  wipe: 'deviceDetailInfo:factoryReset',
  cancel: 'deviceList:cancel',
  scrap: 'deviceList:cancel',
} as const satisfies Record<string, Permission>
export type DeviceDialog = keyof typeof deviceDialogs
