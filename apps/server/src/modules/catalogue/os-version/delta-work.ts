import { createWriteStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { OsBuild } from '@mdm/contract'
import { sql } from 'kysely'
import type { Selectable } from 'kysely'
import { isFree, withClaim } from '../../../db/claim.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import type { Deps } from '../../../deps.ts'
import type { SharedWork } from '../../../lib/background.ts'
import { refuse } from '../../../refusal.ts'
import { deltaInProcess } from '../../../workers/delta.ts'
import { failed, faultOf } from './package-work.ts'

type Row = Selectable<Tables['os_package']>
type Db = Pick<Deps, 'db'>['db']

const noted_ms = 1_000

const folderOf = (deps: Deps): string => join(deps.config.data, 'os-deltas')

/** Makes differences in the background, one at a time. What a server that is gone had begun is begun anew. */
export const osDeltas: SharedWork = { name: 'os_deltas', every_ms: 5_000, at_once: 1, run: makeOnce }

/** Another one that is being made is waited for: each takes a processor for minutes. */
function makeOnce(deps: Deps): Promise<boolean> {
  const none_is_made = sql`NOT EXISTS (SELECT 1 FROM os_package r WHERE r.state = 'making' AND r.worked_by IS NOT NULL
    AND NOT ${isFree(deps)})`
  const wanted = { states: ['making'], where: none_is_made, order: sql`r.created_at, r.kid`, set: sql`progress = 0` }
  return withClaim(deps, 'os_package', wanted, async ({ row, signal, set }) => {
    const noted = (error: unknown) =>
      signal.aborted || deps.log.warn({ err: error }, 'how far a difference is was not noted')
    try {
      await make(deps, row, signal, (progress) => void set({ progress }).then(() => tell(deps, row), noted))
    } catch (error) {
      const fault = faultOf(error)
      // Removed meanwhile: nobody asks what became of it.
      if (!signal.aborted) {
        if (!fault) throw error
        await failed(deps, row, fault)
      }
    }
    tell(deps, row)
  })
}

const tell = (deps: Deps, { os_version_kid }: Row): void =>
  deps.live.publish(null, { type: 'os_version', kid: os_version_kid })

export type Full = { kid: string; object: string; size: number; sha256: string }
/** The full package of a version, of which differences can be made. @throws `os_full_missing` */
export async function fullOf(db: Db, kid: string | null, { os_version }: Pick<OsBuild, 'os_version'>): Promise<Full> {
  const found = await db
    .selectFrom('os_package')
    .select(['kid', 'object', 'size', 'sha256'])
    .where('os_version_kid', '=', kid)
    .where('from_build', 'is', null)
    .where('format', '=', 'zip')
    .where('state', '=', 'ready')
    .executeTakeFirst()
  return found ? (found as Full) : refuse('os_full_missing', { os_version })
}

async function make(deps: Deps, row: Row, signal: AbortSignal, on_progress: (percent: number) => void): Promise<void> {
  const version = await deps.db
    .selectFrom('os_version')
    .select('os_version')
    .where('kid', '=', row.os_version_kid)
    .executeTakeFirst()
  if (!version) return
  const to = await fullOf(deps.db, row.os_version_kid, version)
  // Finished by a server that died before it could say so.
  const stored = (await deps.objects.info(row.kid)) ?? (await makeObject(deps, row, to, signal, on_progress))
  const done = await deps.db
    .updateTable('os_package')
    .set({
      state: 'ready',
      object: row.kid,
      ...stored,
      received: stored.size,
      progress: 100,
      fault: null,
    })
    .where('kid', '=', row.kid)
    .where('state', '=', 'making')
    // It leads to this very package.
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('os_package as full')
          .select('full.kid')
          .where('full.kid', '=', to.kid)
          .where('full.sha256', '=', to.sha256),
      ),
    )
    .executeTakeFirstOrThrow()
  if (done.numUpdatedRows === 0n) await deps.objects.delete(row.kid)
}

async function makeObject(deps: Deps, row: Row, to: Full, signal: AbortSignal, on_progress: (percent: number) => void) {
  const from = await fullOf(deps.db, row.from_kid, row.from_build!)
  const folder = join(folderOf(deps), row.kid)
  // Another attempt may have left something.
  await rm(folder, { recursive: true, force: true })
  await mkdir(join(folder, 'work'), { recursive: true, mode: 0o700 })
  try {
    const [old_zip, new_zip, out] = [join(folder, 'old.zip'), join(folder, 'new.zip'), join(folder, 'out.zip')]
    await copy(deps, from, old_zip, signal)
    await copy(deps, to, new_zip, signal)
    let noted = -noted_ms
    await deltaInProcess(deps, {
      from: old_zip,
      to: new_zip,
      folder: join(folder, 'work'),
      out,
      bytes: from.size + to.size,
      signal,
      on_progress(percent) {
        const now = deps.clock.elapsed()
        if (now - noted < noted_ms) return
        noted = now
        on_progress(percent)
      },
    })
    return await deps.objects.adopt(row.kid, out)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const copy = async (deps: Deps, { object }: Full, path: string, signal: AbortSignal): Promise<void> =>
  pipeline(await deps.objects.read(object), createWriteStream(path, { mode: 0o600 }), { signal })
