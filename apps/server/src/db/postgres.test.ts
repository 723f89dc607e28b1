import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { openDatabase } from './client.ts'
import type { Database } from './client.ts'
import { item_migrations, memoryLog } from '../testing/database.ts'
import { isUnavailable } from '../lib/database-errors.ts'
import { postgres_missing, startPostgres } from '../testing/postgres.ts'
import type { TestPostgres } from '../testing/postgres.ts'

describe.skipIf(postgres_missing)(postgres_missing ? `left out: ${postgres_missing}` : 'PostgreSQL that fails', () => {
  let postgres: TestPostgres
  let url: string
  let db: Database
  beforeAll(async () => {
    postgres = await startPostgres()
    url = await postgres.createDatabase()
    db = await open()
  })
  afterAll(async () => {
    postgres?.resume()
    await db?.close()
    await postgres?.stop()
  })
  const open = () =>
    openDatabase({ url, migrations: item_migrations, log: memoryLog().log, statement_timeout_ms: 1_000 })
  const back = () => vi.waitFor(() => db.pool.query('select 1'), { interval: 100 })

  it('migrates once when two servers start together', async () => {
    const other_url = await postgres.createDatabase()
    const memory = memoryLog()
    const start = () => openDatabase({ url: other_url, migrations: item_migrations, log: memory.log })
    const both = await Promise.all([start(), start()])
    await Promise.all(both.map((one) => one.close()))
    expect(memory.lines.filter((line) => line.message === 'database migrated')).toHaveLength(1)
  })

  it('excludes other servers', async () => {
    const other = await open()
    const order: string[] = []
    let entered = () => {}
    const is_in = new Promise<void>((done) => (entered = done))
    const first = db.exclusive('job', async () => {
      entered()
      await other.pool.query('select pg_sleep(0.2)')
      order.push('first')
    })
    await is_in
    await other.exclusive('job', async () => void order.push('second'))
    await first
    expect(order).toEqual(['first', 'second'])
    await other.close()
  })

  it('survives a crash of the server: callers are told, everything comes back', async () => {
    const heard: string[] = []
    let gaps = 0
    await db.listen(
      'crash',
      (payload) => heard.push(payload),
      () => (gaps += 1),
    )
    await db.pool.query(`insert into item (name) values ('kept')`)
    const in_transaction = await db.pool.connect()
    await in_transaction.query('begin')
    const running = db.pool.query('select pg_sleep(5)').catch((error: unknown) => error)
    await postgres.kill()
    expect(isUnavailable(await running)).toBe(true)
    in_transaction.release(true)
    expect(isUnavailable(await db.pool.query('select 1').catch((error: unknown) => error))).toBe(true)
    await postgres.start()
    await back()
    expect((await db.pool.query('select name from item')).rows).toEqual([{ name: 'kept' }])
    await vi.waitFor(() => expect(gaps).toBeGreaterThan(0))
    await db.notify('crash', 'hello')
    await vi.waitFor(() => expect(heard).toEqual(['hello']))
  })

  it('does not wait for ever for a server that has stopped answering', async () => {
    await back()
    postgres.pause()
    const started = performance.now()
    const error = await db.pool.query('select 1').catch((caught: unknown) => caught)
    const waited_ms = performance.now() - started
    postgres.resume()
    expect(isUnavailable(error)).toBe(true)
    expect(waited_ms).toBeLessThan(20_000)
    await back()
  })

  it('refuses soon whoever calls a stopped server, in a transaction, waiting and new', async () => {
    await back()
    const patient = await openDatabase({ url, migrations: item_migrations, log: memoryLog().log })
    const timed = async (work: () => Promise<unknown>) => {
      const started = performance.now()
      const error = await work().then(
        () => undefined,
        (caught: unknown) => caught,
      )
      return { waited_ms: performance.now() - started, is_unavailable: isUnavailable(error) }
    }
    const in_transaction = await patient.pool.connect()
    await in_transaction.query('begin')
    postgres.pause()
    const early = await Promise.all([
      timed(() => in_transaction.query('select 1')),
      ...Array.from({ length: 30 }, () => timed(() => patient.pool.query('select 1'))),
    ])
    const late = await timed(() =>
      patient.kysely
        .selectFrom('item' as never)
        .selectAll()
        .execute(),
    )
    postgres.resume()
    in_transaction.release(true)
    expect([...early, late].every(({ is_unavailable }) => is_unavailable)).toBe(true)
    const patience_ms = Math.max(...early.map(({ waited_ms }) => waited_ms))
    expect(patience_ms).toBeLessThan(10_000)
    // It is known by then.
    expect(late.waited_ms).toBeLessThan(patience_ms / 4)
    await vi.waitFor(() => patient.pool.query('select 1'), { interval: 100 })
    await patient.close()
  })

  it('lets a statement take its time while the server answers others', async () => {
    const patient = await openDatabase({ url, migrations: item_migrations, log: memoryLog().log })
    expect((await patient.pool.query<{ n: number }>('select 1 as n from pg_sleep(3.5)')).rows).toEqual([{ n: 1 }])
    await patient.close()
  })

  it('says that it cannot be reached', async () => {
    const nowhere = openDatabase({ url: 'postgres://x@127.0.0.1:1/x', migrations: {}, log: memoryLog().log })
    await expect(nowhere).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })
})
