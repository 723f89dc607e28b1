import type { TaskKind } from './kind.ts'

export const lock: TaskKind<'lock'> = {
  what: 'lock the screen',
  can_repeat: true,
  execute: (payload, { body, signal }) => body.lock(payload.password, signal),
}
