import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { sql } from 'kysely'
import S3rver from 's3rver'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../../config.ts'
import type { Config } from '../../config.ts'
import { openDatabase } from '../../db/client.ts'
import type { Database } from '../../db/client.ts'
import { migrations } from '../../db/schema/migrations/index.ts'
import { openObjects } from '../../files/open-objects.ts'
import { isUnavailable } from '../../lib/database-errors.ts'
import { newKid } from '../../lib/ids.ts'
import { createLog } from '../../lib/log.ts'
import { assertSafe } from '../../safety.ts'
import { placeDatabase } from '../../testing/database-template.ts'
import { postgres_missing, startPostgres } from '../../testing/postgres.ts'
import type { TestPostgres } from '../../testing/postgres.ts'
import { moveStopped } from '../stopped.ts'
import { move } from './move.ts'
import type { Moved } from './move.ts'

const log = createLog('silent')

/** Every row of every table, as text of its own kind. */
async function rowsOf({ kysely }: Database): Promise<Record<string, string[]>> {
  const { rows: tables } = await sql<{ name: string }>`
    SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname NOT LIKE 'kysely%'
  `.execute(kysely)
  const found: Record<string, string[]> = {}
  for (const { name } of tables) {
    const { rows } = await sql<{
      row: string
    }>`SELECT to_jsonb(t)::text AS row FROM ${sql.table(name)} t ORDER BY 1`.execute(kysely)
    if (rows.length > 0) found[name] = rows.map(({ row }) => row)
  }
  return found
}

