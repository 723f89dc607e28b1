import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { startEngine } from '../db/embedded/engine-start.ts'
import type { StartedEngine } from '../db/embedded/engine-start.ts'
import { placeDatabase, quiet } from './database-template.ts'

type Kept = StartedEngine & { tables: ReadonlySet<string> }
/** Those that nobody uses at present, empty. */
const idle: Kept[] = []

/**
 * An embedded database with every migration and no rows. Closing it empties it and keeps it for the next test file of
 * this process: opening one costs more than most files take for what they test.
 */
export async function testEngine(): Promise<StartedEngine> {
  const kept = idle.pop() ?? (await open())
  let closing: Promise<void> | undefined
  const close = async () => {
    try {
      await empty(kept)
      idle.push(kept)
    } catch {
      // A test broke it: the next one gets another.
      await kept.close()
    }
  }
  return { ...kept, close: () => (closing ??= close()) }
}

async function open(): Promise<Kept> {
  const folder = await mkdtemp(join(tmpdir(), 'mdm-test-db-'))
  const data_dir = join(folder, 'db')
  await placeDatabase(data_dir)
  const engine = await startEngine({ data_dir, log: quiet })
  await engine.ready
  return { ...engine, tables: new Set(await withClient(engine, tablesOf)) }
}

/**
 * Rows are deleted, not truncated: a new file for each table, each of its indexes and whatever refers to it takes ten
 * times as long as the few rows of a test.
 */
async function empty({ tables, ...engine }: Kept): Promise<void> {
  await withClient(engine, async (client) => {
    const found = await tablesOf(client)
    if (found.filter((name) => tables.has(name)).length < tables.size) throw new Error('a table was dropped')
    const added = found.filter((name) => !tables.has(name))
    if (added.length > 0) await client.query(`DROP TABLE ${added.join(', ')} CASCADE`)
    const own = [...tables].filter((name) => !name.startsWith('kysely_'))
    const { rows: used } = await client.query<{ name: string }>(
      own.map((name) => `SELECT '${name}' AS name WHERE EXISTS (SELECT FROM ONLY ${name})`).join(' UNION ALL '),
    )
    if (used.length === 0) return
    // All tables that have rows lose them at once: no order among them, and no trigger, has anything to keep.
    const deletes = used.map(({ name }) => `DELETE FROM ONLY ${name}`)
    await client.query(['BEGIN', 'SET LOCAL session_replication_role = replica', ...deletes, 'COMMIT'].join('; '))
    await client.query(`VACUUM ${used.map(({ name }) => name).join(', ')}`)
  })
}

const tablesOf = async (client: pg.Client): Promise<string[]> => {
  const { rows } = await client.query<{ name: string }>(
    `SELECT c.oid::regclass::text AS name FROM pg_class c
     WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace ORDER BY 1`,
  )
  return rows.map(({ name }) => name)
}

async function withClient<T>({ engine }: Pick<StartedEngine, 'engine'>, work: (client: pg.Client) => Promise<T>) {
  const client = new pg.Client({ stream: () => engine.stream(), user: 'postgres', database: 'postgres', ssl: false })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
