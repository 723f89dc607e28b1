import type { PushableType, pushKinds } from '@mdm/contract'
import type { DeviceDialog } from './dialogs.ts'

type OfPage = Exclude<DeviceDialog, keyof typeof pushKinds>
export type Entry = { push: PushableType } | { dialog: OfPage }
const pushes = (...kinds: PushableType[]): Entry[] => kinds.map((push) => ({ push }))
const dialogs = (...kinds: OfPage[]): Entry[] => kinds.map((dialog) => ({ dialog }))

/** Everything that is done to one device, by what it is for. */
export const actionGroups = {
  communicate: pushes('message', 'find', 'screenshot', 'remote_log'),
  maintain: [
    ...dialogs('rename', 'note'),
    ...pushes('file', 'config_file', 'app_install', 'app_uninstall', 'os', 'restart'),
    ...dialogs('renew'),
  ],
  move: dialogs('move'),
  danger: [...dialogs('lost'), ...pushes('lock', 'shutdown', 'factory_reset'), ...dialogs('cancel', 'scrap')],
} as const satisfies Record<string, readonly Entry[]>
export const groupNames = Object.keys(actionGroups) as (keyof typeof actionGroups)[]
export const keyOf = (entry: Entry): string => ('push' in entry ? entry.push : entry.dialog)
