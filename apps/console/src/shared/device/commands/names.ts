import { pushKinds, pushableTypes } from '@mdm/contract'
import type { Permission, PushableType, PushTaskType } from '@mdm/contract'

/** Kinds that have pages of their own, where they are chosen with their content. */
const elsewhere = ['config_file', 'os'] as const satisfies readonly PushableType[]
/** Kinds of which the menu leads to the wizard. */
const by_wizard = ['file', 'app_install', 'app_uninstall', 'screenshot'] as const satisfies readonly PushableType[]
const isIn = <T extends PushableType>(kinds: readonly T[], kind: PushTaskType): kind is T =>
  (kinds as readonly PushTaskType[]).includes(kind)

/** What is offered wherever devices stand, in the order of menus. */
export const pushMenu = pushableTypes.filter((kind) => !isIn(elsewhere, kind))

/** A push that a person asks for in a short dialog, with its form in `forms.tsx`: apart from here, so that lists need not load those. */
export type Command = Exclude<PushableType, (typeof elsewhere)[number] | (typeof by_wizard)[number]>
export const isCommand = (kind: PushTaskType): kind is Command => isIn(pushMenu, kind) && !isIn(by_wizard, kind)

type Needs = { [C in Command]: (typeof pushKinds)[C]['needs'] }
const commands = pushMenu.filter(isCommand)
const commandNeeds = Object.fromEntries(commands.map((kind) => [kind, pushKinds[kind].needs])) as Needs

/** What is done to devices in a dialog, of a list and of the device itself, and the permission that it needs. */
export const deviceDialogNeeds = {
  ...commandNeeds,
  rename: 'deviceList:edit',
  move: 'deviceList:move',
  cancel: 'deviceList:cancel',
  scrap: 'deviceList:cancel',
} as const satisfies Record<string, Permission>
