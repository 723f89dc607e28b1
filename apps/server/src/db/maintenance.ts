import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** A sample has 300 times as many rows: those of PostgreSQL's 100 stop the embedded database for seconds. */
const statistics_target = 10
/** A table is sampled anew when more than so many rows, and this share of them, have changed since. */
const changed_min = 50
const changed_share = 0.1

type Table = { schema: string; name: string }

/** VACUUM and ANALYZE table by table, and all partitions together. PostgreSQL's autovacuum does it every day; this is for after bulk loads. */
export async function vacuumTables(kysely: Kysely<any>): Promise<void> {
  for (const table of await tables(kysely, 'r'))
    await unlessDropped(sql`vacuum (analyze) ${named(table)}`.execute(kysely))
  for (const table of await tables(kysely, 'p')) await unlessDropped(sql`analyze ${named(table)}`.execute(kysely))
}

/**
 * The same for the embedded database, which has no autovacuum (without this every update leaves its old row in the file for
 * ever) and answers nobody else while a statement runs: so each is a short one, which reads a sample of what has changed.
 */
export async function vacuumInPieces(kysely: Kysely<any>): Promise<number> {
  const all = await tables(kysely, 'r')
  for (const table of all) await unlessDropped(sql`vacuum ${named(table)}`.execute(kysely))
  const changed = await changedTables(kysely)
  for (const table of changed) await unlessDropped(sample(kysely, sql`analyze ${named(table)}`))
  const parents = new Map(
    changed.flatMap(({ parent }) => (parent ? [[`${parent.schema}.${parent.name}`, parent]] : [])),
  )
  // Not its partitions once more.
  for (const table of parents.values()) await unlessDropped(sample(kysely, sql`analyze only ${named(table)}`))
  await sql`checkpoint`.execute(kysely)
  return all.length
}

const named = ({ schema, name }: Table) => sql.id(schema, name)

const own = sql`c.relpersistence = 'p' and n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast')`

async function tables(kysely: Kysely<any>, kind: 'r' | 'p'): Promise<Table[]> {
  const { rows } = await sql<Table>`
    select n.nspname as schema, c.relname as name
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind = ${kind} and ${own} order by c.relname`.execute(kysely)
  return rows
}

/** With the table that it is a partition of. */
async function changedTables(kysely: Kysely<any>): Promise<(Table & { parent: Table | null })[]> {
  const { rows } = await sql<Table & { parent: Table | null }>`
    select n.nspname as schema, c.relname as name,
      case when p.oid is not null then jsonb_build_object('schema', pn.nspname, 'name', p.relname) end as parent
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    left join pg_stat_all_tables s on s.relid = c.oid
    left join pg_class p on c.relispartition and p.oid = pg_partition_root(c.oid)
    left join pg_namespace pn on pn.oid = p.relnamespace
    where c.relkind = 'r' and ${own}
      and (c.relpages > 0 and s.last_analyze is null
        or s.n_mod_since_analyze > ${changed_min} + ${changed_share}::float8 * greatest(c.reltuples, 0))
    order by c.relname`.execute(kysely)
  return rows
}

const sample = (kysely: Kysely<any>, analyze: ReturnType<typeof sql>): Promise<unknown> =>
  kysely.transaction().execute(async (trx) => {
    await sql.raw(`set local default_statistics_target = ${statistics_target}`).execute(trx)
    await analyze.execute(trx)
  })

/** A partition may have been dropped since the list was read. */
async function unlessDropped(done: Promise<unknown>): Promise<void> {
  try {
    await done
  } catch (error) {
    if ((error as { code?: string }).code !== '42P01') throw error
  }
}
