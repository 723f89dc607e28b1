import type { Kind } from './kind.ts'

export const shutdown: Kind<'shutdown'> = {}
