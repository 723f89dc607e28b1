import { pushKinds } from '@mdm/contract'
import type { PushTaskType } from '@mdm/contract'

/**
 * Kinds of pushes that a person asks of devices in a short dialog, in the order of menus, each with its form in `<kind>.tsx`.
 * Apart from the forms, so that lists need not load those.
 */
const commands = [
  'message',
  'find',
  'lock',
  'remote_log',
  'restart',
  'shutdown',
  'factory_reset',
] as const satisfies readonly PushTaskType[]
export type Command = (typeof commands)[number]
export const isCommand = (kind: PushTaskType): kind is Command => (commands as readonly PushTaskType[]).includes(kind)

type Needs = { [C in Command]: (typeof pushKinds)[C]['needs'] }
export const commandNeeds = Object.fromEntries(commands.map((kind) => [kind, pushKinds[kind].needs])) as Needs

/** What is offered wherever devices stand, in the order of menus. What has no short dialog leads to the wizard. */
export const pushMenu = [
  'message',
  'file',
  'app_install',
  'app_uninstall',
  'find',
  'lock',
  'screenshot',
  'remote_log',
  'restart',
  'shutdown',
  'factory_reset',
] as const satisfies readonly PushTaskType[]
