import type { TaskKind } from './kind.ts'

export const find: TaskKind<'find'> = {
  what: 'let this device ring',
  can_repeat: true,
  execute: (payload, { body, signal }) => body.find(payload.seconds, signal),
}
