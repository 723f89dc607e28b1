import type { Migration } from 'kysely'
import * as foundation from './0001_foundation.ts'

/** Every migration in order of its name; a released one never changes. */
export const migrations: Record<string, Migration> = { '0001_foundation': foundation }
