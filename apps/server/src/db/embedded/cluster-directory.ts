import { access, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { unusable } from '../../lib/database-errors.ts'

/** The major version of PostgreSQL inside PGlite; its files can be read by no other. */
const major_version = '18'
const control_bytes = 8192
const control_magic_version = 1800

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  )

/**
 * Looks before PGlite does: PGlite takes a directory without PG_VERSION for an empty one and writes a new cluster
 * over the files that are left.
 * @returns 'absent' when a first boot is due
 */
export async function inspectCluster(data_dir: string): Promise<'absent' | 'present'> {
  const cluster = join(data_dir, 'cluster')
  if (await exists(firstBootMark(data_dir))) {
    // A first boot that did not end: nobody was ever told that anything is stored here.
    await rm(cluster, { recursive: true, force: true })
    await rm(firstBootMark(data_dir), { force: true })
  }
  const names = await readdir(cluster).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw damaged(cluster, error.message, error)
  })
  if (!names.length) return 'absent'
  const version = await readFile(join(cluster, 'PG_VERSION'), 'utf8').catch(() => undefined)
  if (version === undefined) throw damaged(cluster, 'PG_VERSION is missing')
  if (version.trim() !== major_version)
    throw unusable(
      `the embedded database in ${cluster} has the format of PostgreSQL ${version.trim().slice(0, 20)}, ` +
        `this program reads PostgreSQL ${major_version}. Nothing was changed.`,
    )
  await assertControlFile(cluster)
  for (const name of ['base', 'pg_wal', 'pg_xact', 'global/pg_filenode.map'])
    if (!(await exists(join(cluster, name)))) throw damaged(cluster, `${name} is missing`)
  const segments = (await readdir(join(cluster, 'pg_wal'))).filter((name) => /^[0-9A-F]{24}$/.test(name))
  if (!segments.length) throw damaged(cluster, 'pg_wal has no write-ahead log')
  return 'present'
}

async function assertControlFile(cluster: string) {
  const path = join(cluster, 'global', 'pg_control')
  const found = await stat(path).catch(() => undefined)
  if (found?.size !== control_bytes) throw damaged(cluster, `global/pg_control is ${found ? 'truncated' : 'missing'}`)
  const version = (await readFile(path)).readUInt32LE(8)
  if (version !== control_magic_version) throw damaged(cluster, 'global/pg_control is not a control file')
}

export const firstBootMark = (data_dir: string) => join(data_dir, 'first-boot-unfinished')
export const markFirstBoot = (data_dir: string) => writeFile(firstBootMark(data_dir), '')
export const endFirstBoot = (data_dir: string) => rm(firstBootMark(data_dir), { force: true })

const advice = 'put back a backup of the data directory, or start with another data directory.'

const damaged = (cluster: string, what: string, cause?: unknown) =>
  unusable(
    `the embedded database in ${cluster} is damaged (${what}). Its files were left as they are: ${advice}`,
    cause,
  )

/** PostgreSQL itself gave up on a cluster that looked whole. */
export const notOpened = (cluster: string, what: string) =>
  unusable(
    `the embedded database in ${cluster} cannot be opened, it is probably damaged (${what}). ` +
      `No table was repaired, changed or removed: ${advice}`,
  )

export const notCreated = (cluster: string, what: string) =>
  unusable(`the embedded database could not be created in ${cluster}: ${what}`)
