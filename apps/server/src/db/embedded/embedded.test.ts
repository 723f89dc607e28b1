import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { openDatabase } from '../client.ts'
import type { Database, OpenOptions } from '../client.ts'
import { item_migrations, memoryLog, removeDirectory, temporaryDirectory } from '../../testing/database.ts'
import { startEngine } from './engine-start.ts'

const tsx = createRequire(import.meta.url).resolve('tsx')
const directories: string[] = []
const freshDirectory = () => {
  const path = temporaryDirectory()
  directories.push(path)
  return path
}
afterAll(() => directories.forEach(removeDirectory))

/** A database with one row: made once, a first boot takes seconds. The image that it is told of is not there. */
let sound: string
const sound_log = memoryLog()
beforeAll(async () => {
  sound = freshDirectory()
  const db = await open(sound, { image: join(sound, 'no-image.tar.gz'), log: sound_log.log })
  await db.pool.query(`insert into item (name) values ('precious')`)
  await db.close()
})
const soundDirectory = () => {
  const path = freshDirectory()
  cpSync(sound, path, { recursive: true })
  return path
}

const open = (data_dir: string, more: Partial<OpenOptions> = {}) =>
  openDatabase({ data_dir, migrations: item_migrations, log: memoryLog().log, maintenance_every_ms: 0, ...more })

