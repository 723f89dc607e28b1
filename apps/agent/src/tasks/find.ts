import type { TaskKind } from './kind.ts'

export const find: TaskKind<'find'> = {
  can_repeat: true,
  execute: (payload, { body, signal }) => body.find(payload.seconds, signal),
}
