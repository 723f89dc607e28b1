import { sql } from 'kysely'
import { partitionedTables } from '../db/schema/tables.ts'
import type { Deps } from '../deps.ts'
import { clockDoubt } from '../lib/clock-watch.ts'

const months_ahead = 2
type Retention = { months: number; months_back?: number }
type Month = { year: number; month: number }

/**
 * Makes the partitions of this month and the coming ones, and drops those whose every row is past its retention. To be
 * called before the first request: a row without a partition cannot be stored. A clock in doubt drops nothing. A table that has been
 * given to an extension is not partitioned by us any more: its chunks are made and dropped there (docs/operate/history.md).
 */
export async function ensurePartitions(
  deps: Pick<Deps, 'clock' | 'database' | 'db' | 'log' | 'memory'>,
): Promise<void> {
  await deps.database.exclusive('partitions', async () => {
    const now = deps.clock.now()
    const current = { year: now.getUTCFullYear(), month: now.getUTCMonth() }
    const [partitioned, partitions] = [await partitionedNow(deps), await allPartitions(deps)]
    for (const [table, { months, months_back = 1 }] of Object.entries<Retention>(partitionedTables)) {
      if (!partitioned.has(table)) continue
      const existing = partitions.filter((row) => row.parent === table).map((row) => row.name)
      // One back as well: what was received in the last moments of a month may be written in the next.
      for (let ahead = -months_back; ahead <= months_ahead; ahead += 1) {
        const month = plus(current, ahead)
        const name = nameOf(table, month)
        if (existing.includes(name)) continue
        const statement = `CREATE TABLE IF NOT EXISTS ${name} PARTITION OF ${table}
          FOR VALUES FROM ('${firstOf(month)}') TO ('${firstOf(plus(month, 1))}')`
        await sql.raw(statement).execute(deps.db)
        deps.log.info({ partition: name }, 'partition made')
      }
      if (clockDoubt(deps)) continue
      const oldest = nameOf(table, plus(current, -months))
      for (const name of existing) {
        if (!isOurs(table, name) || name >= oldest) continue
        await sql.raw(`DROP TABLE IF EXISTS ${name}`).execute(deps.db)
        deps.log.info({ partition: name }, 'expired partition dropped')
      }
    }
  })
}

async function partitionedNow(deps: Pick<Deps, 'db'>): Promise<Set<string>> {
  const { rows } = await sql<{ name: string }>`
    SELECT relname AS name FROM pg_class WHERE relkind = 'p' AND oid = ANY(${Object.keys(partitionedTables)}::text[]::regclass[])
  `.execute(deps.db)
  return new Set(rows.map(({ name }) => name))
}

async function allPartitions(deps: Pick<Deps, 'db'>): Promise<{ parent: string; name: string }[]> {
  const { rows } = await sql<{ parent: string; name: string }>`
    SELECT p.relname AS parent, c.relname AS name
    FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid JOIN pg_class p ON p.oid = i.inhparent
    WHERE i.inhparent = ANY(${Object.keys(partitionedTables)}::text[]::regclass[])
  `.execute(deps.db)
  return rows
}

const plus = ({ year, month }: Month, months: number): Month => {
  const at = year * 12 + month + months
  return { year: Math.floor(at / 12), month: at % 12 }
}
const two = (month: number) => String(month + 1).padStart(2, '0')
const nameOf = (table: string, { year, month }: Month) => `${table}_y${year}m${two(month)}`
const firstOf = ({ year, month }: Month) => `${year}-${two(month)}-01T00:00:00Z`
const isOurs = (table: string, name: string) =>
  name.startsWith(`${table}_y`) && /^\d{4}m\d{2}$/.test(name.slice(table.length + 2))
