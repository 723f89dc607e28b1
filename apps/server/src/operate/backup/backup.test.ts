import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
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
    const configureBuckets = [{ name: 'before' }, { name: 'after' }]
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

  it('leave nothing behind when the database cannot be dumped', async () => {
    const url = await postgres.createDatabase()
    const gone = url.replace(/\/[^/?]+(\?|$)/, '/not_there$1')
    const config = settings('gone', { DATABASE_URL: gone, ...s3('before') })
    await expect(backup(config, join(folder, 'gone.backup'), passphrase)).rejects.toThrow('pg_dump failed')
    expect((await readdir(folder)).filter((name) => name.includes('gone.backup'))).toEqual([])
  })
})
