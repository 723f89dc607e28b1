import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { sql } from 'kysely'
import pg from 'pg'
import S3rver from 's3rver'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../../config.ts'
import type { Config } from '../../config.ts'
import { openDatabase } from '../../db/client.ts'
import { migrations } from '../../db/schema/migrations/index.ts'
import { openObjects } from '../../files/open-objects.ts'
import { newKid } from '../../lib/ids.ts'
import { createLog } from '../../lib/log.ts'
import { postgres_missing, startPostgres } from '../../testing/postgres.ts'
import type { TestPostgres } from '../../testing/postgres.ts'
import { backup, verify } from './backup.ts'
import { libpqEnvironment } from './pg-programs.ts'
import { restore } from './restore.ts'

const log = createLog('silent')
const passphrase = 'seven made-up words'
let folder: string
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'mdm-backup-'))))
afterAll(() => rm(folder, { recursive: true }))

const settings = (name: string, more: Record<string, string> = {}): Config =>
  readConfig({ MDM_DATA: join(folder, name), ...more }, { env_file: join(folder, 'none') })
const inDatabase = async <T>(
  url: string,
  work: (db: Awaited<ReturnType<typeof openDatabase>>['kysely']) => Promise<T>,
) => {
  const database = await openDatabase({ url, migrations, log })
  try {
    return await work(database.kysely)
  } finally {
    await database.close()
  }
}

it('hands libpq an address in its environment, where nobody else reads the password', () => {
  expect(libpqEnvironment('postgres://me:p%40ss@db.example.com:5433/fleet?sslmode=verify-full&pool=3')).toEqual({
    PGHOST: 'db.example.com',
    PGPORT: '5433',
    PGUSER: 'me',
    PGPASSWORD: 'p@ss',
    PGDATABASE: 'fleet',
    PGSSLMODE: 'verify-full',
  })
})

it('says where there is no database, and leaves no file', async () => {
  await expect(backup(settings('empty'), join(folder, 'none.backup'), passphrase)).rejects.toThrow(
    'There is no database',
  )
  expect((await readdir(folder)).filter((name) => name.includes('none.backup'))).toEqual([])
})

