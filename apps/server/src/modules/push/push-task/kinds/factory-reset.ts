import type { Kind } from './kind.ts'

export const factory_reset: Kind<'factory_reset'> = {}
