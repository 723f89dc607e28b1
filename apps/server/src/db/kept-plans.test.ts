import { Kysely, PostgresDialect, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hydrateRows } from '../modules/devices/terminal/list/rows.ts'
import { memoryLog } from '../testing/database.ts'
import { KeepingClient, withKeptPlan } from './kept-plans.ts'
import { safePool } from './pool.ts'
import { postgres_missing } from '../testing/postgres.ts'
import { migratedPostgres } from '../testing/shared-postgres.ts'

describe.skipIf(postgres_missing)(postgres_missing ? `left out: ${postgres_missing}` : 'plans that are kept', () => {
  let pool: ReturnType<typeof safePool>
  let db: Kysely<any>
  beforeAll(async () => {
    pool = safePool({ connectionString: await migratedPostgres(), max: 1, Client: KeepingClient }, memoryLog().log)
    db = new Kysely({ dialect: new PostgresDialect({ pool: pool.pool }) })
  })
  afterAll(() => pool?.end())
  const plans = async () =>
    (
      await sql<{ statement: string; runs: number }>`
      SELECT statement, generic_plans + custom_plans AS runs FROM pg_prepared_statements`.execute(db)
    ).rows
  const rowsOf = (kids: readonly number[], name: string) =>
    db
      .selectFrom(sql<{ kid: number }>`(values (1), (2), (3))`.as<'t'>(sql`t(kid)`))
      .select(['t.kid', sql<string>`${name}::text`.as('name')])
      .where('t.kid', '=', sql<number>`any(${kids}::int[])`)

  it('is one plan for all values, which are not mixed up', async () => {
    expect(await withKeptPlan(db, rowsOf([1, 3], 'a'))).toEqual([
      { kid: 1, name: 'a' },
      { kid: 3, name: 'a' },
    ])
    for (let n = 0; n < 6; n++) await withKeptPlan(db, rowsOf([n], String(n)))
    expect(await withKeptPlan(db, rowsOf([2], 'b'))).toEqual([{ kid: 2, name: 'b' }])
    const [plan, ...others] = await plans()
    expect(others).toEqual([])
    expect(plan).toMatchObject({ statement: rowsOf([], '').compile().sql, runs: 8 })
  })

  it('is not kept of a choice of fields: every export would take a name for good', async () => {
    await hydrateRows(db, [], new Set(['sn', 'name']))
    expect((await plans()).map(({ statement }) => statement).join()).not.toContain('"terminal"')
    await hydrateRows(db, [])
    expect((await plans()).map(({ statement }) => statement).join()).toContain('"terminal"')
  })

  it('is not kept of a statement that nobody asked it for', async () => {
    await db.selectNoFrom(sql<number>`${1}::int`.as('one')).execute()
    expect((await plans()).map(({ statement }) => statement).join()).not.toContain('"one"')
  })
})
