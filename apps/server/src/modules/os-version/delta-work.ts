import { createWriteStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { OsBuild } from '@mdm/contract'
import { sql } from 'kysely'
import type { Selectable } from 'kysely'
import type { Tables } from '../../db/schema/tables.ts'
import type { Deps } from '../../deps.ts'
import { backgroundWork } from '../../lib/background.ts'
import { refuse } from '../../refusal.ts'
import { deltaInProcess } from '../../workers/delta.ts'
import { failed, faultOf } from './package-work.ts'

type Row = Selectable<Tables['os_package']>
type Db = Pick<Deps, 'db'>['db']

/** So long another server believes the one that makes a difference alive. */
const lease_ms = 60_000
const noted_ms = 1_000

const folderOf = (deps: Deps): string => join(deps.config.data, 'os-deltas')

/** Makes differences in the background, one at a time. What a server that is gone had begun is begun anew. */
export const wakeDeltas = backgroundWork('os differences', makeOnce)

async function makeOnce(deps: Deps): Promise<boolean> {
  const row = await claim(deps)
  if (!row) return false
  const left = new AbortController()
  const note = (more: { progress?: number } = {}) =>
    renew(deps, row.kid, more).then(
      (is_wanted) => {
        if (!is_wanted) left.abort()
        else if (more.progress !== undefined) tell(deps, row)
      },
      (error: unknown) => deps.log.warn({ err: error }, 'how far a difference is was not noted'),
    )
  const beat = deps.clock.every(lease_ms / 3, () => void note())
  try {
    await make(deps, row, left.signal, (progress) => void note({ progress }))
  } catch (error) {
    const fault = faultOf(error)
    // Removed meanwhile: nobody asks what became of it.
    if (!left.signal.aborted) {
      if (!fault) throw error
      await failed(deps, row, fault)
    }
  } finally {
    beat()
  }
  tell(deps, row)
  return true
}

const tell = (deps: Deps, { os_version_kid }: Row): void =>
  deps.live.publish(null, { type: 'os_version', kid: os_version_kid })

/** Another one that is being made is waited for: each takes a processor for minutes. */
async function claim(deps: Deps): Promise<Row | undefined> {
  const now = deps.clock.now()
  const { rows } = await sql<Row>`
    UPDATE os_package SET worked_until = ${new Date(now.getTime() + lease_ms)}, progress = 0 WHERE kid = (
      SELECT kid FROM os_package WHERE state = 'making' AND (worked_until IS NULL OR worked_until < ${now})
        AND NOT EXISTS (SELECT 1 FROM os_package busy WHERE busy.state = 'making' AND busy.worked_until >= ${now})
      ORDER BY created_at, kid LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING *
  `.execute(deps.db)
  return rows[0]
}

/** Says whether it is still wanted. */
async function renew(deps: Deps, kid: string, more: { progress?: number }): Promise<boolean> {
  const { numUpdatedRows } = await deps.db
    .updateTable('os_package')
    .set({ worked_until: new Date(deps.clock.now().getTime() + lease_ms), ...more })
    .where('kid', '=', kid)
    .where('state', '=', 'making')
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

export type Full = { kid: string; object: string; size: number; sha256: string }
/** The full package of a version. @throws `os_full_missing` */
export async function fullOf(db: Db, kid: string | null, { os_version }: Pick<OsBuild, 'os_version'>): Promise<Full> {
  const found = await db
    .selectFrom('os_package')
    .select(['kid', 'object', 'size', 'sha256'])
    .where('os_version_kid', '=', kid)
    .where('from_build', 'is', null)
    .where('state', '=', 'ready')
    .executeTakeFirst()
  return found ? (found as Full) : refuse('os_full_missing', { os_version })
}

async function make(deps: Deps, row: Row, left: AbortSignal, on_progress: (percent: number) => void): Promise<void> {
  const version = await deps.db
    .selectFrom('os_version')
    .select('os_version')
    .where('kid', '=', row.os_version_kid)
    .executeTakeFirst()
  if (!version) return
  const to = await fullOf(deps.db, row.os_version_kid, version)
  // Finished by a server that died before it could say so.
  const stored = (await deps.objects.info(row.kid)) ?? (await makeObject(deps, row, to, left, on_progress))
  const done = await deps.db
    .updateTable('os_package')
    .set({
      state: 'ready',
      object: row.kid,
      ...stored,
      received: stored.size,
      progress: 100,
      fault: null,
      worked_until: null,
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

async function makeObject(deps: Deps, row: Row, to: Full, left: AbortSignal, on_progress: (percent: number) => void) {
  const from = await fullOf(deps.db, row.from_kid, row.from_build!)
  const folder = join(folderOf(deps), row.kid)
  // Another attempt may have left something.
  await rm(folder, { recursive: true, force: true })
  await mkdir(join(folder, 'work'), { recursive: true, mode: 0o700 })
  try {
    const [old_zip, new_zip, out] = [join(folder, 'old.zip'), join(folder, 'new.zip'), join(folder, 'out.zip')]
    await copy(deps, from, old_zip, left)
    await copy(deps, to, new_zip, left)
    let noted = -noted_ms
    await deltaInProcess(deps, {
      from: old_zip,
      to: new_zip,
      folder: join(folder, 'work'),
      out,
      bytes: from.size + to.size,
      left,
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
