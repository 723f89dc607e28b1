import type { TaskKind } from './kind.ts'

/** Done when it goes down: when it is on again is up to people. Never started twice, or a device could not be switched on. */
export const shutdown: TaskKind<'shutdown'> = {
  what: 'shut this device down',
  can_repeat: false,
  ends_going_down: true,
  execute: (_payload, { body, signal }) => body.shut_down(signal),
  interrupted: (before, now) => (before.boot_id === now.boot_id ? undefined : { text: 'Shut down' }),
}
