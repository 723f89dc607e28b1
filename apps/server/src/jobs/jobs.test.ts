import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { fakeClock } from '../lib/clock.ts'
import type { Clock } from '../lib/clock.ts'
import { digest, newKid } from '../lib/ids.ts'
import { createAccount } from '../modules/people/account/index.ts'
import { testDeps } from '../testing/deps.ts'
import { otherServer } from '../testing/other-server.ts'
import type { TestDeps } from '../testing/deps.ts'
import { backgroundWork } from '../background-work.ts'
import { ensurePartitions } from './partitions.ts'
import { purgeExpiredRows } from './purge.ts'
import { startBackground } from './runner.ts'

let deps: TestDeps

beforeAll(async () => {
  deps = await testDeps()
})
afterAll(() => deps.close())
beforeEach(async () => void (await deps.db.deleteFrom('job').execute()))
const row = (name: string) => deps.db.selectFrom('job').selectAll().where('name', '=', name).executeTakeFirstOrThrow()

describe('runner', () => {
  it('runs a job when it is due, and again after its time', async () => {
    let runs = 0
    const jobs = await startBackground(deps, [{ name: 'a', every_ms: 60_000, run: async () => void (runs += 1) }])
    await deps.clock.advance(1_000)
    expect(runs).toBe(1)
    await deps.clock.advance(59_000)
    expect(runs).toBe(1)
    await deps.clock.advance(2_000)
    expect(runs).toBe(2)
    await jobs.close()
    await deps.clock.advance(120_000)
    expect(runs).toBe(2)
  })

  it('lets one of several servers run it', async () => {
    const runs: string[] = []
    const servers = await Promise.all(
      ['one', 'two', 'three'].map(async (name) => ({ ...(await otherServer(deps)), name })),
    )
    const started = await Promise.all(
      servers.map((server) =>
        startBackground(server, [{ name: 'shared', every_ms: 60_000, run: async () => void runs.push(server.name) }]),
      ),
    )
    await deps.clock.advance(10_000)
    expect(runs).toHaveLength(1)
    await deps.clock.advance(60_000)
    expect(runs).toHaveLength(2)
    await Promise.all(started.map((jobs) => jobs.close()))
  })

  it('lets others run while one takes long, and waits for it at the end', async () => {
    let [runs, is_closed] = [0, false]
    let end = () => {}
    // Time goes on while a tick is at work, as it does on a real clock.
    let is_ticking = false
    const every: Clock['every'] = (ms, tick) =>
      deps.clock.every(ms, () => {
        if (is_ticking) return
        is_ticking = true
        void Promise.resolve(tick()).finally(() => (is_ticking = false))
      })
    const jobs = await startBackground({ ...deps, clock: { ...deps.clock, every } }, [
      { name: 'long', every_ms: 60_000, run: () => new Promise<void>((resolve) => (end = resolve)) },
      { name: 'short', every_ms: 100, run: async () => void (runs += 1) },
    ])
    try {
      await expect.poll(async () => (await deps.clock.advance(1_000), runs), { interval: 10 }).toBeGreaterThan(2)
      const closing = jobs.close().then(() => (is_closed = true))
      await expect.poll(async () => (await deps.clock.advance(1_000), is_ticking), { interval: 10 }).toBe(false)
      expect((await row('short')).worked_by).toBeNull()
      expect(is_closed).toBe(false)
      end()
      await closing
    } finally {
      end()
    }
    expect((await row('long')).last_finished_at).not.toBeNull()
  })

  it('notes a failure and tries again; the others go on', async () => {
    let [fails, runs] = [0, 0]
    const jobs = await startBackground(deps, [
      {
        name: 'bad',
        every_ms: 10_000,
        async run() {
          fails += 1
          throw new Error('no luck')
        },
      },
      { name: 'good', every_ms: 10_000, run: async () => void (runs += 1) },
    ])
    await deps.clock.advance(15_000)
    expect([fails, runs]).toEqual([2, 2])
    expect(await row('bad')).toMatchObject({ last_error: 'no luck', worked_by: null })
    await jobs.close()
  })

  it('takes over from a server that died at it, once that has not been heard of for a while', async () => {
    let runs = 0
    const other = await otherServer(deps)
    const jobs = await startBackground(deps, [{ name: 'left', every_ms: 3_600_000, run: async () => void (runs += 1) }])
    await deps.db.updateTable('job').set({ worked_by: other.node_kid }).where('name', '=', 'left').execute()
    await deps.clock.advance(59_000)
    expect(runs).toBe(0)
    await other.die()
    await deps.clock.advance(10_000)
    expect(runs).toBe(1)
    await jobs.close()
  })

  it('waits at the end for what is running', async () => {
    let finish = () => {}
    const done = new Promise<void>((resolve) => (finish = resolve))
    const jobs = await startBackground(deps, [{ name: 'slow', every_ms: 60_000, run: () => done }])
    const advancing = deps.clock.advance(1_000)
    await expect.poll(async () => (await row('slow')).worked_by).not.toBeNull()
    let is_closed = false
    const closing = jobs.close().then(() => (is_closed = true))
    await row('slow')
    expect(is_closed).toBe(false)
    finish()
    await closing
    await advancing
    expect((await row('slow')).worked_by).toBeNull()
  })
})