describe.skipIf(postgres_missing)(`PostgreSQL and a bucket (${postgres_missing ?? 'there are both'})`, () => {
  let postgres: TestPostgres
  let bucket: S3rver
  let s3: (name: string) => Record<string, string>
  beforeAll(async () => {
    postgres = await startPostgres()
    await mkdir(join(folder, 'buckets'))
    const configureBuckets = ['before', 'after', 'spoiled', 'after-next'].map((name) => ({ name }))
    bucket = new S3rver({
      address: '127.0.0.1',
      port: 0,
      silent: true,
      directory: join(folder, 'buckets'),
      configureBuckets,
    })
    const { port } = await bucket.run()
    s3 = (name) => ({
      MDM_S3_URL: `http://127.0.0.1:${port}/${name}`,
      MDM_S3_ACCESS_KEY_ID: 'S3RVER',
      MDM_S3_SECRET_ACCESS_KEY: 'S3RVER',
    })
  })
  afterAll(async () => {
    await bucket?.close()
    await postgres?.stop()
  })

  it('come back in another database and another bucket, and only where nothing is', async () => {
    const [old_url, new_url] = [await postgres.createDatabase(), await postgres.createDatabase()]
    const before = settings('before', { DATABASE_URL: old_url, ...s3('before') })
    const after = settings('after', { DATABASE_URL: new_url, ...s3('after') })
    const row = { key: 'proof', value: JSON.stringify({ said: 'kept' }) }
    await inDatabase(old_url, (db) => db.insertInto('setting').values(row).execute())
    const key = newKid()
    await (await openObjects(before, 'of-test')).put(key, Readable.from([Buffer.from('bytes of a customer')]), 1_000)
    await writeFile(join(before.data, 'secret.key'), `${'ab'.repeat(32)}\n`, { mode: 0o600 })
    const path = join(folder, 'postgres.backup')
    expect(await backup(before, path, passphrase)).toMatchObject({ objects: 1, was_running: false })
    expect(await verify(path, passphrase)).toMatchObject({ objects: 1, about: { database: 'postgres' } })

    await expect(restore(settings('embedded'), path, passphrase, log)).rejects.toThrow('of PostgreSQL')
    await expect(restore(before, path, passphrase, log)).rejects.toThrow('has tables')
    await restore(after, path, passphrase, log)
    const found = await inDatabase(new_url, (db) =>
      db.selectFrom('setting').select('value').where('key', '=', 'proof').executeTakeFirstOrThrow(),
    )
    expect(found.value).toEqual({ said: 'kept' })
    expect(await text(await (await openObjects(after, 'of-test')).read(key))).toBe('bytes of a customer')
    expect(await readdir(after.data)).toContain('secret.key')
  })

  /** What a row of `setting` says, and what was kept before a restore. */
  const stateOf = (url: string) =>
    inDatabase(url, async (db) => {
      const { rows } = await sql<{ name: string }>`
        SELECT nspname AS name FROM pg_namespace WHERE nspname LIKE 'before%' OR nspname = 'theirs' ORDER BY 1`.execute(
        db,
      )
      const row = await db.selectFrom('setting').select('value').where('key', '=', 'proof').executeTakeFirst()
      return { value: row?.value, schemas: rows.map(({ name }) => name) }
    })
  const run = async (url: string, ...statements: string[]) => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    try {
      for (const statement of statements) await client.query(statement)
    } finally {
      await client.end()
    }
  }
  const kept = 'before_restore_20260102030405000'
  const aside = { is_aside: true, now: new Date('2026-01-02T03:04:05Z') }

  it('take the place of what is there, which is kept, and leave it as it was when they fail', async () => {
    const url = await postgres.createDatabase()
    const config = settings('spoiled', { DATABASE_URL: url, ...s3('spoiled') })
    await inDatabase(url, (db) => db.insertInto('setting').values({ key: 'proof', value: '"whole"' }).execute())
    const objects = await openObjects(config, 'of-test')
    const [lost, added] = [newKid(), newKid()]
    await objects.put(lost, Readable.from([Buffer.from('lost')]), 1_000)
    await writeFile(join(config.data, 'secret.key'), `${'ab'.repeat(32)}\n`, { mode: 0o600 })
    const path = join(folder, 'spoiled.backup')
    await run(url, 'CREATE SCHEMA theirs', 'CREATE TABLE theirs.report (n int)')
    await backup(config, path, passphrase)

    await run(
      url,
      `UPDATE setting SET value = '"spoiled"' WHERE key = 'proof'`,
      `CREATE TYPE colour AS ENUM ('red'); CREATE DOMAIN short AS text CHECK (length(value) < 9)`,
      'CREATE TABLE newer (id serial, colour colour, name short); CREATE SEQUENCE loose; CREATE VIEW seen AS SELECT * FROM newer',
      'CREATE FUNCTION painted(newer) RETURNS colour LANGUAGE sql AS $$ SELECT $1.colour $$',
      'CREATE STATISTICS newer_stat ON id, name FROM newer',
    )
    await objects.delete(lost)
    await objects.put(added, Readable.from([Buffer.from('added')]), 1_000)
    const cut = join(folder, 'cut.backup')
    const whole = await readFile(path)
    await writeFile(cut, whole.subarray(0, whole.length - 100))
    for (const [wrong, reason] of [
      [cut, 'damaged'],
      [join(folder, 'none.backup'), 'cannot be read'],
    ] as const)
      await expect(restore(config, wrong, passphrase, log, aside)).rejects.toThrow(reason)
    await run(url, `CREATE SCHEMA ${kept}`)
    await expect(restore(config, path, passphrase, log, aside), 'the database refuses').rejects.toThrow(
      'already exists',
    )
    await run(url, `DROP SCHEMA ${kept}`)
    const programs = process.env['PATH']
    process.env['PATH'] = join(folder, 'bin')
    await mkdir(join(folder, 'bin'))
    await symlink('/usr/bin/psql', join(folder, 'bin/psql'))
    try {
      await expect(restore(config, path, passphrase, log, aside)).rejects.toThrow('pg_restore is not installed')
    } finally {
      process.env['PATH'] = programs
    }
    expect(await stateOf(url)).toEqual({ value: 'spoiled', schemas: ['theirs'] })
    const again = await openObjects(config, 'of-test')
    expect([await again.size(lost), await again.size(added)]).toEqual([undefined, 5])
    expect((await readdir(config.data)).toSorted()).toEqual(['objects', 'secret.key'])

    const restored = await restore(config, path, passphrase, log, aside)
    expect(restored).toMatchObject({ objects: 1, has_key: true })
    expect(restored.kept).toEqual([join(config.data, kept), `the schema ${kept} of the database`])
    expect(await stateOf(url)).toEqual({ value: 'whole', schemas: [kept, 'theirs'] })
    expect(await text(await again.read(lost))).toBe('lost')
    expect(await again.size(added)).toBe(5)
    await run(url, `SELECT ${kept}.painted(newer) FROM ${kept}.newer`, `SELECT FROM ${kept}.seen`)

    // What is kept comes into no backup.
    const next = join(folder, 'next.backup')
    await backup(config, next, passphrase)
    const other = await postgres.createDatabase()
    await restore(settings('next', { DATABASE_URL: other, ...s3('after-next') }), next, passphrase, log)
    expect(await stateOf(other)).toEqual({ value: 'whole', schemas: ['theirs'] })
  })

  it('are not put in the place of what is of something else, or of another user', async () => {
    const url = await postgres.createDatabase()
    const path = join(folder, 'postgres.backup')
    const restoring = (address: string) =>
      restore(settings('refused', { DATABASE_URL: address }), path, passphrase, log, aside)
    await run(url, 'CREATE TABLE bill (n int)')
    await expect(restoring(url)).rejects.toThrow('tables of something else (bill)')
    await run(url, 'DROP TABLE bill', 'CREATE ROLE limited LOGIN')
    const limited = url.replace('postgres@', 'limited@')
    await expect(restoring(limited)).rejects.toThrow(/run GRANT CREATE ON DATABASE t_\w+ TO limited/)
    await inDatabase(url, async () => {})
    await expect(restoring(limited)).rejects.toThrow('does not own the table account')
    await expect(restoring(url.replace(/t_\w+$/, 'nowhere'))).rejects.toThrow('cannot be reached')
  })

  it('leave nothing behind when the database cannot be dumped', async () => {
    const url = await postgres.createDatabase()
    const gone = url.replace(/\/[^/?]+(\?|$)/, '/not_there$1')
    const config = settings('gone', { DATABASE_URL: gone, ...s3('before') })
    await expect(backup(config, join(folder, 'gone.backup'), passphrase)).rejects.toThrow('pg_dump failed')
    expect((await readdir(folder)).filter((name) => name.includes('gone.backup'))).toEqual([])
  })
})
