import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sql } from 'kysely'
import { purgeExpiredRows } from '../jobs/purge.ts'
import { testDeps } from '../testing/deps.ts'
import type { TestDeps } from '../testing/deps.ts'
import { otherServer } from '../testing/other-server.ts'
import { postgres_missing } from '../testing/postgres.ts'
import { migratedPostgres } from '../testing/shared-postgres.ts'
import { takeSharedTry } from './rate-limit.ts'

const title = postgres_missing ? 'a shared limit (skipped: PostgreSQL is not installed)' : 'a shared limit'
describe.runIf(!postgres_missing)(title, () => {
  let deps: TestDeps
  beforeAll(async () => void (deps = await testDeps({ url: await migratedPostgres() })))
  afterAll(() => deps.close())
  const rate = { limit: 5, per_ms: 60_000 }
  const taken = (by: TestDeps, key: string) =>
    takeSharedTry(by, 'test', rate, key).then(
      () => 'taken',
      (error: { refusal: string; details: { seconds: number } }) => error,
    )

  it('holds for two servers together, however many try at once, and gives tries back with time', async () => {
    const other = await otherServer(deps)
    const all = await Promise.all(Array.from({ length: 20 }, (_, at) => taken(at % 2 ? deps : other, 'one')))
    expect(all.filter((each) => each === 'taken')).toHaveLength(5)
    const refused = all.find((each) => each !== 'taken') as { refusal: string; details: { seconds: number } }
    expect(refused.refusal).toBe('too_many_requests')
    expect(refused.details.seconds).toBeGreaterThan(0)
    expect(refused.details.seconds).toBeLessThanOrEqual(12)
    expect(await taken(other, 'two')).toBe('taken')
    await sql`UPDATE rate SET full_at = full_at - interval '12 seconds' WHERE key = 'one'`.execute(deps.db)
    expect(await taken(other, 'one')).toBe('taken')
    expect(await taken(deps, 'one')).not.toBe('taken')
  })

  it('is forgotten once all tries are there again', async () => {
    await sql`UPDATE rate SET full_at = now() - interval '1 second'`.execute(deps.db)
    await purgeExpiredRows(deps)
    expect((await sql`SELECT FROM rate`.execute(deps.db)).rows).toEqual([])
  })
})
