import { createHash } from 'node:crypto'
import pg from 'pg'
import type { Database } from '../../db/client.ts'
import { OperatorFault } from '../fault.ts'

/** What is read of a table at once, on average: with what its rows have outside of its pages, a page may hold megabytes. */
const piece_bytes = 2 * 1024 * 1024
const page_bytes = 8_192

type Table = { name: string; columns: string[]; pages: number; bytes: string }
type Partition = { name: string; parent: string; bound: string }
type Constraint = { table: string; name: string; definition: string }
/** Rows, and the sum of a digest of each: whatever order they stand in. */
type Sum = { rows: number; digest: bigint }
type CopiedTables = { tables: number; rows: number }

/** What makes the text of a value the same in both. */
const plain_text = `SET LOCAL timezone = 'UTC'; SET LOCAL datestyle = 'ISO, MDY'; SET LOCAL intervalstyle = 'postgres';
  SET LOCAL extra_float_digits = 1; SET LOCAL bytea_output = 'hex'; SET LOCAL statement_timeout = 0`

/**
 * Copies every row of `source`, in which nothing is written meanwhile, into the tables of `url`, which has the same schema. All of it
 * is one transaction, at whose end each table has as many rows as its original, and the same ones; `mark` is the last that is written.
 */
export async function copyDatabase(
  source: Database,
  url: string,
  signal: AbortSignal,
  mark: { key: string; value: Record<string, unknown> },
): Promise<CopiedTables> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000, application_name: 'mdm move' })
  client.on('error', () => {})
  await client.connect()
  try {
    await client.query('BEGIN')
    await client.query(plain_text)
    const copied = await copyAll(source.pool, client, signal)
    await client.query('INSERT INTO setting (key, value) VALUES ($1, $2)', [mark.key, JSON.stringify(mark.value)])
    signal.throwIfAborted()
    await client.query('COMMIT')
    return copied
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {})
    throw error
  } finally {
    await client.end().catch(() => {})
  }
}

async function copyAll(source: pg.Pool, target: pg.Client, signal: AbortSignal): Promise<CopiedTables> {
  await makePartitions(source, target)
  const tables = await tablesOf(source)
  const theirs = new Map((await tablesOf(target)).map((table) => [table.name, table]))
  for (const { name, columns } of tables)
    if (theirs.get(name)?.columns.join() !== columns.join())
      throw new OperatorFault(`The table ${name} is another one there: both need the schema of this version.`)
  if (theirs.size !== tables.length) throw new OperatorFault('There are tables of something else in the new database.')
  const names = tables.map(({ name }) => quoted(name))
  const constraints = await foreignKeysOf(target)
  // They hold again below, where adding them looks at every row.
  for (const { table, name } of constraints) await target.query(`ALTER TABLE ${table} DROP CONSTRAINT ${quoted(name)}`)
  if (names.length > 0) await target.query(`TRUNCATE ${names.join(', ')}`)
  for (const name of names) await target.query(`ALTER TABLE ${name} DISABLE TRIGGER USER`)
  let rows = 0
  for (const table of tables) {
    const sent = await copyTable(source, target, table, signal)
    const found = await sumOf(target, table)
    if (sent.rows !== found.rows || sent.digest !== found.digest)
      throw new OperatorFault(`The table ${table.name} came over changed: ${found.rows} rows of ${sent.rows}.`)
    rows += sent.rows
  }
  for (const name of names) await target.query(`ALTER TABLE ${name} ENABLE TRIGGER USER`)
  for (const { table, name, definition } of constraints)
    await target.query(`ALTER TABLE ${table} ADD CONSTRAINT ${quoted(name)} ${definition}`)
  await copySequences(source, target)
  return { tables: tables.length, rows }
}

const quoted = (name: string): string => pg.escapeIdentifier(name)
const list = (columns: readonly string[]): string => columns.map(quoted).join(', ')

type Asking = Pick<pg.Client, 'query'> | Pick<pg.Pool, 'query'>
async function ask<T extends pg.QueryResultRow>(of: Asking, text: string, values: unknown[] = []): Promise<T[]> {
  const { rows } = await (of as pg.Pool).query<T>(text, values)
  return rows
}

