import { sql } from 'kysely'
import type { Selectable } from 'kysely'
import type { Tables } from '../../db/schema/tables.ts'
import type { Deps } from '../../deps.ts'
import { objectSource } from '../../files/object-store.ts'
import { backgroundWork } from '../../lib/background.ts'
import { Refusal } from '../../refusal.ts'
import { inWorker } from '../../workers/service.ts'

type Row = Selectable<Tables['oscs_file']>
/** So long another server believes the one that reads a file alive. */
const lease_ms = 60_000

/** Reads files of models and base versions in the background: what a server that is gone had begun is begun anew. */
export const wakeFiles = backgroundWork('files of base versions', workOnce)

async function workOnce(deps: Deps): Promise<boolean> {
  const row = await claim(deps)
  if (!row) return false
  const stop = deps.clock.every(lease_ms / 3, () => lease(deps, row.kid))
  try {
    await inWorker(deps, 'os_package', {}, objectSource(deps.objects, row.object, row.size), {
      account_kid: row.kid,
      user_kid: row.created_by_kid,
    })
    await end(deps, row.kid, { state: 'ready', fault: null })
  } catch (error) {
    if (!(error instanceof Refusal) || error.refusal === 'unavailable' || error.refusal === 'too_many_requests')
      throw error
    const { refusal: name, details } = error
    await end(deps, row.kid, { state: 'failed', fault: JSON.stringify({ name, details }) })
  } finally {
    stop()
  }
  deps.live.publish(null, { type: 'oscs_changed' })
  return true
}

async function claim(deps: Deps): Promise<Row | undefined> {
  const now = deps.clock.now()
  const { rows } = await sql<Row>`
    UPDATE oscs_file SET worked_until = ${new Date(now.getTime() + lease_ms)} WHERE kid = (
      SELECT kid FROM oscs_file WHERE state = 'checking' AND (worked_until IS NULL OR worked_until < ${now})
      ORDER BY created_at LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING *
  `.execute(deps.db)
  return rows[0]
}

const lease = async (deps: Deps, kid: string): Promise<void> =>
  void (await deps.db
    .updateTable('oscs_file')
    .set({ worked_until: new Date(deps.clock.now().getTime() + lease_ms) })
    .where('kid', '=', kid)
    .execute())

const end = (deps: Deps, kid: string, set: { state: 'ready' | 'failed'; fault: string | null }) =>
  deps.db
    .updateTable('oscs_file')
    .set({ ...set, worked_until: null })
    .where('kid', '=', kid)
    .where('state', '=', 'checking')
    .execute()
