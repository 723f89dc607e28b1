import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testDeps } from '../../testing/deps.ts'
import type { TestDeps } from '../../testing/deps.ts'
import { historyTables, partitionedTables, tenantTables } from './tables.ts'

let deps: TestDeps
beforeAll(async () => {
  deps = await testDeps()
})
afterAll(() => deps?.close())

/** What Citus asks of a table that is distributed by account_kid, and TimescaleDB of one that becomes a hypertable. */
describe.each(historyTables)('%s', (table) => {
  it('says of each row whose it is and when it was, and never otherwise', async () => {
    expect(tenantTables.has(table) && table in partitionedTables).toBe(true)
    const { rows } = await sql<{ name: string; type: string; is_required: boolean }>`
      SELECT a.attname AS name, a.atttypid::regtype::text AS type, a.attnotnull AS is_required
      FROM pg_attribute a LEFT JOIN pg_partitioned_table p ON p.partrelid = a.attrelid AND a.attnum = p.partattrs[0]
      WHERE a.attrelid = ${table}::regclass AND (a.attname = 'account_kid' OR p.partrelid IS NOT NULL) ORDER BY 1
    `.execute(deps.db)
    const of_time = { name: expect.any(String) as string, type: 'timestamp with time zone', is_required: true }
    expect(rows).toEqual([{ name: 'account_kid', type: 'uuid', is_required: true }, of_time])
  })

  it('has no key without both, refers to nothing, and nothing refers to it', async () => {
    const { rows } = await sql<{ found: string }>`
      SELECT indexrelid::regclass::text AS found FROM pg_index WHERE indrelid = ${table}::regclass AND (indisunique OR indisexclusion)
      UNION ALL
      SELECT conname FROM pg_constraint WHERE contype = 'f' AND ${table}::regclass IN (conrelid, confrelid)
      UNION ALL
      SELECT tgname FROM pg_trigger WHERE tgrelid = ${table}::regclass AND NOT tgisinternal
    `.execute(deps.db)
    expect(rows).toEqual([])
  })
})
