import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/**
 * VACUUM and ANALYZE table by table, so that others get their turn in between, then CHECKPOINT. The embedded database
 * has no autovacuum: without this every update leaves its old row in the file for ever.
 */
export async function vacuumTables(kysely: Kysely<any>, has_checkpoint: boolean): Promise<number> {
  const { rows } = await sql<{ schema: string; name: string; is_parent: boolean }>`
    select n.nspname as schema, c.relname as name, c.relkind = 'p' as is_parent
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p') and c.relpersistence = 'p' and n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast')
    order by c.relkind = 'p', c.relname`.execute(kysely)
  for (const { schema, name, is_parent } of rows) {
    const table = sql.id(schema, name)
    try {
      await (is_parent ? sql`analyze ${table}` : sql`vacuum (analyze) ${table}`).execute(kysely)
    } catch (error) {
      // A partition may have been dropped since the list was read.
      if ((error as { code?: string }).code !== '42P01') throw error
    }
  }
  if (has_checkpoint) await sql`checkpoint`.execute(kysely)
  return rows.length
}
