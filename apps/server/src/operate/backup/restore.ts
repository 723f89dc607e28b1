import { createWriteStream } from 'node:fs'
import { chmod, mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Config } from '../../config.ts'
import { firstBootMark } from '../../db/embedded/cluster-directory.ts'
import { lockDirectory } from '../../db/embedded/directory-lock.ts'
import { migrations } from '../../db/schema/migrations/index.ts'
import { isObjectKey, writeDigested } from '../../files/object-bytes.ts'
import type { ListedObjects } from '../../files/object-store.ts'
import { openObjects } from '../../files/open-objects.ts'
import { newKid } from '../../lib/ids.ts'
import type { Log } from '../../lib/log.ts'
import { assertSafe } from '../../safety.ts'
import { runningServer } from '../ask-server.ts'
import { OperatorFault } from '../fault.ts'
import { about_name, key_name, object_prefix, readAbout, readBackup } from './backup.ts'
import { cluster_prefix } from './cluster-files.ts'
import { dump_name, kept_prefix, readDump } from './pg-programs.ts'
import type { OpenRestore } from './pg-programs.ts'
import { assertEmptyDatabase, assertMaySetAside, settingAside, whileNobodyStarts } from './postgres-target.ts'
import type { About, Totals } from './records.ts'

const scratch = 'of-restore'
export type Restored = Totals & {
  about: About
  objects: number
  has_key: boolean
  /** Where is what was there before. */
  kept: string[]
}
type Options = {
  /** Whether what is there is kept under another name; else there has to be nothing. */
  is_aside?: boolean
  now?: Date
}

/**
 * Puts a backup where there is nothing, or in the place of what is there. When it does not succeed all is as before: a dump is a
 * transaction that ends last, objects that were put are deleted again, and what was moved aside is moved back.
 */
export async function restore(
  config: Config,
  path: string,
  passphrase: string,
  log: Log,
  { is_aside = false, now = new Date() }: Options = {},
): Promise<Restored> {
  await assertSafe(config, log)
  await assertStopped(config)
  const aside = is_aside ? `${kept_prefix}${now.toISOString().replaceAll(/\D/g, '')}` : undefined
  const { database_url: url } = config
  if (url !== undefined)
    return whileNobodyStarts(url, log, async (signal) => {
      await (aside === undefined ? assertNothingThere(config) : assertMaySetAside(url))
      return putBack({ config, path, passphrase, aside, signal })
    })
  if (aside === undefined) await assertNothingThere(config)
  const lock = await lockDirectory(join(config.data, 'db'))
  try {
    return await putBack({ config, path, passphrase, aside })
  } finally {
    await lock.release()
  }
}

type Wanted = {
  config: Config
  path: string
  passphrase: string
  aside: string | undefined
  /** Aborts when a server may start all the same. */
  signal?: AbortSignal
}

async function putBack({ config, path, passphrase, aside, signal }: Wanted): Promise<Restored> {
  const beside = join(config.data, 'restoring')
  await rm(beside, { recursive: true, force: true })
  await mkdir(beside, { mode: 0o700 })
  const moved = aside === undefined ? undefined : asideOf(config, aside)
  const put: string[] = []
  let objects: ListedObjects | undefined
  let dump: OpenRestore | undefined
  try {
    await moved?.move()
    const store = (objects = await openObjects(config, scratch))
    const into = { config, path, passphrase, beside, objects: store, put, aside }
    const found = await readAll(into, (open) => (dump = open))
    if (config.database_url === undefined) await rename(join(beside, 'cluster'), join(config.data, 'db/cluster'))
    if (found.has_key && config.secret_key === undefined)
      await rename(join(beside, key_name), join(config.data, key_name))
    signal?.throwIfAborted()
    await dump?.commit()
    const kept = [...(moved?.names() ?? []), ...(dump && aside ? [`the schema ${aside} of the database`] : [])]
    return { ...found, objects: put.length, kept }
  } catch (error) {
    dump?.abandon()
    for (const key of put) await objects?.delete(key).catch(() => {})
    await moved?.moveBack(error as Error)
    throw error
  } finally {
    for (const path of [beside, join(config.data, 'objects', scratch)]) await rm(path, { recursive: true, force: true })
  }
}

/** The files below MDM_DATA that a backup has, and the folder in which they are kept meanwhile. */
function asideOf({ data, s3, secret_key }: Config, name: string) {
  const folder = join(data, name)
  const own = ['db/cluster', relative(data, firstBootMark(join(data, 'db')))]
  const wanted = [...own, ...(s3 ? [] : ['objects']), ...(secret_key === undefined ? [key_name] : [])]
  const moved: string[] = []
  return {
    names: () => (moved.length > 0 ? [folder] : []),
    async move() {
      for (const each of wanted) {
        if (!(await stat(join(data, each)).catch(() => undefined))) continue
        await mkdir(dirname(join(folder, each)), { recursive: true, mode: 0o700 })
        await rename(join(data, each), join(folder, each)).catch((error: NodeJS.ErrnoException) => {
          throw new OperatorFault(`${join(data, each)} cannot be moved to ${folder} (${error.code ?? error.message}).`)
        })
        moved.push(each)
      }
    },
    async moveBack(because: Error) {
      try {
        for (const each of moved) {
          await rm(join(data, each), { recursive: true, force: true })
          await rename(join(folder, each), join(data, each))
        }
        await rm(folder, { recursive: true, force: true })
      } catch (error) {
        throw new OperatorFault(
          `${because.message} What was there is in ${folder}, and could not be moved back (${(error as Error).message}).`,
        )
      }
    },
  }
}

type Work = {
  config: Config
  path: string
  passphrase: string
  beside: string
  objects: ListedObjects
  put: string[]
  aside: string | undefined
}

async function readAll(work: Work, opened: (dump: OpenRestore) => void) {
  const { config, path, passphrase, beside, aside } = work
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
      opened(await readDump(config.database_url, content, aside === undefined ? undefined : settingAside(aside)))
    } else if (name.startsWith(cluster_prefix)) {
      has_database = true
      await placeClusterFile(join(beside, 'cluster'), name.slice(cluster_prefix.length), content)
    } else if (name.startsWith(object_prefix) && isObjectKey(name.slice(object_prefix.length))) {
      await putObject(work, name.slice(object_prefix.length), content)
    } else throw new OperatorFault(`The backup has a file that belongs nowhere: ${name}.`)
  })
  if (!about || !has_database) throw new OperatorFault(`${path} has no database in it.`)
  return { ...totals, about, has_key }
}

/** Objects never change: one that is there with the same digest is the same. One that is not gone is not deleted by a failure either. */
async function putObject({ config, objects, put }: Work, key: string, content: AsyncIterable<Buffer>): Promise<void> {
  const path = join(config.data, 'objects', scratch, newKid())
  const info = await writeDigested(path, Readable.from(content), Number.MAX_SAFE_INTEGER)
  const there = await objects.info(key)
  if (there?.sha256 === info.sha256) return rm(path)
  if (!there) put.push(key)
  await objects.adopt(key, path, info)
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

async function assertStopped({ data }: Config): Promise<void> {
  const running = await runningServer(data)
  running?.close()
  if (running) throw new OperatorFault(`A server runs on ${data}: stop it first.`)
}

async function assertNothingThere(config: Config): Promise<void> {
  const aside = 'A backup is only put where there is nothing: move it aside first, or let --aside do so.'
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
