import { constants } from '@mdm/contract'
import { sql } from 'kysely'
import type { SelectQueryBuilder } from 'kysely'
import type { Tables } from '../../../../db/schema/tables.ts'
import type { Deps } from '../../../../deps.ts'
import { preview_ms } from '../insert/device-list.ts'

/** Rows of one statement: none may hold the database for long. */
const piece = 2_000
const day_ms = 86_400_000

/**
 * Ended pushes go after six months to the end of the month, when the months of their activities have been dropped as a whole
 * (jobs/partitions); what their devices uploaded goes after 30 days (specification, 9), previews that no push took over after
 * an hour.
 */
export async function dropOld(deps: Deps): Promise<void> {
  const now = deps.clock.now()
  await dropPreviews(deps, (q) => q.where('created_at', '<', new Date(now.getTime() - preview_ms)))
  await dropUploaded(deps, new Date(now.getTime() - constants.device_file_cache_days * day_ms))
  const before = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - constants.device_data_retention_months))
  for (;;) {
    const { rows } = await sql<{ kid: string }>`
      SELECT kid FROM push_task WHERE ended_at < ${before} ORDER BY ended_at LIMIT 100
    `.execute(deps.db)
    for (const { kid } of rows) await dropTask(deps, kid)
    if (rows.length < 100) return
  }
}

/** The row says first that there is nothing any more: a row without bytes would be a dead link. */
async function dropUploaded(deps: Deps, before: Date): Promise<void> {
  for (;;) {
    const { rows } = await sql<{ result_object: string }>`
      WITH old AS (
        SELECT push_task_kid, terminal_kid, result_object FROM push_task_terminal
        WHERE result_object IS NOT NULL AND state_at < ${before} ORDER BY state_at LIMIT 200 FOR UPDATE SKIP LOCKED
      )
      UPDATE push_task_terminal t SET result_object = NULL FROM old
      WHERE t.push_task_kid = old.push_task_kid AND t.terminal_kid = old.terminal_kid
      RETURNING old.result_object`.execute(deps.db)
    for (const { result_object } of rows) await deps.objects.delete(result_object)
    if (rows.length < 200) return
  }
}

async function dropTask(deps: Deps, kid: string): Promise<void> {
  for (;;) {
    const { rows } = await sql<{ result_object: string | null }>`
      DELETE FROM push_task_terminal WHERE push_task_kid = ${kid} AND terminal_kid IN (
        SELECT terminal_kid FROM push_task_terminal WHERE push_task_kid = ${kid} LIMIT ${piece})
      RETURNING result_object
    `.execute(deps.db)
    for (const { result_object } of rows) if (result_object) await deps.objects.delete(result_object)
    if (rows.length < piece) break
  }
  // Those of a month that has not been dropped yet, a device's together: they have an index by device, and none by kid.
  await inPieces(deps, 'push_task_activity', 'push_task_kid', 'terminal_kid', kid)
  await inPieces(deps, 'device_slot', 'push_task_kid', 'kid', kid)
  const { rows } = await sql<{ list_kid: string | null }>`SELECT list_kid FROM push_task WHERE kid = ${kid}`.execute(
    deps.db,
  )
  const list_kid = rows[0]?.list_kid
  if (list_kid) await inPieces(deps, 'push_list_terminal', 'push_list_kid', 'terminal_kid', list_kid)
  await deps.db.deleteFrom('push_task').where('kid', '=', kid).execute()
}

type Lists = SelectQueryBuilder<Tables, 'push_list', { kid: string }>
/** Frozen lists that no push has taken over, with their devices. */
export async function dropPreviews(deps: Deps, which: (lists: Lists) => Lists): Promise<void> {
  const lists = await which(deps.db.selectFrom('push_list').select('kid').where('push_task_kid', 'is', null)).execute()
  for (const { kid } of lists) {
    await inPieces(deps, 'push_list_terminal', 'push_list_kid', 'terminal_kid', kid)
    await deps.db.deleteFrom('push_list').where('kid', '=', kid).where('push_task_kid', 'is', null).execute()
  }
}

async function inPieces(deps: Deps, table: string, column: string, key: string, kid: string): Promise<void> {
  for (;;) {
    const { numAffectedRows } = await sql`
      DELETE FROM ${sql.table(table)} WHERE ${sql.ref(column)} = ${kid} AND ${sql.ref(key)} IN (
        SELECT ${sql.ref(key)} FROM ${sql.table(table)} WHERE ${sql.ref(column)} = ${kid} LIMIT ${piece})
    `.execute(deps.db)
    if (Number(numAffectedRows ?? 0) < piece) return
  }
}
