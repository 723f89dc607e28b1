import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { backgroundWork } from '../background-work.ts'
import { startNode } from '../link/nodes.ts'
import { ensurePartitions } from '../jobs/partitions.ts'
import { bringForward, shortenLives } from '../jobs/clamp-future-times.ts'
import { startBackground } from '../jobs/runner.ts'
import { addAccount, databases, openDeps } from '../testing/devices.ts'
import type { TestDeps } from '../testing/deps.ts'
import { clockDoubt, watchClock } from './clock-watch.ts'
import { newKid } from './ids.ts'
import { limiterOf } from './rate-limit.ts'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const year = 365 * 24 * hour

describe.each(databases)('a clock that jumps, on %s', (kind) => {
  let deps: TestDeps
  const closers: (() => unknown)[] = []

  const watch = async (told = async () => {}) => {
    const watching = await watchClock(deps, told)
    closers.push(() => watching.close())
    return watching
  }
  beforeEach(async () => void (deps = await openDeps(kind)))
  afterEach(async () => {
    for (const close of closers.splice(0)) await close()
    await deps.close()
  })

  it('a clock that was wrong for seconds pushes no job out, also over a restart', async () => {
    const runs: string[] = []
    const list = ['a', 'b'].map((name) => ({ name, every_ms: minute, run: async () => void runs.push(name) }))
    let runner = await startBackground(deps, list)
    deps.clock.jump(70 * year)
    await deps.clock.advance(3 * second)
    deps.clock.jump(-70 * year)
    runs.length = 0
    await deps.clock.advance(minute + 2 * second)
    expect(runs.toSorted()).toEqual(['a', 'b'])
    deps.clock.jump(70 * year)
    await deps.clock.advance(2 * minute)
    await runner.close()
    deps.clock.jump(-70 * year)
    runs.length = 0
    runner = await startBackground(deps, list)
    closers.push(() => runner.close())
    await deps.clock.advance(2 * second)
    expect(runs.toSorted()).toEqual(['a', 'b'])
    await deps.clock.advance(10 * minute)
    expect(runs).toHaveLength(22)
  })

  it('what goes by age waits until the clock has stood for an hour, and the rest goes on', async () => {
    const runs = { age: 0, work: 0 }
    await watch()
    const runner = await startBackground(deps, [
      { name: 'age', every_ms: minute, by_age: true, run: async () => void (runs.age += 1) },
      { name: 'work', every_ms: minute, run: async () => void (runs.work += 1) },
    ])
    closers.push(() => runner.close())
    await deps.clock.advance(10 * minute)
    expect(runs.age).toBeGreaterThan(8)
    for (const by of [year, -year]) {
      deps.clock.jump(by)
      const before = { ...runs }
      await deps.clock.advance(59 * minute)
      expect(runs.age).toBe(before.age)
      expect(runs.work).toBeGreaterThan(before.work + 50)
      expect(clockDoubt(deps)).toMatchObject({ jumped_ms: by, is_start: false })
    }
    const before = runs.age
    await deps.clock.advance(3 * minute)
    expect(clockDoubt(deps)).toBeUndefined()
    expect(runs.age).toBeGreaterThan(before)
  })

  it('an hour and less is no jump; everything that ends by age is held back by one', async () => {
    await watch()
    deps.clock.jump(59 * minute)
    expect(clockDoubt(deps)).toBeUndefined()
    deps.clock.jump(-61 * minute)
    expect(clockDoubt(deps)?.jumped_ms).toBe(-61 * minute)
    const of_time = ['activation', 'late_sends', 'os_days', 'partitions']
    const of_people = [
      'batches',
      'changed_alert_rules',
      'configurations',
      'device_news',
      'exports',
      'forgotten_passwords',
      'profile_members',
      'push_news',
      'pushes',
      'push_lists',
      'webhooks',
    ]
    const of_os = ['os_packages', 'os_deltas', 'os_builds', 'oscs_files', 'os_cancelling']
    const going_on = backgroundWork.filter(({ by_age }) => !by_age).map(({ name }) => name)
    expect(going_on.toSorted()).toEqual([...of_time, ...of_people, ...of_os].toSorted())
  })

  it('a jump drops no partition, and what is written by the new time has one at once', async () => {
    const node = await startNode(deps)
    closers.push(() => node.close())
    await watch(async () => {
      await ensurePartitions(deps)
      await node.beat()
    })
    await ensurePartitions(deps)
    const names = async () =>
      (
        await sql<{ name: string }>`SELECT relname AS name FROM pg_class WHERE relispartition AND relkind IN ('r')
          ORDER BY 1`.execute(deps.db)
      ).rows.map(({ name }) => name)
    const before = await names()
    deps.clock.jump(3 * year)
    await deps.clock.advance(2 * second)
    const after = await names()
    expect(before.filter((name) => !after.includes(name))).toEqual([])
    expect(after).toContain('operation_log_y2029m01')
    const { clock_doubt } = await deps.db.selectFrom('node').select('clock_doubt').executeTakeFirstOrThrow()
    expect(clock_doubt).toMatchObject({ jumped_ms: 3 * year, is_start: false })
    deps.clock.jump(-3 * year)
    await deps.clock.advance(hour + 2 * second)
    const { clock_doubt: none } = await deps.db.selectFrom('node').select('clock_doubt').executeTakeFirstOrThrow()
    expect(none).toBeNull()
    await ensurePartitions(deps)
    const left = await names()
    expect(before.filter((name) => !left.includes(name))).toEqual([])
  })

  it('a start with another time than was last seen is noticed, either way', async () => {
    ;(await watch()).close()
    for (const by of [year, -2 * year]) {
      deps.clock.jump(by)
      const watching = await watch()
      expect(watching.doubt()).toMatchObject({ is_start: true })
      // It is not taken for the right time while it is in doubt: the next start finds it wrong again.
      await deps.clock.advance(5 * minute)
      watching.close()
      const again = await watch()
      expect(Math.sign(again.doubt()!.jumped_ms)).toBe(Math.sign(by))
      await deps.clock.advance(hour + 2 * minute)
      expect(again.doubt()).toBeUndefined()
      again.close()
    }
    expect((await watch()).doubt()).toBeUndefined()
  })

  it('rows that a wrong clock left waiting for its date are put right', async () => {
    const now = deps.clock.now().getTime()
    const at = (ms: number) => new Date(now + ms)
    const failure = (key: string, locked_until: Date) => ({ key, failures: 5, first_at: at(0), locked_until })
    await deps.db
      .insertInto('login_failure')
      .values([failure('far', at(year)), failure('near', at(10 * minute))])
      .execute()
    const account_kid = await addAccount(deps)
    const hit = (at_ms: number) => ({ kid: newKid(), account_kid, at: at(at_ms), devices: 5 })
    await deps.db
      .insertInto('destruction')
      .values([hit(year), hit(-minute)])
      .execute()
    const mail = (next_at: Date) => ({
      kid: newKid(),
      kind: 'alert' as const,
      account_kid,
      address: 'a@b.example',
      next_at,
      created_at: at(0),
    })
    await deps.db
      .insertInto('mail')
      .values([mail(at(year)), mail(at(minute))].map((one) => ({ ...one, subject: 's', body: 'b' })))
      .execute()
    await shortenLives(deps)
    await bringForward(deps)
    const hits = await deps.db.selectFrom('destruction').select('at').where('account_kid', '=', account_kid).execute()
    expect(hits.map((row) => row.at).toSorted((a, b) => Number(a) - Number(b))).toEqual([at(-minute), at(0)])
    const mails = await deps.db.selectFrom('mail').select('next_at').orderBy('next_at').execute()
    expect(mails.map(({ next_at }) => next_at)).toEqual([at(minute), at(12 * hour)])
    const rows = await deps.db.selectFrom('login_failure').select(['key', 'locked_until']).orderBy('key').execute()
    expect(rows).toEqual([
      { key: 'far', locked_until: at(15 * minute) },
      { key: 'near', locked_until: at(10 * minute) },
    ])
  })

  it('limits in memory go by what has elapsed', async () => {
    const limiter = limiterOf(deps, newKid(), { limit: 1, per_ms: minute })
    deps.clock.jump(year)
    expect(limiter.take('a')).toBe(0)
    deps.clock.jump(-year)
    expect(limiter.take('a')).toBe(60)
    await deps.clock.advance(minute)
    expect(limiter.take('a')).toBe(0)
  })
})