describe.skipIf(postgres_missing)(`mdm move (${postgres_missing ?? 'to a PostgreSQL of this machine'})`, () => {
  let folder: string
  let postgres: TestPostgres
  let bucket: S3rver
  let before: Config
  let url: string
  const object = newKid()
  const settings = (more: Record<string, string>): Config =>
    readConfig({ MDM_DATA: join(folder, 'data'), ...more }, { env_file: join(folder, 'none') })
  let to: Config
  let original: Record<string, string[]>

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mdm-move-'))
    postgres = await startPostgres()
    url = await postgres.createDatabase()
    await mkdir(join(folder, 'buckets'))
    bucket = new S3rver({
      ...{ address: '127.0.0.1', port: 0, silent: true, directory: join(folder, 'buckets') },
      configureBuckets: [{ name: 'files' }],
    })
    const { port } = await bucket.run()
    before = settings({})
    to = settings({
      DATABASE_URL: url,
      MDM_S3_URL: `http://127.0.0.1:${port}/files`,
      MDM_S3_ACCESS_KEY_ID: 'S3RVER',
      MDM_S3_SECRET_ACCESS_KEY: 'S3RVER',
    })
    await placeDatabase(join(before.data, 'db'))
    await writeFile(join(before.data, 'secret.key'), `${'ab'.repeat(32)}\n`, { mode: 0o600 })
    await (await openObjects(before)).put(object, Readable.from([Buffer.from('price list')]), 100)
    const database = await openEmbedded()
    // Values that a text of JSON, or one of another session, would not bring over.
    const rows = await readFile(new URL('../../db/schema/releases/next.sql', import.meta.url), 'utf8')
    await sql.raw(rows.replaceAll('CREATE TABLE ', 'CREATE TABLE IF NOT EXISTS ')).execute(database.kysely)
    await sql`INSERT INTO setting (key, value) VALUES ('odd', ${JSON.stringify({ text: 'a"b\\c,(d)\n', none: null })})`.execute(
      database.kysely,
    )
    await sql`UPDATE terminal SET name = ${' "x", (y) \\ \t'}, registered_at = '2026-01-05 10:00:00.123456+07'`.execute(
      database.kysely,
    )
    original = await rowsOf(database)
    await database.close()
  })
  afterAll(async () => {
    await bucket?.close()
    await postgres?.stop()
    await rm(folder, { recursive: true, force: true })
  })
  const openEmbedded = () =>
    openDatabase({ data_dir: join(before.data, 'db'), migrations, log, maintenance_every_ms: 0 })

  it('leaves everything as it was when it is broken off, or goes to a database of somebody else', async () => {
    const database = await openEmbedded()
    const gone = new AbortController()
    const paused: boolean[] = []
    const pause = (is_on: boolean) => {
      paused.push(is_on)
      if (is_on) setTimeout(() => gone.abort(new Error('the command was ended')), 1)
    }
    await expect(move({ config: before, database, log, pause, signal: gone.signal }, to)).rejects.toThrow('was ended')
    expect(paused).toEqual([true, false])
    await sql`UPDATE setting SET key = 'odd' WHERE key = 'odd'`.execute(database.kysely)
    expect(await rowsOf(database)).toEqual(original)

    const other = await postgres.createDatabase()
    const theirs = await openDatabase({ url: other, migrations, log })
    await sql`INSERT INTO account (kid, type, name, terminal_max) VALUES (${newKid()}, 101, 'Theirs', 0)`.execute(
      theirs.kysely,
    )
    await theirs.close()
    const { signal } = new AbortController()
    const refused = (more: Partial<Config>) =>
      move({ config: before, database, log, pause: () => {}, signal }, { ...to, ...more })
    await expect(refused({ database_url: other })).rejects.toThrow('of another server')
    await expect(refused({ secret_key: 'cd'.repeat(32) })).rejects.toThrow('not the key')
    await expect(refused({ data: '/elsewhere' })).rejects.toThrow('MDM_DATA stays')
    await database.close()
  })

  it('takes every row and file over, once, and lets nobody write meanwhile', async () => {
    const database = await openEmbedded()
    const { signal } = new AbortController()
    let written: unknown
    let moved: Moved
    try {
      moved = await move({ config: before, database, log, pause: () => {}, signal }, to)
      written = await sql`DELETE FROM terminal`.execute(database.kysely).catch((error: unknown) => error)
      expect(await rowsOf(database)).toEqual(original)
    } finally {
      await database.close()
    }
    expect(isUnavailable(written)).toBe(true)
    const total = Object.values(original).reduce((sum, rows) => sum + rows.length, 0)
    expect(moved).toMatchObject({ rows: total, was_there: false })

    const there = await openDatabase({ url, migrations, log })
    try {
      const { setting = [], ...rest } = await rowsOf(there)
      const { setting: settings_before = [], ...rest_before } = original
      expect(rest).toEqual(rest_before)
      expect(setting.filter((row) => !row.includes('moved_from'))).toEqual(settings_before)
      // What was taken away for the copy holds again.
      const orphan =
        sql`INSERT INTO terminal_agent (terminal_kid, account_kid, hardware_hash, enrolled_at, kept, token_hash)
        SELECT ${newKid()}, kid, '', now(), '{}', 'x' FROM account LIMIT 1`.execute(there.kysely)
      await expect(orphan).rejects.toMatchObject({ code: '23503' })
      const { rows } = await sql<{
        off: number
      }>`SELECT count(*)::int AS off FROM pg_trigger WHERE tgenabled = 'D'`.execute(there.kysely)
      expect(rows).toEqual([{ off: 0 }])
    } finally {
      await there.close()
    }
    expect(await text(await (await openObjects(to, 'of-test')).read(object))).toBe('price list')
  })

  it('is over when it is asked for again, and the data folder starts no server any more', async () => {
    await expect(assertSafe(before, log)).rejects.toThrow(/was moved to .*remove .*moved\.json/)
    await expect(assertSafe(to, log)).resolves.toBe(undefined)
    await expect(moveStopped(before, to)).rejects.toThrow('was moved to')
    // The mark was not written in time: the rows there say the same.
    await rm(join(before.data, 'moved.json'))
    expect(await moveStopped(before, to)).toMatchObject({ was_there: true, rows: 0 })
    await expect(assertSafe(before, log)).rejects.toThrow('was moved to')
  })
})
