import { createWriteStream } from 'node:fs'
import { chmod, mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import pg from 'pg'
import type { Config } from '../../config.ts'
import { lockDirectory } from '../../db/embedded/directory-lock.ts'
import { migrations } from '../../db/schema/migrations/index.ts'
import { isObjectKey } from '../../files/object-bytes.ts'
import type { ListedObjects } from '../../files/object-store.ts'
import { openObjects } from '../../files/open-objects.ts'
import type { Log } from '../../lib/log.ts'
import { assertSafe } from '../../safety.ts'
import { runningServer } from '../ask-server.ts'
import { OperatorFault } from '../fault.ts'
import { about_name, key_name, object_prefix, readAbout, readBackup } from './backup.ts'
import { cluster_prefix } from './cluster-files.ts'
import { dump_name, restoreDump } from './pg-programs.ts'
import type { About, Totals } from './records.ts'

const scratch = 'of-restore'
export type Restored = Totals & { about: About; objects: number; has_key: boolean }

/**
 * Puts a backup where there is nothing yet. Nothing of it stays when it does not succeed: files get their names at the end, a dump is
 * one transaction, and objects that were put are deleted again.
 */
export async function restore(config: Config, path: string, passphrase: string, log: Log): Promise<Restored> {
  await assertSafe(config, log)
  await assertNothingThere(config)
  const folder = join(config.data, 'db')
  const lock = config.database_url === undefined ? await lockDirectory(folder) : undefined
  const beside = join(config.data, 'restoring')
  await rm(beside, { recursive: true, force: true })
  await mkdir(beside, { mode: 0o700 })
  const objects = await openObjects(config, scratch)
  const put: string[] = []
  try {
    const found = await readAll({ config, path, passphrase, beside, objects, put })
    if (config.database_url === undefined) await rename(join(beside, 'cluster'), join(folder, 'cluster'))
    if (found.has_key && config.secret_key === undefined)
      await rename(join(beside, key_name), join(config.data, key_name))
    return { ...found, objects: put.length }
  } catch (error) {
    for (const key of put) await objects.delete(key).catch(() => {})
    throw error
  } finally {
    for (const path of [beside, join(config.data, 'objects', scratch)]) await rm(path, { recursive: true, force: true })
    await lock?.release()
  }
}

type Work = {
  config: Config
  path: string
  passphrase: string
  beside: string
  objects: ListedObjects
  put: string[]
}

async function readAll({ config, path, passphrase, beside, objects, put }: Work) {
  let about: About | undefined
  let has_key = false
  let has_database = false
  const totals = await readBackup(path, passphrase, async (name, content) => {
    if (name === about_name) {
      about = await readAbout(content)
      assertFits(about, config)
    } else if (about === undefined) throw new OperatorFault('The backup does not say what it is of.')
    else if (name === key_name) {
      has_key = true
      await write(join(beside, key_name), content)
    } else if (name === dump_name && config.database_url !== undefined) {
      has_database = true
      await restoreDump(config.database_url, content)
    } else if (name.startsWith(cluster_prefix)) {
      has_database = true
      await placeClusterFile(join(beside, 'cluster'), name.slice(cluster_prefix.length), content)
    } else if (name.startsWith(object_prefix) && isObjectKey(name.slice(object_prefix.length))) {
      const key = name.slice(object_prefix.length)
      put.push(key)
      await objects.put(key, Readable.from(content), Number.MAX_SAFE_INTEGER)
    } else throw new OperatorFault(`The backup has a file that belongs nowhere: ${name}.`)
  })
  if (!about || !has_database) throw new OperatorFault(`${path} has no database in it.`)
  return { ...totals, about, has_key }
}

function assertFits(about: About, { database_url }: Config): void {
  const wanted = database_url === undefined ? 'embedded' : 'postgres'
  if (about.database !== wanted)
    throw new OperatorFault(
      about.database === 'postgres'
        ? 'The backup is of PostgreSQL: set DATABASE_URL to an empty database.'
        : 'The backup is of the embedded database: it cannot go into the PostgreSQL of DATABASE_URL.',
    )
  if (about.migration !== null && !(about.migration in migrations))
    throw new OperatorFault(
      `The backup is of version ${about.version}, which is newer than this one: use that version.`,
    )
}

async function placeClusterFile(cluster: string, path: string, content: AsyncIterable<Buffer>): Promise<void> {
  const parts = path.split('/')
  const is_folder = parts.at(-1) === ''
  if (is_folder) parts.pop()
  if (parts.some((part) => !/^[A-Za-z0-9_][A-Za-z0-9_.-]*$/.test(part)))
    throw new OperatorFault(`The backup has a file that belongs nowhere: ${path}.`)
  const target = join(cluster, ...parts)
  await mkdir(is_folder ? target : dirname(target), { recursive: true, mode: 0o700 })
  if (is_folder) for await (const _piece of content);
  else await write(target, content)
}

async function write(path: string, content: AsyncIterable<Buffer>): Promise<void> {
  await pipeline(Readable.from(content), createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }))
  await chmod(path, 0o600)
}

async function assertNothingThere(config: Config): Promise<void> {
  const running = await runningServer(config.data)
  running?.close()
  if (running) throw new OperatorFault(`A server runs on ${config.data}: stop it first.`)
  const aside = 'A backup is only put where there is nothing: move it aside first.'
  if (config.database_url !== undefined) await assertEmptyDatabase(config.database_url, aside)
  else {
    const cluster = join(config.data, 'db/cluster')
    if ((await readdir(cluster).catch(() => [])).length > 0)
      throw new OperatorFault(`There is a database in ${cluster}. ${aside}`)
    await rm(cluster, { recursive: true, force: true })
  }
  if (config.secret_key === undefined && (await stat(join(config.data, key_name)).catch(() => undefined)))
    throw new OperatorFault(`There is a ${join(config.data, key_name)}. ${aside}`)
  for await (const _key of (await openObjects(config, scratch)).keys())
    throw new OperatorFault(`There are files in ${config.s3?.url ?? join(config.data, 'objects')}. ${aside}`)
}

async function assertEmptyDatabase(url: string, aside: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
  try {
    await client.connect()
    const { rows } = await client.query<{ name: string }>(
      `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
       WHERE schemaname NOT IN ('pg_catalog', 'information_schema') LIMIT 1`,
    )
    if (rows[0]) throw new OperatorFault(`The database of DATABASE_URL has tables (${rows[0].name}). ${aside}`)
  } catch (error) {
    if (error instanceof OperatorFault) throw error
    throw new OperatorFault(`The database of DATABASE_URL cannot be reached: ${(error as Error).message}.`)
  } finally {
    await client.end().catch(() => {})
  }
}
