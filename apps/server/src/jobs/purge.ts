import { scrap_kept_hours } from '@mdm/contract'
import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { Deps } from '../deps.ts'

const hour_ms = 3_600_000
const day_ms = 24 * hour_ms
/** Rows of one statement: none may hold the database for long. */
const chunk = 2_000

const ago = (deps: Deps, ms: number): Date => new Date(deps.clock.now().getTime() - ms)

async function deleteWhere(deps: Deps, table: string, key: string, where: RawBuilder<unknown>): Promise<void> {
  for (;;) {
    const { numAffectedRows } = await sql`
      DELETE FROM ${sql.table(table)} WHERE ${sql.ref(key)} IN (
        SELECT ${sql.ref(key)} FROM ${sql.table(table)} WHERE ${where} LIMIT ${chunk})
    `.execute(deps.db)
    if (Number(numAffectedRows ?? 0) < chunk) return
  }
}

/**
 * What nobody can use any more: ended sessions, old puzzles, forgotten failures to sign in and networks, closed slots, sign-ins left
 * halfway, exports nobody fetched, scrapping that nobody is shown any more, and what webhooks heard a month ago.
 */
export async function purgeExpiredRows(deps: Deps): Promise<void> {
  const now = deps.clock.now()
  await deleteWhere(deps, 'session', 'kid', sql`expires_at < ${now}`)
  await deleteWhere(deps, 'puzzle', 'kid', sql`created_at < ${ago(deps, hour_ms)}`)
  await deleteWhere(
    deps,
    'login_failure',
    'key',
    sql`first_at < ${ago(deps, day_ms)} AND (locked_until IS NULL OR locked_until < ${now})`,
  )
  await deps.db
    .deleteFrom('login_network')
    .where('last_use_at', '<', ago(deps, 90 * day_ms))
    .execute()
  await deleteWhere(deps, 'device_slot', 'kid', sql`expires_at < ${ago(deps, day_ms)} AND object IS NULL`)
  await sql`DELETE FROM rate WHERE full_at < now()`.execute(deps.db)
  await deleteWhere(deps, 'login_step', 'token_hash', sql`expires_at < ${now}`)
  await deleteWhere(deps, 'password_link', 'token_hash', sql`expires_at < ${ago(deps, 30 * day_ms)}`)
  await deleteWhere(deps, 'list_export', 'kid', sql`expires_at < ${now}`)
  const long_ended = sql`state <> 'waiting' AND finished_at < ${ago(deps, scrap_kept_hours * hour_ms)}`
  await deleteWhere(deps, 'scrap_schedule', 'kid', long_ended)
  await deleteWhere(deps, 'webhook_delivery', 'kid', sql`created_at < ${ago(deps, 30 * day_ms)}`)
}
