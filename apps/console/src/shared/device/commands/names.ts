import { pushKinds } from '@mdm/contract'
import type { PushTaskType } from '@mdm/contract'

/**
 * Kinds of pushes that a person asks of devices directly, in the order of menus, each with its form in `<kind>.tsx`. Apart from
 * the forms, so that lists need not load those.
 */
export const commands = [
  'message',
  'find',
  'lock',
  'remote_log',
  'restart',
  'shutdown',
  'factory_reset',
] as const satisfies readonly PushTaskType[]
export type Command = (typeof commands)[number]

type Needs = { [C in Command]: (typeof pushKinds)[C]['needs'] }
export const commandNeeds = Object.fromEntries(commands.map((kind) => [kind, pushKinds[kind].needs])) as Needs
