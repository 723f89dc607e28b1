import type { TaskKind } from './kind.ts'

/** Done when the machine has booted again; never started twice: what people have put on it since would be lost. */
export const factory_reset: TaskKind<'factory_reset'> = {
  what: 'erase this device',
  can_repeat: false,
  execute: (_payload, { body, signal }) => body.factory_reset(signal),
  interrupted: (before, now) => (before.boot_id === now.boot_id ? undefined : { text: 'Reset to factory settings' }),
}
