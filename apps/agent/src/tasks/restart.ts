import type { TaskKind } from './kind.ts'

/** Done when the machine has booted again; never started twice, or a device would restart for ever. */
export const restart: TaskKind<'restart'> = {
  what: 'restart this device',
  can_repeat: false,
  execute: (_payload, { body, signal }) => body.restart(signal),
  interrupted: (before, now) => (before.boot_id === now.boot_id ? undefined : { text: 'Restarted' }),
}
