import { Migrator, sql } from 'kysely'
import type { Kysely, Migration } from 'kysely'
import { unusable } from '../../lib/database-errors.ts'
import type { DatabaseLog } from '../log.ts'

const missing_table = '42P01'

/**
 * Brings the schema up to the code, all pending migrations in one transaction. A database that a newer release has
 * already changed is refused: older code would write rows that the newer schema does not mean. So is one that was made
 * before the first release, whose schema has another beginning.
 */
export async function migrate(kysely: Kysely<any>, migrations: Record<string, Migration>, log: DatabaseLog) {
  const done = await appliedOf(kysely)
  assertKnown(done, migrations)
  // Every start but one in a release: the migrator would look at every table and column before it found as much.
  if (done.length > 0 && Object.keys(migrations).every((name) => done.includes(name))) return
  await sql`create extension if not exists pg_trgm`.execute(kysely).catch((error: unknown) => {
    throw unusable(
      'the extension pg_trgm cannot be created in this database: let its owner or a superuser run ' +
        'CREATE EXTENSION pg_trgm once (on Debian it is part of the package postgresql)',
      error,
    )
  })
  const migrator = new Migrator({ db: kysely, provider: { getMigrations: async () => migrations } })
  const { error, results } = await migrator.migrateToLatest()
  const failed = results?.find((result) => result.status === 'Error')
  if (failed)
    throw unusable(`migration ${failed.migrationName} failed, nothing was changed: ${messageOf(error)}`, error)
  if (error) throw error
  const names = results?.map((result) => result.migrationName) ?? []
  if (names.length) log.info({ migrations: names }, 'database migrated')
}

async function appliedOf(kysely: Kysely<any>): Promise<string[]> {
  try {
    const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(kysely)
    return rows.map((row) => row.name)
  } catch (error) {
    if ((error as { code?: string }).code === missing_table) return []
    throw error
  }
}

function assertKnown(done: string[], migrations: Record<string, Migration>): void {
  const unknown = done.filter((name) => !(name in migrations))
  if (unknown.length === 0) return
  const [first] = Object.keys(migrations)
  if (first !== undefined && !done.includes(first))
    throw unusable(
      'this database was made before the first release, and no release takes it over. Export what is to be kept with ' +
        'the version that made it, then start with an empty folder for MDM_DATA and, on PostgreSQL, an empty database; ' +
        'nothing was changed.',
    )
  throw unusable(
    `this database was migrated by a newer release (unknown here: ${unknown.join(', ')}). ` +
      'Start that release or a later one; nothing was changed.',
  )
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
