import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Deps } from '../deps.ts'
import { DatabaseError } from '../lib/database-errors.ts'
import { newKid } from '../lib/ids.ts'
import { Refusal } from '../refusal.ts'
import { makeTemplate } from '../testing/database-template.ts'
import { testDeps } from '../testing/deps.ts'
import type { TestDeps } from '../testing/deps.ts'
import { postgres_missing, startPostgres } from '../testing/postgres.ts'
import type { TestPostgres } from '../testing/postgres.ts'
import { checkReplica } from '../operate/doctor/services.ts'
import { openReplica, readable, reading } from './replica.ts'

describe.skipIf(postgres_missing)('a streaming replica', () => {
  let primary: TestPostgres
  let standby: TestPostgres
  let deps: TestDeps
  let url: string

  beforeAll(async () => {
    primary = await startPostgres()
    url = await primary.createDatabase()
    await makeTemplate({ url })
    deps = await testDeps({ url })
    await addAccount(101)
    standby = await startPostgres([], primary)
  })
  afterAll(async () => {
    await deps?.close()
    await standby?.stop()
    await primary?.stop()
  })

  const newAccount = (type: 1 | 101) => {
    const kid = newKid()
    return { kid, type, name: kid }
  }
  const addAccount = async (type: 1 | 101) => {
    const account = newAccount(type)
    await deps.db.insertInto('account').values(account).execute()
    return account.kid
  }
  const urlAt = (server: TestPostgres, of = url) => server.url(new URL(of).pathname.slice(1))
  /** It is given as long as a slow machine may need, but where it shall be found behind. */
  const beside = (replica_url: string, patience_ms = 30_000): Deps => {
    const options = { url: replica_url, log: deps.log, rest_ms: 300, patience_ms }
    const replica = openReplica(deps.database.pool, options)
    onTestFinished(() => replica.close())
    return { ...deps, replica }
  }
  const isCopy = async ({ db }: Deps) =>
    (await sql<{ is: boolean }>`SELECT pg_is_in_recovery() AS is`.execute(db)).rows[0]!.is
  const names = async ({ db }: Deps) =>
    (await db.selectFrom('account').select('kid').execute()).map(({ kid }) => kid).toSorted()
  const onStandby = async (text: string) => {
    const one = openReplica(deps.database.pool, { url: urlAt(standby), log: deps.log })
    await sql.raw(text).execute(one.kysely)
    await one.close()
  }

  it('shows what was committed just before it was asked, and nothing can be changed by it', async () => {
    const both = beside(urlAt(standby))
    for (let i = 0; i < 20; i++) {
      const kid = await addAccount(1)
      const from = await readable(both)
      expect(await isCopy(from)).toBe(true)
      expect(await names(from)).toContain(kid)
      expect(await from.scope(kid).selectFrom('account').select('kid').execute()).not.toEqual([])
    }
    const from = await readable(both)
    await expect(from.db.deleteFrom('account').execute()).rejects.toMatchObject({ code: '25006' })
  })

  it('is left out while it is behind, and asked again once it has caught up', async () => {
    const both = beside(urlAt(standby), 500)
    await onStandby('SELECT pg_wal_replay_pause()')
    const kid = await addAccount(1)
    const from = await readable(both)
    expect(await isCopy(from)).toBe(false)
    expect(await names(from)).toContain(kid)
    await onStandby('SELECT pg_wal_replay_resume()')
    await expect.poll(async () => isCopy(await readable(both)), { timeout: 30_000 }).toBe(true)
  })

  it('that is silent, or ends, is left out, and asked again when it answers', async () => {
    const both = beside(urlAt(standby))
    expect(await isCopy(await readable(both))).toBe(true)
    standby.pause()
    expect(await isCopy(await readable(both))).toBe(false)
    standby.resume()
    await expect.poll(async () => isCopy(await readable(both)), { timeout: 60_000 }).toBe(true)
    await standby.kill()
    expect(await isCopy(await readable(both))).toBe(false)
    await standby.start()
    await expect.poll(async () => isCopy(await readable(both)), { timeout: 60_000 }).toBe(true)
  })

  it('that fails a reader is left out, and the reader gets what the database itself has', async () => {
    const both = beside(urlAt(standby))
    const asked: boolean[] = []
    const read = async (from: Deps) => {
      asked.push(await isCopy(from))
      if (asked.length === 1) throw new DatabaseError('40001', 'canceling statement due to conflict with recovery')
      return 'read'
    }
    expect(await reading(both, read)).toBe('read')
    expect(asked).toEqual([true, false])
    expect(await isCopy(await readable(both))).toBe(false)
    // What is refused, a fault of ours, or takes too long, is so at either.
    const third = beside(urlAt(standby))
    for (const error of [new Refusal('not_found'), new TypeError('a fault'), new DatabaseError('57014', 'too long')]) {
      const tried = vi.fn(() => Promise.reject(error))
      await expect(reading(third, tried)).rejects.toBe(error)
      expect(tried).toHaveBeenCalledTimes(1)
      expect(await isCopy(await readable(third))).toBe(true)
    }
  })

  it('is no replica when it is the database itself, a copy of another one or not there', async () => {
    const other = await startPostgres()
    onTestFinished(() => other.stop())
    const elsewhere = await other.createDatabase()
    const theirs = await testDeps({ url: elsewhere })
    onTestFinished(() => theirs.close())
    // Its position is far beyond ours.
    for (let i = 0; i < 8; i++)
      await theirs.db
        .insertInto('account')
        .values(newAccount(i === 0 ? 101 : 1))
        .execute()
    for (let i = 0; i < 8; i++)
      await theirs.database.pool.query('SELECT pg_switch_wal(), pg_logical_emit_message(false, $1, $2)', ['', ''])
    const copy = await startPostgres([], other)
    onTestFinished(() => copy.stop())
    const copied = urlAt(copy, elsewhere)
    for (const [wrong, reason] of [
      [url, 'no streaming replica'],
      [elsewhere, 'no streaming replica'],
      [copied, 'another installation'],
      ['postgres://postgres@127.0.0.1:1/mdm', 'ECONNREFUSED'],
    ] as const) {
      const one = beside(wrong)
      expect((await readable(one)).db).toBe(deps.db)
      expect(one.replica!.isUsed()).toBe(false)
      const config = { ...deps.config, database_url: url, database_replica_url: wrong }
      expect(await checkReplica(config)).toMatchObject([{ state: 'warning', says: expect.stringContaining(reason) }])
    }
    const right = { ...deps.config, database_url: url, database_replica_url: urlAt(standby) }
    expect(await checkReplica(right)).toMatchObject([{ state: 'fine' }])
    expect(await checkReplica(deps.config)).toEqual([])
    const { rows } = await theirs.database.pool.query('SELECT pg_current_wal_flush_lsn() AS position')
    const { rows: ours } = await deps.database.pool.query('SELECT pg_current_wal_flush_lsn() < $1 AS is_behind', [
      rows[0].position,
    ])
    expect(ours).toEqual([{ is_behind: true }])
  })
})
