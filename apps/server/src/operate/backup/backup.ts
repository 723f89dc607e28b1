import { createReadStream } from 'node:fs'
import { open, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createGunzip, createGzip } from 'node:zlib'
import type { Config } from '../../config.ts'
import { inspectCluster } from '../../db/embedded/cluster-directory.ts'
import { lockDirectory } from '../../db/embedded/directory-lock.ts'
import { migrations } from '../../db/schema/migrations/index.ts'
import { ObjectMissing } from '../../files/object-store.ts'
import { openObjects } from '../../files/open-objects.ts'
import type { EndedBackup } from '../asks.ts'
import { runningServer } from '../ask-server.ts'
import { OperatorFault } from '../fault.ts'
import { serverVersion } from '../../lib/version.ts'
import { cluster_prefix, writeCluster } from './cluster-files.ts'
import { dump_name, dumpOf } from './pg-programs.ts'
import { isDatabaseOf } from './postgres-target.ts'
import { About, readRecords, RecordWriter } from './records.ts'
import type { Totals } from './records.ts'
import { sealing, unsealed } from './sealed-file.ts'

export const about_name = 'about.json'
export const key_name = 'secret.key'
export const object_prefix = 'objects/'
type Made = Totals & { size: number; objects: number; was_running: boolean }

/** Writes everything that a server needs to be itself again into `path`. The server may run meanwhile. */
export async function backup(config: Config, path: string, passphrase: string, now = new Date()): Promise<Made> {
  if (await stat(path).catch(() => undefined)) throw new OperatorFault(`${path} is there already.`)
  const running = await runningServer(config.data)
  // Beside a running server nobody else touches the files of its database; without one nobody may begin to.
  const lock = running || config.database_url !== undefined ? undefined : await lockDirectory(join(config.data, 'db'))
  const part = `${path}.part`
  const unwritable = (error: unknown) =>
    new OperatorFault(`${part} cannot be written (${(error as NodeJS.ErrnoException).code ?? String(error)}).`)
  const target = await open(part, 'wx', 0o600).catch(async (error: unknown) => {
    running?.close()
    await lock?.release()
    throw unwritable(error)
  })
  try {
    const source = new PassThrough({ highWaterMark: 4 * 1024 * 1024 })
    const written = pipeline(
      source,
      createGzip({ level: constants.Z_BEST_SPEED }),
      await sealing(passphrase, now),
      target.createWriteStream({ flush: true }),
    ).catch((error: unknown) => {
      throw unwritable(error)
    })
    const records = new RecordWriter(async (bytes) => {
      if (!source.write(bytes)) await Promise.race([new Promise((drained) => source.once('drain', drained)), written])
    })
    const { objects } = await Promise.race([
      writeAll(config, records, running, now).catch((error: unknown) => {
        source.destroy(error as Error)
        throw error
      }),
      // What cannot be written any more ends the reading as well.
      written.then(() => ({ objects: 0 })),
    ])
    source.end()
    await written
    await rename(part, path)
    const { size } = await stat(path)
    // The file is whole, whether or not somebody can read so.
    await running?.ask({ ask: 'note_backup', bytes: size, files: records.totals.files }).catch(() => {})
    return { ...records.totals, size, objects, was_running: running !== undefined }
  } catch (error) {
    await rm(part, { force: true })
    throw error
  } finally {
    running?.close()
    await lock?.release()
  }
}

async function writeAll(
  config: Config,
  records: RecordWriter,
  running: Awaited<ReturnType<typeof runningServer>>,
  now: Date,
): Promise<{ objects: number }> {
  const database = config.database_url === undefined ? ('embedded' as const) : ('postgres' as const)
  if (running) {
    const begun = await running.ask({ ask: 'begin_backup' })
    if (begun.database !== database)
      throw new OperatorFault(`The server here has another database than these settings: ${begun.database}.`)
    const { node_kid } = await running.ask({ ask: 'state' })
    if (config.database_url !== undefined && !(await isDatabaseOf(config.database_url, node_kid)))
      throw new OperatorFault('The server here works on another database than that of DATABASE_URL.')
  }
  const about: About = {
    version: serverVersion(),
    made_at: now.toISOString(),
    database,
    migration: Object.keys(migrations).at(-1) ?? null,
  }
  await records.file(about_name, [Buffer.from(JSON.stringify(about))])
  const key = join(config.data, key_name)
  if (await stat(key).catch(() => undefined)) await records.file(key_name, createReadStream(key))
  if (config.database_url !== undefined) await records.file(dump_name, dumpOf(config.database_url))
  else {
    const folder = join(config.data, 'db')
    if (!running && (await inspectCluster(folder)) === 'absent')
      throw new OperatorFault(`There is no database in ${config.data}: is MDM_DATA right?`)
    const end = async (): Promise<EndedBackup | undefined> => {
      const ended = await running?.ask({ ask: 'end_backup' })
      return ended?.label == null ? undefined : ended
    }
    await writeCluster(records, join(folder, 'cluster'), end)
  }
  // After the database: what it knows is there, since nothing is deleted while the server is told that a backup runs.
  const objects = await writeObjects(config, records)
  await records.end()
  return { objects }
}

const scratch = 'of-backup'

async function writeObjects(config: Config, records: RecordWriter): Promise<number> {
  const store = await openObjects(config, scratch)
  let count = 0
  for await (const key of store.keys())
    try {
      await records.file(`${object_prefix}${key}`, await store.read(key))
      count += 1
    } catch (error) {
      // Another server of the same bucket has deleted it, or an upload was taken back.
      if (!(error instanceof ObjectMissing)) throw error
    }
  await rm(join(config.data, 'objects', scratch), { recursive: true, force: true })
  return count
}

/** Reads a whole backup, each file of which goes to `take`. */
export async function readBackup(
  path: string,
  passphrase: string,
  take: (name: string, content: AsyncIterable<Buffer>) => Promise<void>,
): Promise<Totals> {
  let totals: Totals | undefined
  await pipeline(Readable.from(unsealed(path, passphrase)), createGunzip(), async (plain: AsyncIterable<Buffer>) => {
    totals = await readRecords(plain, take)
  })
  return totals!
}

export async function readAbout(content: AsyncIterable<Buffer>): Promise<About> {
  const parts: Buffer[] = []
  for await (const piece of content) parts.push(piece)
  const { data } = About.safeParse(JSON.parse(Buffer.concat(parts).toString('utf8')))
  if (!data) throw new OperatorFault('The backup is of a newer release: use that one.')
  return data
}

/** Reads all of a backup and keeps nothing: every hash, every count, and that it has a database. */
export async function verify(path: string, passphrase: string): Promise<Totals & { about: About; objects: number }> {
  let about: About | undefined
  let objects = 0
  let has_database = false
  const totals = await readBackup(path, passphrase, async (name, content) => {
    if (name === about_name) return void (about = await readAbout(content))
    has_database ||= name === dump_name || name === `${cluster_prefix}PG_VERSION`
    if (name.startsWith(object_prefix)) objects += 1
    for await (const _piece of content);
  })
  if (!about || !has_database) throw new OperatorFault(`${path} has no database in it.`)
  return { ...totals, about, objects }
}
