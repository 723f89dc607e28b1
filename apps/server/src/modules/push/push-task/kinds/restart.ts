import type { Kind } from './kind.ts'

export const restart: Kind<'restart'> = {}
