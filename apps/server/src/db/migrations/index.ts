import type { Migration } from 'kysely'
import * as foundation from './0001_foundation.ts'
import * as administration from './0002_administration.ts'

/** Every migration in order of its name; a released one never changes. */
export const migrations: Record<string, Migration> = {
  '0001_foundation': foundation,
  '0002_administration': administration,
}
