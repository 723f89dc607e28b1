import { createHash } from 'node:crypto'
import { cp, mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openDatabase } from '../db/client.ts'
import type { OpenOptions } from '../db/client.ts'
import { preparedImage } from '../db/embedded/image.ts'
import { migrations } from '../db/schema/migrations/index.ts'
import { partitionedTables } from '../db/schema/tables.ts'
import { ensurePartitions } from '../jobs/partitions.ts'
import { fakeClock } from '../lib/clock.ts'
import { newKid } from '../lib/ids.ts'
import { createLog } from '../lib/log.ts'
import { newMemory } from '../memory.ts'

const cache = fileURLToPath(new URL('../../../../node_modules/.cache/mdm-test-database', import.meta.url))
const day_ms = 24 * 3_600_000
let template: Promise<string> | undefined
/** A log that nobody reads. */
export const quiet = { info() {}, warn() {}, error() {} }

/**
 * Puts an embedded database with every migration and no rows at `data_dir`, ready to be opened: a copy of one that the
 * first test to need it has made. Creating and migrating it anew takes three times as long, and a hundred test files do.
 */
export async function placeDatabase(data_dir: string): Promise<void> {
  template ??= madeTemplate()
  await cp(await template, data_dir, { recursive: true })
}

/** Every migration, and the partitions of the months in which the clock of tests begins: making them takes a test 0.3 s. */
export async function makeTemplate(at: Pick<OpenOptions, 'url' | 'data_dir' | 'image'>): Promise<void> {
  const database = await openDatabase({ ...at, migrations, log: quiet, maintenance_every_ms: 0 })
  await ensurePartitions({
    database,
    db: database.kysely,
    clock: fakeClock(),
    log: createLog('silent'),
    memory: newMemory(),
  })
  await database.close()
}

async function madeTemplate(): Promise<string> {
  const place = join(cache, await fingerprint())
  if (await stat(place).catch(() => undefined)) return place
  await mkdir(cache, { recursive: true })
  for (const old of await readdir(cache)) {
    const { mtimeMs } = await stat(join(cache, old)).catch(() => ({ mtimeMs: Date.now() }))
    if (Date.now() - mtimeMs > day_ms) await rm(join(cache, old), { recursive: true, force: true })
  }
  const made = join(cache, newKid())
  await makeTemplate({ data_dir: made, ...preparedImage() })
  // Of several that make it at once, the first one's stays.
  await rename(made, place).catch(() => rm(made, { recursive: true, force: true }))
  return place
}

/** Of everything that decides what the template holds. */
async function fingerprint(): Promise<string> {
  const hash = createHash('sha256')
  const folder = fileURLToPath(new URL('../db/schema/migrations', import.meta.url))
  for (const name of (await readdir(folder)).sort()) hash.update(name).update(await readFile(join(folder, name)))
  hash.update(JSON.stringify([partitionedTables, fakeClock().now()]))
  const engine = fileURLToPath(new URL('../../../../node_modules/@electric-sql/pglite/package.json', import.meta.url))
  return hash
    .update(await readFile(engine))
    .digest('hex')
    .slice(0, 32)
}
