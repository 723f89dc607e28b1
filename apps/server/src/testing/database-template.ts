import { createHash } from 'node:crypto'
import { cp, mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { newKid } from '../lib/ids.ts'
import { openDatabase } from '../db/client.ts'
import { preparedImage } from '../db/embedded/image.ts'
import { migrations } from '../db/schema/migrations/index.ts'

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

async function madeTemplate(): Promise<string> {
  const place = join(cache, await fingerprint())
  if (await stat(place).catch(() => undefined)) return place
  await mkdir(cache, { recursive: true })
  for (const old of await readdir(cache)) {
    const { mtimeMs } = await stat(join(cache, old)).catch(() => ({ mtimeMs: Date.now() }))
    if (Date.now() - mtimeMs > day_ms) await rm(join(cache, old), { recursive: true, force: true })
  }
  const made = join(cache, newKid())
  const database = await openDatabase({
    data_dir: made,
    ...preparedImage(),
    migrations,
    log: quiet,
    maintenance_every_ms: 0,
  })
  await database.close()
  // Of several that make it at once, the first one's stays.
  await rename(made, place).catch(() => rm(made, { recursive: true, force: true }))
  return place
}

/** Of everything that decides what the template holds. */
async function fingerprint(): Promise<string> {
  const hash = createHash('sha256')
  const folder = fileURLToPath(new URL('../db/schema/migrations', import.meta.url))
  for (const name of (await readdir(folder)).sort()) hash.update(name).update(await readFile(join(folder, name)))
  const engine = fileURLToPath(new URL('../../../../node_modules/@electric-sql/pglite/package.json', import.meta.url))
  return hash
    .update(await readFile(engine))
    .digest('hex')
    .slice(0, 32)
}