/** Another process that opens the directory, says `ready`, then inserts and says each acknowledged name. */
function otherProcess(data_dir: string) {
  const here = new URL('.', import.meta.url).href
  const program = `
    const { openDatabase } = await import(${JSON.stringify(`${here}../client.ts`)})
    const { item_migrations, memoryLog } = await import(${JSON.stringify(`${here}../../testing/database.ts`)})
    const db = await openDatabase({ data_dir: ${JSON.stringify(data_dir)}, migrations: item_migrations, log: memoryLog().log })
    console.log('ready')
    for (let i = 0; ; i++) {
      await Promise.all([0, 1, 2].map(async (k) => {
        await db.pool.query('insert into item (name) values ($1)', [i + '-' + k])
        console.log(i + '-' + k)
      }))
    }`
  const child = spawn(process.execPath, ['--import', tsx, '--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const said: string[] = []
  createInterface({ input: child.stdout }).on('line', (line) => said.push(line))
  const gone = new Promise<void>((done) => child.once('exit', () => done()))
  return { child, said, gone }
}

const treeHash = (directory: string) => {
  const hash = createHash('sha256')
  for (const name of (readdirSync(directory, { recursive: true }) as string[]).toSorted()) {
    const path = join(directory, name)
    hash.update(name)
    if (statSync(path).isFile()) hash.update(readFileSync(path))
  }
  return hash.digest('hex')
}

describe('the directory has one owner', () => {
  it('refuses a second process by pid, and loses nothing acknowledged to kill -9', async () => {
    const data_dir = soundDirectory()
    const other = otherProcess(data_dir)
    try {
      await vi.waitFor(() => expect(other.said.length).toBeGreaterThan(60), { interval: 20 })
      await expect(open(data_dir)).rejects.toThrow(new RegExp(`in use by process ${other.child.pid};`))
    } finally {
      other.child.kill('SIGKILL')
      await other.gone
    }
    // Its lock is still there: a dead owner is no owner.
    expect(existsSync(join(data_dir, 'lock'))).toBe(true)
    const db = await open(data_dir)
    const { rows } = await db.pool.query<{ name: string }>('select name from item')
    await db.close()
    const found = new Set(rows.map((row) => row.name))
    const lost = other.said.filter((line) => line !== 'ready' && !found.has(line))
    expect(lost).toEqual([])
    expect(existsSync(join(data_dir, 'lock'))).toBe(false)
  })

  it.skipIf(process.platform !== 'linux')('is no zombie, whose parent has not looked yet', async () => {
    const data_dir = soundDirectory()
    // `exec` makes sleep the parent of what is killed, and sleep never looks.
    const parent = spawn('sh', ['-c', 'sleep 60 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] })
    try {
      const lines = createInterface({ input: parent.stdout })
      const pid = Number(await new Promise<string>((done) => lines.once('line', done)))
      const fieldsOf = () => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
      const started = fieldsOf()[19]!
      const db = await open(data_dir)
      const lock = join(data_dir, 'lock')
      const mine = JSON.parse(readFileSync(lock, 'utf8')) as Record<string, unknown>
      await db.close()
      writeFileSync(lock, JSON.stringify({ ...mine, pid, started, token: 'of-the-other' }))
      await expect(open(data_dir)).rejects.toThrow(`in use by process ${pid};`)
      process.kill(pid, 'SIGKILL')
      await vi.waitFor(() => expect(fieldsOf()[0]).toBe('Z'))
      await (await open(data_dir)).close()
    } finally {
      parent.kill('SIGKILL')
    }
  })

  it('refuses to open it twice in this process', async () => {
    const data_dir = soundDirectory()
    const db = await open(data_dir)
    await expect(open(data_dir)).rejects.toThrow(`this very process (pid ${process.pid})`)
    await db.close()
    await (await open(data_dir)).close()
  })

  it('knows a new process with the old pid, and believes the heartbeat of another host', async () => {
    const data_dir = soundDirectory()
    const db = await open(data_dir)
    const lock = join(data_dir, 'lock')
    const mine = JSON.parse(readFileSync(lock, 'utf8')) as Record<string, unknown>
    await db.close()
    writeFileSync(lock, JSON.stringify({ ...mine, place: 'another-host', pid: 7 }))
    await expect(open(data_dir)).rejects.toThrow('process 7 on another-host')
    const long_ago = new Date(Date.now() - 60_000)
    utimesSync(lock, long_ago, long_ago)
    await (await open(data_dir)).close()
    writeFileSync(lock, JSON.stringify({ ...mine, started: '1' }))
    await (await open(data_dir)).close()
    writeFileSync(lock, 'not json')
    await (await open(data_dir)).close()
  })
})

describe('an engine that was begun earlier', () => {
  it('holds the directory, becomes the database, and lets go of the directory with it', async () => {
    const data_dir = soundDirectory()
    const engine = await startEngine({ data_dir, log: memoryLog().log })
    await expect(open(data_dir)).rejects.toThrow(`this very process (pid ${process.pid})`)
    const db = await open(data_dir, { engine })
    await db.pool.query(`insert into item (name) values ('kept')`)
    await db.close()
    expect(existsSync(join(data_dir, 'lock'))).toBe(false)

    const unused = await startEngine({ data_dir, log: memoryLog().log })
    await Promise.all([unused.close(), unused.close()])
    expect(existsSync(join(data_dir, 'lock'))).toBe(false)
    const again = await open(data_dir)
    expect((await again.pool.query('select name from item')).rows).toEqual([{ name: 'precious' }, { name: 'kept' }])
    await again.close()
  })
})

describe('a damaged directory is explained and left alone', () => {
  const damages: Record<string, (cluster: string) => void> = {
    'PG_VERSION is missing': (c) => rmSync(join(c, 'PG_VERSION')),
    'format of PostgreSQL 17': (c) => writeFileSync(join(c, 'PG_VERSION'), '17\n'),
    'pg_control is truncated': (c) => truncateSync(join(c, 'global', 'pg_control'), 100),
    'pg_control is not a control file': (c) => writeFileSync(join(c, 'global', 'pg_control'), Buffer.alloc(8192)),
    'pg_filenode.map is missing': (c) => rmSync(join(c, 'global', 'pg_filenode.map')),
    'no write-ahead log': (c) => {
      for (const name of readdirSync(join(c, 'pg_wal'))) rmSync(join(c, 'pg_wal', name), { recursive: true })
    },
  }
  it.each(Object.keys(damages))('%s', async (message) => {
    const data_dir = soundDirectory()
    damages[message]?.(join(data_dir, 'cluster'))
    const before = treeHash(data_dir)
    await expect(open(data_dir)).rejects.toThrow(message)
    expect(treeHash(data_dir)).toBe(before)
  })

  it('explains what PostgreSQL itself finds, and keeps every table file', async () => {
    const data_dir = soundDirectory()
    const cluster = join(data_dir, 'cluster')
    writeFileSync(join(cluster, 'base', '5', 'pg_filenode.map'), Buffer.alloc(512, 7))
    // A cache that every start throws away.
    for (const cache of ['global', 'base/5']) rmSync(join(cluster, cache, 'pg_internal.init'), { force: true })
    const before = treeHash(join(cluster, 'base'))
    await expect(open(data_dir)).rejects.toThrow(/cannot be opened, it is probably damaged/)
    expect(treeHash(join(cluster, 'base'))).toBe(before)
    expect(existsSync(join(data_dir, 'lock'))).toBe(false)
  })

  it('starts a first boot over that never ended, without an image that is damaged too', async () => {
    const data_dir = soundDirectory()
    rmSync(join(data_dir, 'cluster', 'PG_VERSION'))
    writeFileSync(join(data_dir, 'first-boot-unfinished'), '')
    const image = join(data_dir, 'image.tar.gz')
    writeFileSync(image, 'not a tarball')
    const { lines, log } = memoryLog()
    const db = await open(data_dir, { image, log })
    expect((await db.pool.query('select * from item')).rows).toEqual([])
    await db.close()
    expect(lines.some(({ message }) => message.startsWith('prepared database image unusable'))).toBe(true)
  })

  it('an image that is not there is done without', () => {
    expect(sound_log.lines.map(({ message }) => message)).toContain(
      'no prepared database image, creating the database from nothing',
    )
  })
})

describe('one session for everybody', () => {
  let db: Database
  let lines: ReturnType<typeof memoryLog>['lines']
  beforeAll(async () => {
    const memory = memoryLog()
    lines = memory.lines
    db = await open(soundDirectory(), { log: memory.log, statement_timeout_ms: 2_000, pool_size: 4 })
  })
  afterAll(() => db?.close())

  it.each([
    `set statement_timeout = 5`,
    `/* sly */ SET session work_mem = '1MB'`,
    `select 1; set work_mem = '1MB'`,
    `reset all`,
    `discard all`,
    `prepare p as select 1`,
    `create temp table t (a int)`,
    `unlisten *`,
    `copy (select 1) to stdout`,
  ])('refuses %s', async (text) => {
    await expect(db.pool.query(text)).rejects.toMatchObject({ code: '0A000' })
    expect((await db.pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
  })

  it('refuses named prepared statements, and fails the transaction they stand in', async () => {
    const client = await db.pool.connect()
    await client.query('begin')
    await expect(client.query({ name: 'p', text: 'select $1::int', values: [1] })).rejects.toThrow(
      'prepared statements',
    )
    await expect(client.query('select 1')).rejects.toMatchObject({ code: '25P02' })
    await client.query('rollback')
    client.release()
  })

  it('allows what ends with the transaction, and cleans what hides in a function', async () => {
    await db.kysely.transaction().execute(async (trx) => {
      const { sql } = await import('kysely')
      await sql`set local work_mem = '2MB'`.execute(trx)
      await sql`create temp table passing (a int) on commit drop`.execute(trx)
    })
    await db.pool.query(`update item set name = 'x; set work_mem = 1' where false`)
    await db.pool.query(`select set_config('work_mem', '3MB', false)`)
    expect((await db.pool.query('show work_mem')).rows).toEqual([{ work_mem: '4MB' }])
  })

  it('tells those who wait too long that it is busy, and never runs what they asked', async () => {
    const holder = await db.pool.connect()
    await holder.query('begin')
    const waiting = db.pool.query(`insert into item (name) values ('too late')`)
    const kept = setInterval(() => void holder.query('select 1').catch(() => {}), 100)
    await expect(waiting).rejects.toMatchObject({ code: '55P03' })
    clearInterval(kept)
    await holder.query('commit')
    holder.release()
    expect((await db.pool.query(`select * from item where name = 'too late'`)).rows).toEqual([])
    expect(lines.some((line) => line.message === 'database busy')).toBe(true)
  })

  it('rolls back a transaction that falls silent', async () => {
    const holder = await db.pool.connect()
    await holder.query('begin')
    await holder.query(`insert into item (name) values ('forgotten')`)
    const ended = new Promise<Error>((done) => holder.once('error', done))
    expect(await ended).toMatchObject({ code: '25P03' })
    holder.release(true)
    expect((await db.pool.query(`select * from item where name = 'forgotten'`)).rows).toEqual([])
  })

  it('comes back with committed data, and listening, when its thread is ended', async () => {
    const heard: string[] = []
    let gaps = 0
    const stop = await db.listen(
      'back',
      (payload) => heard.push(payload),
      () => (gaps += 1),
    )
    await db.pool.query(`insert into item (name) values ('survivor')`)
    const open_transaction = await db.pool.connect()
    await open_transaction.query('begin')
    await open_transaction.query(`insert into item (name) values ('uncommitted')`)
    await open_transaction.query('commit; begin')
    await open_transaction.query(`insert into item (name) values ('never')`)
    const endless = open_transaction.query(
      'select count(*) from generate_series(1, 1000000000) a, generate_series(1, 1000000) b',
    )
    await expect(endless).rejects.toMatchObject({ code: '57014' })
    open_transaction.release(true)
    await vi.waitFor(
      async () =>
        expect((await db.pool.query('select name from item order by name')).rows).toEqual([
          { name: 'precious' },
          { name: 'survivor' },
          { name: 'uncommitted' },
        ]),
      { interval: 100 },
    )
    expect(
      lines.some((line) => line.level === 'error' && String(line.fields.statement).includes('generate_series')),
    ).toBe(true)
    await vi.waitFor(() => expect(gaps).toBe(1))
    await db.notify('back', 'hello')
    await vi.waitFor(() => expect(heard).toEqual(['hello']))
    stop()
  })
})