/** Those with rows of their own: a partitioned table has them in its partitions. The migrator's list is made by the migration itself. */
const tablesOf = (of: Asking) =>
  ask<Table>(
    of,
    `SELECT c.relname AS name, (pg_relation_size(c.oid) / ${page_bytes})::int AS pages, pg_table_size(c.oid)::text AS bytes,
       ARRAY(SELECT a.attname::text FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
         AND a.attgenerated = '' ORDER BY a.attname) AS columns
     FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND c.relname NOT LIKE 'kysely\\_%'
     ORDER BY c.relname`,
  )

/** Months that the new database would not make by itself any more. */
async function makePartitions(source: Asking, target: Asking): Promise<void> {
  const found = await ask<Partition>(
    source,
    `SELECT c.relname AS name, i.inhparent::regclass::text AS parent, pg_get_expr(c.relpartbound, c.oid) AS bound
     FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE c.relnamespace = 'public'::regnamespace AND c.relispartition
       AND c.relkind = 'r' ORDER BY c.relname`,
  )
  for (const { name, parent, bound } of found)
    await ask(target, `CREATE TABLE IF NOT EXISTS ${quoted(name)} PARTITION OF ${parent} ${bound}`)
}

const foreignKeysOf = (of: Asking) =>
  ask<Constraint>(
    of,
    `SELECT conrelid::regclass::text AS table, conname AS name, pg_get_constraintdef(oid) AS definition FROM pg_constraint
     WHERE contype = 'f' AND conparentid = 0 AND connamespace = 'public'::regnamespace ORDER BY 1, 2`,
  )

async function copySequences(source: Asking, target: Asking): Promise<void> {
  const found = await ask<{ name: string; last_value: string | null }>(
    source,
    `SELECT quote_ident(sequencename) AS name, last_value::text FROM pg_sequences WHERE schemaname = 'public'`,
  )
  for (const { name, last_value } of found)
    if (last_value !== null) await ask(target, 'SELECT setval($1::regclass, $2::bigint)', [name, last_value])
}

/** Rows travel as PostgreSQL's own text of a row, which loses nothing of any type. */
async function copyTable(source: Asking, target: Asking, table: Table, signal: AbortSignal): Promise<Sum> {
  const { name, columns, pages } = table
  const piece_pages = Math.max(1, Math.floor((piece_bytes * pages) / Math.max(1, Number(table.bytes))))
  const sent: Sum = { rows: 0, digest: 0n }
  const read = `SELECT ROW(${list(columns)})::text AS row FROM ${quoted(name)} WHERE ctid >= $1::tid AND ctid < $2::tid`
  const shape = 'pg_temp.moved_row'
  await ask(
    target,
    `CREATE TEMPORARY TABLE moved_row ON COMMIT DROP AS SELECT ${list(columns)} FROM ${quoted(name)} LIMIT 0`,
  )
  const write = `INSERT INTO ${quoted(name)} (${list(columns)}) OVERRIDING SYSTEM VALUE SELECT (of_text.parts).*
    FROM (SELECT text::${shape} AS parts FROM unnest($1::text[]) AS text OFFSET 0) of_text`
  // One page more than there are: rows of the last piece stand before it.
  for (let page = 0; page <= pages; page += piece_pages) {
    signal.throwIfAborted()
    const found = await ask<{ row: string }>(source, read, [`(${page},0)`, `(${page + piece_pages},0)`])
    if (found.length === 0) continue
    const texts = found.map(({ row }) => row)
    for (const text of texts) sent.digest += digestOf(text)
    sent.rows += texts.length
    await ask(target, write, [texts])
  }
  await ask(target, `DROP TABLE ${shape}`)
  return sent
}

const digestOf = (text: string): bigint => BigInt(`0x${createHash('md5').update(text).digest('hex').slice(0, 15)}`)

/** The same sum by the database that has them now. */
async function sumOf(target: Asking, { name, columns }: Table): Promise<Sum> {
  const [found] = await ask<{ rows: string; digest: string }>(
    target,
    `SELECT count(*)::text AS rows, COALESCE(sum(('x' || substr(md5(ROW(${list(columns)})::text), 1, 15))::bit(60)::bigint), 0)::text
       AS digest FROM ${quoted(name)}`,
  )
  return { rows: Number(found!.rows), digest: BigInt(found!.digest) }
}
