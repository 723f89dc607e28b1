import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import type { Config } from '../../config.ts'
import { openDatabase } from '../../db/client.ts'
import type { Database } from '../../db/client.ts'
import { migrations } from '../../db/schema/migrations/index.ts'
import type { ListedObjects } from '../../files/object-store.ts'
import { ObjectMissing } from '../../files/object-store.ts'
import { openObjects } from '../../files/open-objects.ts'
import type { Log } from '../../lib/log.ts'
import { moved_name } from '../../lib/moved-mark.ts'
import { OperatorFault } from '../fault.ts'
import { copyDatabase } from './copy-database.ts'

const scratch = 'of-move'
const mark_key = 'moved_from'
/** Where it goes: what differs from the settings that the server runs by. */
export type Destination = Pick<Config, 'data'> & { [K in 'database_url' | 's3' | 'secret_key']?: Config[K] }
export type Moved = { tables: number; rows: number; objects: number; read_only_ms: number; was_there: boolean }

type Moving = {
  config: Config
  database: Database
  log: Log
  /** Of the server that runs: whether it is to write. */
  pause(is_on: boolean): void
  signal: AbortSignal
}

/**
 * Takes the embedded database to PostgreSQL, and files to a bucket where the destination has one. Files come over while everything goes
 * on; then nothing is written until the rows have come over: whoever tries is told to come again, and devices keep what they have to
 * say. When it succeeds it stays so, and the data folder is marked; when it does not, all is as before.
 */
export async function move(moving: Moving, to: Destination): Promise<Moved> {
  const { config, database, signal, log } = moving
  if (!database.readOnly || config.database_url !== undefined)
    throw new OperatorFault('The database is PostgreSQL already: pg_dump and pg_restore take it elsewhere.')
  await assertFits(config, to)
  const url = to.database_url!
  const identity = await identityOf(database)
  if ((await lookAt(url, identity)) === 'moved') {
    await writeMark(config, url)
    return { tables: 0, rows: 0, objects: 0, read_only_ms: 0, was_there: true }
  }
  // The schema of this version, without a row.
  await (await openDatabase({ url, migrations, log })).close()
  const objects = await storesOf(config, to)
  let copied = await copyObjects(objects, signal)
  let is_over = false
  const began = performance.now()
  moving.pause(true)
  try {
    await database.readOnly(true)
    copied += await copyObjects(objects, signal)
    const rows = await copyDatabase(database, url, signal, { key: mark_key, value: { identity } })
    // From here on the rows there are the ones that count.
    is_over = true
    await writeMark(config, url)
    const read_only_ms = Math.round(performance.now() - began)
    return { ...rows, objects: copied, read_only_ms, was_there: false }
  } finally {
    if (!is_over) {
      await database
        .readOnly(false)
        .catch((error: unknown) => log.error({ err: error }, 'restart the server: its database is read-only'))
      moving.pause(false)
    }
  }
}

async function assertFits(config: Config, to: Destination): Promise<void> {
  if (to.database_url === undefined) throw new OperatorFault('The new settings have no DATABASE_URL.')
  if (to.data !== config.data)
    throw new OperatorFault(`MDM_DATA stays ${config.data}: the new settings say ${to.data}.`)
  if (config.s3 && to.s3?.url !== config.s3.url) throw new OperatorFault('MDM_S3_URL stays what it is.')
  const key =
    config.secret_key ?? (await readFile(join(config.data, 'secret.key'), 'utf8').catch(() => undefined))?.trim()
  if (to.secret_key !== undefined && key !== undefined && to.secret_key !== key)
    throw new OperatorFault(
      'MDM_SECRET_KEY of the new settings is not the key of this server (secret.key in MDM_DATA).',
    )
}

/** Which database it is, of all that there are. */
async function identityOf({ pool }: Database): Promise<string> {
  const { rows } = await pool.query<{ id: string }>('SELECT system_identifier::text AS id FROM pg_control_system()')
  return rows[0]!.id
}

/** Whether there is nothing in it, or this very database; whatever else there is stays untouched. */
async function lookAt(url: string, identity: string): Promise<'empty' | 'moved'> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
  try {
    await client.connect()
    const { rows } = await client.query<{ name: string }>(
      `SELECT tablename AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
    )
    const names = rows.map(({ name }) => name)
    if (names.length === 0) return 'empty'
    if (!names.includes('kysely_migration') || !names.includes('account') || !names.includes('setting'))
      throw new OperatorFault(`The new database has tables of something else (${names[0]}).`)
    const mark = await client.query<{ value: { identity?: string } }>('SELECT value FROM setting WHERE key = $1', [
      mark_key,
    ])
    if (mark.rows[0]?.value.identity === identity) return 'moved'
    const accounts = await client.query('SELECT FROM account LIMIT 1')
    if (accounts.rows.length > 0) throw new OperatorFault('The new database is that of another server.')
    return 'empty'
  } catch (error) {
    if (error instanceof OperatorFault) throw error
    throw new OperatorFault(`The new database cannot be reached: ${(error as Error).message}.`)
  } finally {
    await client.end().catch(() => {})
  }
}

type Stores = { from: ListedObjects; to: ListedObjects } | undefined

async function storesOf(config: Config, to: Destination): Promise<Stores> {
  if (!to.s3 || config.s3) return undefined
  return {
    from: await openObjects(config, scratch),
    to: await openObjects({ s3: to.s3, database_url: to.database_url, data: config.data }, scratch),
  }
}

/** Those that are not there yet; how many. Objects never change, so one of the same size and digest is the same. */
async function copyObjects(stores: Stores, signal: AbortSignal): Promise<number> {
  if (!stores) return 0
  const { from, to } = stores
  let count = 0
  for await (const key of from.keys()) {
    signal.throwIfAborted()
    try {
      const original = await from.info(key)
      const there = await to.info(key).catch(() => undefined)
      if (original && there?.size === original.size && there.sha256 === original.sha256) continue
      const put = await to.put(key, await from.read(key), Number.MAX_SAFE_INTEGER)
      if (original && put.sha256 !== original.sha256) throw new OperatorFault(`The file ${key} came over changed.`)
      count += 1
    } catch (error) {
      // An upload was taken back meanwhile.
      if (!(error instanceof ObjectMissing)) throw error
    }
  }
  return count
}

/** A server on the embedded database does not start any more: it would go on from what devices have said since to another one. */
async function writeMark({ data }: Config, url: string): Promise<void> {
  const { host, pathname } = new URL(url)
  const path = join(data, moved_name)
  await writeFile(`${path}.part`, `${JSON.stringify({ to: `${host}${pathname}`, at: new Date().toISOString() })}\n`, {
    mode: 0o600,
    flush: true,
  })
  await rename(`${path}.part`, path)
}