describe('partitions', () => {
  const names = async (table = 'terminal_report') =>
    (
      await sql<{ name: string }>`
        SELECT relname AS name FROM pg_class WHERE relispartition AND relkind = 'r' AND relname LIKE ${`${table}_y%`}
        ORDER BY 1`.execute(deps.db)
    ).rows.map(({ name }) => name)

  it('are there for this month and the next two, and go when every row is past its retention', async () => {
    await ensurePartitions(deps)
    await ensurePartitions(deps)
    const first = ['2025m12', '2026m01', '2026m02', '2026m03'].map((month) => `terminal_report_y${month}`)
    expect(await names()).toEqual(first)
    const later = { ...deps, clock: fakeClock(new Date('2026-07-31T23:59:00Z')) }
    await ensurePartitions(later)
    const months = ['2026m01', '2026m02', '2026m03', '2026m06', '2026m07', '2026m08', '2026m09']
    expect(await names()).toEqual(months.map((month) => `terminal_report_y${month}`))
  })

  it('are not made of a table that is another’s to divide', async () => {
    await sql`ALTER TABLE terminal_track RENAME TO terminal_track_of_ours; CREATE TABLE terminal_track (LIKE terminal_track_of_ours)`.execute(
      deps.db,
    )
    try {
      const later = { ...deps, clock: fakeClock(new Date('2027-07-31T23:59:00Z')) }
      await ensurePartitions(later)
      expect((await names('terminal_track')).filter((name) => name.includes('2027'))).toEqual([])
      expect((await names()).filter((name) => name.includes('2027'))).not.toEqual([])
    } finally {
      await sql`DROP TABLE terminal_track; ALTER TABLE terminal_track_of_ours RENAME TO terminal_track`.execute(deps.db)
    }
  })

  it('of the operation log go after three months, with what they hold', async () => {
    const at = (time: string) => ({ ...deps, clock: fakeClock(new Date(time)) })
    const log = (created_at: string) => ({
      kid: newKid(),
      account_kid: null,
      account_name: null,
      operator_kid: null,
      operator_name: '',
      operator_username: '',
      module_code: 'login',
      action_code: 'login',
      ip: '192.0.2.1',
      result: 1,
      message: '',
      duration_ms: 1,
      created_at: new Date(created_at),
      client: '{}',
      request: '{}',
      response: '{}',
    })
    const kept = async () =>
      (await deps.db.selectFrom('operation_log').select('created_at').orderBy('created_at').execute()).map((row) =>
        row.created_at.toISOString().slice(0, 7),
      )
    await ensurePartitions(at('2027-01-15T08:00:00Z'))
    await ensurePartitions(at('2027-03-15T08:00:00Z'))
    await deps.db
      .insertInto('operation_log')
      .values(['2027-01-31T23:59:59.999Z', '2027-02-01T00:00:00Z', '2027-05-01T00:00:00Z'].map(log))
      .execute()
    await ensurePartitions(at('2027-04-30T23:59:59Z'))
    expect(await kept()).toEqual(['2027-01', '2027-02', '2027-05'])
    await ensurePartitions(at('2027-05-01T00:00:00Z'))
    expect(await kept()).toEqual(['2027-02', '2027-05'])
    expect(await names('operation_log')).not.toContain('operation_log_y2027m01')
    await ensurePartitions(at('2027-06-01T00:00:00Z'))
    expect(await kept()).toEqual(['2027-05'])
  })
})

describe('purging', () => {
  it('removes exports that nobody fetched, and sign-ins left halfway', async () => {
    const { kid: account_kid } = await createAccount(deps.db, { type: 1, name: 'Exporting' })
    const expires = (seconds: number) => new Date(deps.clock.now().getTime() + seconds * 1_000)
    const ticket = (expires_at: Date) => ({
      kid: newKid(),
      account_kid,
      session_kid: newKid(),
      request: '{}',
      language: 'en' as const,
      created_at: deps.clock.now(),
      expires_at,
    })
    const good = ticket(expires(1))
    await deps.db
      .insertInto('list_export')
      .values([good, ticket(expires(-1))])
      .execute()
    const step = (name: string, expires_at: Date) => ({
      token_hash: digest(name),
      kind: 'totp' as const,
      user_kid: null,
      expires_at,
    })
    await deps.db
      .insertInto('login_step')
      .values([step('good', expires(1)), step('over', expires(-1))])
      .execute()
    await purgeExpiredRows(deps)
    expect(await deps.db.selectFrom('list_export').select('kid').execute()).toEqual([{ kid: good.kid }])
    expect(await deps.db.selectFrom('login_step').select('token_hash').execute()).toEqual([
      { token_hash: digest('good') },
    ])
  })

  it('removes what nobody can use any more and nothing else', async () => {
    const now = deps.clock.now().getTime()
    const at = (ms: number) => new Date(now + ms)
    const puzzle = (created_at: Date) => ({
      kid: newKid(),
      offset_x: 1,
      address: '10.0.0.1',
      created_at,
      answered_at: null,
      token_hash: null,
      token_expires_at: null,
    })
    const fresh = puzzle(at(-60_000))
    await deps.db
      .insertInto('puzzle')
      .values([fresh, puzzle(at(-3_700_000))])
      .execute()
    const failure = (key: string, first_at: Date) => ({ key, failures: 1, first_at, locked_until: null })
    await deps.db
      .insertInto('login_failure')
      .values([failure('new', at(-1000)), failure('old', at(-90_000_000))])
      .execute()
    await purgeExpiredRows(deps)
    expect(await deps.db.selectFrom('puzzle').select('kid').execute()).toEqual([{ kid: fresh.kid }])
    expect(await deps.db.selectFrom('login_failure').select('key').execute()).toEqual([{ key: 'new' }])
  })
})

it('all background work of the server runs on a fresh database without an error', async () => {
  for (const work of backgroundWork) await work.run(deps)
  expect(new Set(backgroundWork.map(({ name }) => name)).size).toBe(backgroundWork.length)
})
