import type { TaskKind } from './kind.ts'

/** Shown once: whoever has read a message must not see it again because the agent was killed meanwhile. */
export const message: TaskKind<'message'> = {
  what: 'show you a message',
  can_repeat: false,
  execute: (payload, { body, signal }) => body.show_message(payload, signal),
}
