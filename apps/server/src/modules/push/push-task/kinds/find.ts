import type { Kind } from './kind.ts'

export const find: Kind<'find'> = {}
