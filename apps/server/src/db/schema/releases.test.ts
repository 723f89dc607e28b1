import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import type { Migration } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { places } from '../../testing/database.ts'
import type { Place } from '../../testing/database.ts'
import { quiet } from '../../testing/database-template.ts'
import { databases } from '../../testing/devices.ts'
import type { Database } from '../client.ts'
import { migrate } from './migrate.ts'
import type { SchemaMigration } from './migrate.ts'
import { migrations } from './migrations/index.ts'

type Migrations = Record<string, Migration>
type Row = Record<string, unknown>
/** A release: its last migration, a digest of the text of all up to it, and rows as it stored them. */
type Release = { name: string; last: string; digest: string; rows: string }

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const current = Object.keys(migrations).at(-1)!
const sources = Object.fromEntries(
  Object.keys(migrations).map((name) => [name, readFileSync(here(`migrations/${name}.ts`), 'utf8')]),
)

const upTo = <T>(all: Record<string, T>, last: string): Record<string, T> =>
  Object.fromEntries(Object.entries(all).filter(([name]) => name <= last))

function digestOf(texts: Record<string, string>, last: string): string {
  const hash = createHash('sha256')
  for (const [name, text] of Object.entries(upTo(texts, last))) hash.update(`${name}\n${text}`)
  return hash.digest('hex')
}

/** The first line of a release's file. */
const markOf = (last: string, digest: string) => `-- Migrations up to ${last}: ${digest}`

function readRelease(file: string): Release {
  const rows = readFileSync(join(here('releases'), file), 'utf8')
  const [, last = '', digest = ''] = /^-- Migrations up to (\w+): (\w+)\n/.exec(rows) ?? []
  return { name: file.replace(/\.sql$/, ''), last, digest, rows }
}

/** What is wrong with the mark of a release, by the migrations as they are now. */
function faultOf({ name, last, digest }: Release, texts: Record<string, string>): string | undefined {
  if (!(last in texts)) {
    const now = Object.keys(texts).at(-1)!
    return `${name}.sql has to begin with the line: ${markOf(now, digestOf(texts, now))}`
  }
  if (digest !== digestOf(texts, last))
    return `a migration that ${name} has was changed: what is released stays as it is, add a migration instead`
  return undefined
}

/** Every row as JSON, by its table. */
async function rowsOf({ kysely }: Database): Promise<Map<string, Row[]>> {
  const { rows: tables } = await sql<{ name: string }>`
    SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
      AND NOT relispartition AND relname NOT LIKE 'kysely_%' ORDER BY 1
  `.execute(kysely)
  const found = new Map<string, Row[]>()
  for (const { name } of tables) {
    const { rows } = await sql<{ row: Row }>`
      SELECT to_jsonb(t) AS row FROM ${sql.table(name)} t
    `.execute(kysely)
    if (rows.length > 0)
      found.set(
        name,
        rows.map(({ row }) => row),
      )
  }
  return found
}

/** Rows that a later migration took away, or whose values it changed. Columns that it added or took away do not count. */
async function lostBy(place: Place, { last, rows }: Release, all: Migrations): Promise<string[]> {
  const database = await place.open({ migrations: upTo(all, last) })
  try {
    await sql.raw(rows).execute(database.kysely)
    const before = await rowsOf(database)
    await migrate(database.kysely, all, quiet)
    const after = await rowsOf(database)
    const isKept = (table: string, row: Row) => after.get(table)?.some((now) => agree(row, now))
    return [...before].flatMap(([table, found]) =>
      found.filter((row) => !isKept(table, row)).map((row) => `${table}: ${JSON.stringify(row)}`),
    )
  } finally {
    await database.close()
  }
}

const agree = (row: Row, now: Row): boolean =>
  Object.entries(row).every(
    ([column, value]) => !(column in now) || JSON.stringify(now[column]) === JSON.stringify(value),
  )

const next: Release = { ...readRelease('next.sql'), last: current }
const released = readdirSync(here('releases'))
  .filter((file) => file !== 'next.sql')
  .map(readRelease)

it('every migration is numbered one above the one before, and listed', () => {
  const names = Object.keys(migrations)
  expect(names.map((name) => Number(/^(\d{4})_[a-z0-9_]+$/.exec(name)?.[1]))).toEqual(names.map((_, at) => at + 1))
  expect(readdirSync(here('migrations')).toSorted()).toEqual([...names.map((name) => `${name}.ts`), 'index.ts'])
})

