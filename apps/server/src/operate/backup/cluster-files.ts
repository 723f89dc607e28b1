import { createReadStream } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { EndedBackup } from '../asks.ts'
import { OperatorFault } from '../fault.ts'
import type { RecordWriter } from './records.ts'

/** Where the files of the embedded database stand in a backup. */
export const cluster_prefix = 'database/'
const control_file = 'global/pg_control'
const wal_folder = 'pg_wal/'
/** Of a run: they mean nothing to another. */
const of_a_run = /^(postmaster\.(pid|opts)|pg_stat_tmp\/.*|(.*\/)?pgsql_tmp.*)$/

/**
 * Writes the files of a cluster that may be at work: what its log needs to put right is put right by the log, of which `end` says
 * how far it goes. A cluster at rest has no end to be told.
 */
export async function writeCluster(
  records: RecordWriter,
  cluster: string,
  end: () => Promise<EndedBackup | undefined>,
): Promise<void> {
  const all = await pathsBelow(cluster)
  const wal = (path: string) => path.startsWith(wal_folder) && !path.endsWith('/')
  const now = all.filter((path) => !wal(path) && path !== control_file && !of_a_run.test(path))
  for (const path of [...now, control_file]) await copy(records, cluster, path)
  const ended = await end()
  const segments = (await readdir(join(cluster, wal_folder))).filter((name) => /^[0-9A-F]{24}$/.test(name)).toSorted()
  const needed = ended ? segments.filter((name) => name >= ended.first_wal && name <= ended.last_wal) : segments
  if (ended && (needed[0] !== ended.first_wal || needed.at(-1) !== ended.last_wal))
    throw new OperatorFault('The log of the database was shortened meanwhile: begin the backup again.')
  for (const name of needed) await copy(records, cluster, `${wal_folder}${name}`)
  if (ended) await records.file(`${cluster_prefix}backup_label`, [Buffer.from(ended.label)])
}

/** Folders end with a slash. */
async function pathsBelow(cluster: string): Promise<string[]> {
  const found: string[] = []
  const walk = async (folder: string): Promise<void> => {
    for (const entry of await readdir(join(cluster, folder), { withFileTypes: true })) {
      const path = `${folder}${entry.name}`
      if (entry.isDirectory()) {
        found.push(`${path}/`)
        await walk(`${path}/`)
      } else if (entry.isFile()) found.push(path)
    }
  }
  await walk('')
  return found.toSorted()
}

/** A table that was dropped meanwhile is gone from its log as well. */
async function copy(records: RecordWriter, cluster: string, path: string): Promise<void> {
  if (path.endsWith('/')) return records.file(`${cluster_prefix}${path}`, [])
  const content = createReadStream(join(cluster, path), { highWaterMark: 1024 * 1024 })
  const opened = await new Promise<boolean>((done, failed) => {
    content.once('open', () => done(true))
    content.once('error', (error: NodeJS.ErrnoException) => (error.code === 'ENOENT' ? done(false) : failed(error)))
  })
  if (opened) await records.file(`${cluster_prefix}${path}`, content)
}
