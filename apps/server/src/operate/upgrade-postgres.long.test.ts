import { execFile, spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { readConfig } from '../config.ts'
import type { Config } from '../config.ts'
import { openDatabase } from '../db/client.ts'
import { schema_lock } from '../db/postgres.ts'
import { migrations } from '../db/schema/migrations/index.ts'
import { openObjects } from '../files/open-objects.ts'
import { newKid } from '../lib/ids.ts'
import { createLog } from '../lib/log.ts'
import { startServer } from '../server.ts'
import type { RunningServer } from '../server.ts'
import { password_cost } from '../testing/deps.ts'
import { postgres_missing, startPostgres } from '../testing/postgres.ts'
import type { TestPostgres } from '../testing/postgres.ts'
import { startS3 } from '../testing/s3.ts'
import { backup } from './backup/backup.ts'
import { restore } from './backup/restore.ts'
import { upgrade } from './upgrade.ts'
import type { Machine } from './upgrade.ts'

const run = promisify(execFile)
const log = createLog('silent')
const has_minisign = spawnSync('minisign', ['-v']).error === undefined
const missing = postgres_missing ?? (has_minisign ? undefined : 'minisign is not installed')
const passphrase = 'seven made-up words'
const patience_ms = 10_000

/** Servers of this process on a real PostgreSQL and a bucket; the later release is a shell script. */
describe.skipIf(missing)(`an upgrade on PostgreSQL is taken back (${missing ?? 'there is one'})`, () => {
  let folder: string
  let postgres: TestPostgres
  let bucket: Awaited<ReturnType<typeof startS3>>
  let url: string
  let config: Config
  let server: RunningServer | undefined
  let other: RunningServer | undefined
  let lines: string[]
  /** Every row, as the backup was made and as it was put back. */
  let backed_up: Record<string, string[]>
  let restored: Record<string, string[]>
  /** What a test does after the release of before was stopped for the second time. */
  let beforeRestore: () => Promise<void>
  const object = newKid()

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mdm-upgrade-'))
    postgres = await startPostgres()
    bucket = await startS3()
    await writeFile(join(folder, 'passphrase'), `${passphrase}\n`)
    await run('minisign', ['-G', '-W', '-p', join(folder, 'key.pub'), '-s', join(folder, 'key')])
  })
  afterAll(async () => {
    await bucket?.close()
    await postgres?.stop()
    await rm(folder, { recursive: true, force: true })
  })
  beforeEach(async () => {
    url = await postgres.createDatabase()
    config = settings('one')
    lines = []
    beforeRestore = async () => {}
    await start()
    await server!.deps.db.insertInto('setting').values({ key: 'proof', value: '"whole"' }).execute()
    await server!.deps.objects.put(object, Readable.from([Buffer.from('of a customer')]), 100)
  })
  afterEach(async () => {
    await server?.close()
    await other?.close()
    other = undefined
    await rm(config.data, { recursive: true, force: true })
  })

  const settings = (name: string): Config =>
    readConfig(
      {
        MDM_DATA: join(folder, name),
        MDM_SECRET_KEY: 'ab'.repeat(32),
        DATABASE_URL: url,
        MDM_S3_URL: bucket.settings.url,
        MDM_S3_ACCESS_KEY_ID: bucket.settings.access_key_id,
        MDM_S3_SECRET_ACCESS_KEY: bucket.settings.secret_access_key,
        ...{ MDM_HTTP_HOST: '127.0.0.1', MDM_HTTP_PORT: '0', MDM_MQTT_HOST: '127.0.0.1', MDM_MQTT_PORT: '0' },
        MDM_LOG_LEVEL: 'silent',
      },
      { env_file: join(folder, 'none') },
    )
  const start = async () => void (server = await startServer(config, { password_cost, log }))
  const stop = async () => {
    await server?.close()
    server = undefined
  }
  const inDatabase = async <T>(work: (db: RunningServer['deps']['db']) => Promise<T>): Promise<T> => {
    const database = await openDatabase({ url, migrations, log })
    try {
      return await work(database.kysely)
    } finally {
      await database.close()
    }
  }
  const connectedAs = async (application: string) => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    try {
      const sought = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1`
      return (await client.query(sought, [application])).rows
    } finally {
      await client.end()
    }
  }
  /** Every row of every table of the schema `public`, but for what a server writes as it runs. */
  async function rowsOf(db: RunningServer['deps']['db']): Promise<Record<string, string[]>> {
    const { rows: tables } = await sql<{ name: string }>`
      SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
        AND relname NOT IN ('node', 'job', 'clock_seen', 'disk_reserve')`.execute(db)
    const found: Record<string, string[]> = {}
    for (const { name } of tables) {
      const { rows } = await sql<{ row: string }>`
        SELECT to_jsonb(t)::text AS row FROM ${sql.table(name)} t ORDER BY 1`.execute(db)
      found[name] = rows.map(({ row }) => row)
    }
    return found
  }

  /** A signed archive of a release that does this to the database when it is started, and ends. */
  async function laterRelease(version: string, damage: string): Promise<string> {
    const release = join(folder, `work-${version}`, `mdm-${version}`)
    await mkdir(join(release, 'bin'), { recursive: true })
    const script = `#!/bin/sh\nif [ "$1" = version ]; then echo ${version}; exit 0; fi\npsql --no-psqlrc --quiet --set=ON_ERROR_STOP=1 "$DATABASE_URL" --command "${damage}" && exit 3\n`
    await writeFile(join(release, 'bin/mdm'), script, { mode: 0o755 })
    const archive = join(folder, `mdm-${version}.tar.gz`)
    await run('tar', ['-czf', archive, '-C', join(folder, `work-${version}`), `mdm-${version}`])
    await run('minisign', ['-S', '-s', join(folder, 'key'), '-m', archive])
    return archive
  }
  const installed = () => join(folder, 'releases', 'before')
  const machine = (): Machine => ({
    installed: installed(),
    backups: folder,
    async asServer(_release, [command, ...args]) {
      const path = args.find((each) => each.startsWith(folder))!
      if (command === 'backup') {
        backed_up = await rowsOf(server!.deps.db)
        return void (await backup(config, path, passphrase))
      }
      await beforeRestore()
      const { kept } = await restore(config, path, passphrase, log, { is_aside: args.includes('--aside') })
      lines.push(...kept)
      restored = await inDatabase(rowsOf)
    },
    async install(release) {
      await stop()
      if (release === installed()) return start()
      await run(join(release, 'bin/mdm'), ['start'], { env: { ...process.env, DATABASE_URL: url } })
    },
    stop,
    start,
  })
  async function to(archive: string): Promise<void> {
    await mkdir(join(folder, 'releases'), { recursive: true })
    const key = await readFile(join(folder, 'key.pub'), 'utf8')
    const print = (line: string) => void lines.push(line)
    const wanted = { archive, key, patience_ms, passphrase_file: join(folder, 'passphrase'), print }
    await upgrade(config, wanted, machine())
  }

  it('every row and file is there again, and what the other one left is kept', async () => {
    const damage = `ALTER TABLE setting RENAME COLUMN value TO content; TRUNCATE user_account CASCADE; UPDATE kysely_migration SET name = '9' || name`
    const archive = await laterRelease('9.1.0', damage)
    beforeRestore = async () => {
      const objects = await openObjects(config, 'of-test')
      await objects.delete(object)
    }
    await expect(to(archive)).rejects.toThrow('9.1.0 did not become ready')
    expect(lines.at(-1)).toMatch(/runs again, on the backup of before/)
    const kept = lines.map((line) => /^the schema (before_restore_\d+) /.exec(line)?.[1]).find(Boolean)!
    expect(await text(await server!.deps.objects.read(object))).toBe('of a customer')
    expect(Object.keys(restored)).toContain('user_account')
    expect(restored).toEqual(backed_up)
    const { rows } = await sql`SELECT FROM ${sql.table(`${kept}.setting`)} WHERE content = '"whole"'`.execute(
      server!.deps.db,
    )
    expect(rows).toHaveLength(1)
  })

  it('is refused while another server lives, and done by hand when it has ended', async () => {
    const known = await rowsOf(server!.deps.db)
    const archive = await laterRelease('9.2.0', `UPDATE kysely_migration SET name = '9' || name`)
    other = await startServer(settings('two'), { password_cost, log })
    const refused = await to(archive).catch((error: Error) => error.message)
    expect(refused).toMatch(/Another server works on the database of DATABASE_URL: http.*stop every one/)
    expect(refused).toMatch(/the data are as the other left them.*mdm restore --aside/s)
    const path = / (\S+before-9\.2\.0-\d+) /.exec(String(refused))![1]!
    const { rows } = await sql`SELECT FROM kysely_migration WHERE name LIKE '9%'`.execute(other.deps.db)
    expect(rows.length).toBeGreaterThan(0)

    await other.close()
    await restore(config, path, passphrase, log, { is_aside: true })
    await start()
    expect((await rowsOf(server!.deps.db))['kysely_migration']).toEqual(known['kysely_migration'])
  })

  it('a server that was killed counts for as long as it may be alive, and no longer', async () => {
    const path = join(folder, 'killed')
    await backup(config, path, passphrase)
    await stop()
    await inDatabase((db) =>
      db.insertInto('node').values({ kid: newKid(), started_at: new Date(), seen_at: new Date() }).execute(),
    )
    await restore(config, path, passphrase, log, { is_aside: true })
    expect(await inDatabase((db) => db.selectFrom('node').select('kid').execute())).toHaveLength(1)
  })

  it('a server that starts meanwhile waits, and finds what was put back', async () => {
    const path = join(folder, 'meanwhile')
    await backup(config, path, passphrase)
    await server!.deps.db.updateTable('setting').set({ value: '"spoiled"' }).where('key', '=', 'proof').execute()
    // A server that looks at the schema keeps a restore waiting in turn.
    let end = () => {}
    let looking: Promise<void> | undefined
    await new Promise<void>((begun) => {
      looking = server!.deps.database.exclusive(schema_lock, () => {
        begun()
        return new Promise<void>((ended) => (end = ended))
      })
    })
    const waiting = restore(settings('two'), path, passphrase, log, { is_aside: true })
    await expect(waiting).rejects.toThrow('A server starts on the database of DATABASE_URL')
    end()
    await looking
    await stop()

    const restoring = restore(config, path, passphrase, log, { is_aside: true })
    // Its transaction has begun.
    await expect.poll(async () => (await connectedAs('psql')).length).toBe(1)
    const { value } = await inDatabase((db) =>
      db.selectFrom('setting').select('value').where('key', '=', 'proof').executeTakeFirstOrThrow(),
    )
    expect(value).toBe('whole')
    await restoring
  })

  it('does not begin where a program is missing that the way back needs', async () => {
    const path = process.env['PATH']
    const bin = join(folder, 'bin')
    await mkdir(bin)
    for (const name of ['tar', 'sh', 'pg_dump', 'pg_restore']) {
      const { stdout } = await run('sh', ['-c', `command -v ${name}`])
      await symlink(stdout.trim(), join(bin, name))
    }
    const archive = await laterRelease('9.3.0', 'SELECT 1')
    process.env['PATH'] = bin
    try {
      await expect(to(archive)).rejects.toThrow('psql is not installed')
    } finally {
      process.env['PATH'] = path
    }
    expect((await readdir(folder)).filter((name) => name.startsWith('before-9.3.0'))).toEqual([])
    expect(await server!.deps.db.selectFrom('node').select('kid').execute()).toHaveLength(1)
  })

  it('a backup of another database than the server works on is not made', async () => {
    const elsewhere = { ...config, database_url: await postgres.createDatabase() }
    await expect(backup(elsewhere, join(folder, 'elsewhere'), passphrase)).rejects.toThrow('works on another database')
  })
})