it('every release is marked, and has the migrations that it was released with', () => {
  expect(released.map((release) => faultOf(release, sources)).filter((fault) => fault !== undefined)).toEqual([])
})

it('a release without a mark, and one whose migrations were changed, are told', () => {
  const release = { ...next, name: '1.0.0', digest: digestOf(sources, current) }
  expect(faultOf(release, sources)).toBeUndefined()
  expect(faultOf(release, { ...sources, '9999_later': '…' })).toBeUndefined()
  expect(faultOf({ ...release, last: '' }, sources)).toBe(
    `1.0.0.sql has to begin with the line: ${markOf(current, release.digest)}`,
  )
  expect(faultOf(release, { ...sources, [current]: '…' })).toMatch('add a migration instead')
})

/** Migrations after `last` that take something away without saying so: a server of before would go on beside them. */
const silentContractions = (texts: Record<string, string>, last: string): string[] =>
  Object.entries(texts)
    .filter(([name, text]) => name > last && takesAway.test(text) && !/^export const contracts = true$/m.test(text))
    .map(([name]) => name)
const takesAway = /\b(DROP (TABLE|COLUMN)|RENAME (TO|COLUMN)|SET NOT NULL|(ALTER|SET DATA) (COLUMN \w+ )?TYPE)\b/i

it('a migration after the last release that takes something away says so', () => {
  const last = released.at(-1)?.last ?? current
  expect(silentContractions(sources, last)).toEqual([])
  const texts = {
    '9998_drops': 'ALTER TABLE terminal DROP COLUMN remark',
    '9999_says': 'export const contracts = true\nALTER TABLE terminal DROP COLUMN remark',
  }
  expect(silentContractions({ ...sources, ...texts }, last)).toEqual(['9998_drops'])
})

describe.each(databases)('on %s', (kind) => {
  let place: Place
  beforeEach(async () => {
    place = await places[kind]()
  })
  afterEach(() => place.remove())

  it.each(released)('the rows of $name are kept by every later migration', async (release) => {
    expect(await lostBy(place, release, migrations)).toEqual([])
  })

  it('rows of the release to come fit the schema; those that a later migration loses or changes are told', async () => {
    const later: Migrations = {
      ...migrations,
      '9999_later': {
        async up(db) {
          await sql`ALTER TABLE terminal ADD COLUMN color text NOT NULL DEFAULT 'black'`.execute(db)
          await sql`ALTER TABLE operation_log DROP COLUMN remark`.execute(db)
          await sql`UPDATE webhook SET url = ''`.execute(db)
          await sql`DELETE FROM job`.execute(db)
        },
      },
    }
    expect(await lostBy(place, next, later)).toEqual([
      expect.stringMatching(/^job: .*partitions/),
      expect.stringMatching(/^webhook: .*erp\.example/),
    ])
  })

  it('a server of before runs beside a release that only added something, and not on one that took something away', async () => {
    const added: Migrations = {
      ...migrations,
      '9998_added': {
        async up(db) {
          await sql`ALTER TABLE terminal ADD COLUMN color text NOT NULL DEFAULT 'black'`.execute(db)
          await sql`CREATE TABLE color (name text PRIMARY KEY)`.execute(db)
        },
      },
    }
    const taken: Record<string, SchemaMigration> = {
      ...added,
      '9999_taken': {
        contracts: true,
        async up(db) {
          await sql`ALTER TABLE operation_log DROP COLUMN remark`.execute(db)
        },
      },
    }
    const database = await place.open({ migrations: added })
    try {
      const { kysely } = database
      await migrate(kysely, migrations, quiet)
      // What it writes fits, which is every statement that rows of this release are made by.
      await sql.raw(next.rows).execute(kysely)
      expect((await rowsOf(database)).get('terminal')?.[0]).toMatchObject({ color: 'black' })
      await migrate(kysely, taken, quiet)
      for (const older of [migrations, added])
        await expect(migrate(kysely, older, quiet)).rejects.toThrow('migrated by a newer release')
      await migrate(kysely, taken, quiet)
    } finally {
      await database.close()
    }
  })
})
