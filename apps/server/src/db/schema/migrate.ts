import { Migrator, sql } from 'kysely'
import type { Kysely, Migration } from 'kysely'
import { unusable } from '../../lib/database-errors.ts'
import type { DatabaseLog } from '../log.ts'

const missing_table = '42P01'

/**
 * One that `contracts` takes away or changes the meaning of what servers of before read or write. One that does not only adds
 * what they need not know.
 */
export type SchemaMigration = Migration & { contracts?: boolean }

/** The migration that a server has to know in order to use the database: a row of `setting`. */
const needs_row = 'schema_needs'

/**
 * Brings the schema up to the code, all pending migrations in one transaction. A database that a newer release has
 * changed is refused where older code would write rows that the newer schema does not mean; where it only added something, this server
 * runs beside that release, for as long as an upgrade of several takes. One that was made before the first release, whose schema has
 * another beginning, is refused.
 */
export async function migrate(kysely: Kysely<any>, migrations: Record<string, SchemaMigration>, log: DatabaseLog) {
  const done = await appliedOf(kysely)
  const unknown = done.filter((name) => !(name in migrations))
  if (unknown.length > 0) {
    assertFirst(done, migrations)
    await assertFits(kysely, done, unknown, migrations)
    log.warn({ migrations: unknown }, 'a newer release has added to this database: upgrade this server as well')
    return
  }
  // Every start but one in a release: the migrator would look at every table and column before it found as much.
  if (done.length > 0 && Object.keys(migrations).every((name) => done.includes(name))) return
  await sql`create extension if not exists pg_trgm`.execute(kysely).catch((error: unknown) => {
    throw unusable(
      'the extension pg_trgm cannot be created in this database: let its owner or a superuser run ' +
        'CREATE EXTENSION pg_trgm once (on Debian it is part of the package postgresql)',
      error,
    )
  })
  const migrator = new Migrator({ db: kysely, provider: { getMigrations: async () => noting(migrations) } })
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

function assertFirst(done: string[], migrations: Record<string, SchemaMigration>): void {
  const [first] = Object.keys(migrations)
  if (first !== undefined && !done.includes(first))
    throw unusable(
      'this database was made before the first release, and no release takes it over. Export what is to be kept with ' +
        'the version that made it, then start with an empty folder for MDM_DATA and, on PostgreSQL, an empty database; ' +
        'nothing was changed.',
    )
}

async function assertFits(
  kysely: Kysely<any>,
  done: string[],
  unknown: string[],
  migrations: Record<string, SchemaMigration>,
): Promise<void> {
  const needs = await neededBy(kysely)
  const has_all_of_ours = Object.keys(migrations).every((name) => done.includes(name))
  if (needs !== undefined && needs in migrations && has_all_of_ours) return
  throw unusable(
    `this database was migrated by a newer release (unknown here: ${unknown.join(', ')}). ` +
      'Start that release or a later one; nothing was changed.',
  )
}

async function neededBy(kysely: Kysely<any>): Promise<string | undefined> {
  const { rows } = await sql<{ needs: string }>`
    select value->>'migration' as needs from setting where key = ${needs_row}`
    .execute(kysely)
    .catch(asNone)
  return rows[0]?.needs
}

function asNone(error: unknown): { rows: never[] } {
  if ((error as { code?: string }).code === missing_table) return { rows: [] }
  throw error
}

/** The same migrations; each notes, in its transaction, what a server has to know from then on. */
function noting(migrations: Record<string, SchemaMigration>): Record<string, Migration> {
  const [first] = Object.keys(migrations)
  return Object.fromEntries(
    Object.entries(migrations).map(([name, migration]) => [
      name,
      {
        async up(db) {
          await migration.up(db)
          const { rows } = await sql<{ is_there: boolean }>`
            select to_regclass('setting') is not null as is_there`.execute(db)
          if (!rows[0]!.is_there) return
          const needs = JSON.stringify({ migration: migration.contracts === true ? name : first })
          await sql`insert into setting (key, value) values (${needs_row}, ${needs})
            on conflict (key) do ${migration.contracts === true ? sql`update set value = excluded.value` : sql`nothing`}`.execute(
            db,
          )
        },
      } satisfies Migration,
    ]),
  )
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
