import { constants, fenceLimits, pushLimits } from '@mdm/contract'
import { sql } from 'kysely'
import type { Deps } from '../deps.ts'
import { putSchedulesRight } from '../modules/push/push-schedule/index.ts'

const minute_ms = 60_000
const hour_ms = 60 * minute_ms
const day_ms = 24 * hour_ms
/** Clocks of several servers differ, and a clock may be set by less than anybody calls a jump. */
const slack_ms = hour_ms
type Bound = { table: string; column: string; most_ms: number }

/** When something is sent, looked at or taken over again. Sooner than meant is harmless: the time in between is only patience. */
const sends: Bound[] = [
  { table: 'push_task_terminal', column: 'send_at', most_ms: 10 * minute_ms },
  { table: 'terminal_config_delivery', column: 'send_at', most_ms: 10 * minute_ms },
  { table: 'webhook_delivery', column: 'next_at', most_ms: 12 * hour_ms },
  { table: 'mail', column: 'next_at', most_ms: 12 * hour_ms },
  { table: 'list_report', column: 'next_at', most_ms: 32 * day_ms },
  { table: 'app_requirement', column: 'next_at', most_ms: 15 * minute_ms },
  { table: 'terminal_agent', column: 'reset_due_at', most_ms: 20 * minute_ms },
  { table: 'terminal_fence', column: 'settle_at', most_ms: fenceLimits.duration.max * 1_000 },
  ...['broker_session', 'os_package', 'os_build', 'oscs_file', 'terminal_export'].map((table) => ({
    table,
    column: 'next_at',
    most_ms: minute_ms,
  })),
]
const { session, announcement_days, qrcode_minutes } = constants
/** When something ends. */
const lives: Bound[] = [
  { table: 'session', column: 'expires_at', most_ms: session.absolute_days * day_ms },
  { table: 'session', column: 'last_use_at', most_ms: 0 },
  { table: 'session', column: 'confirmed_at', most_ms: 0 },
  { table: 'api_token', column: 'last_use_at', most_ms: 0 },
  { table: 'login_step', column: 'expires_at', most_ms: 10 * minute_ms },
  { table: 'password_link', column: 'expires_at', most_ms: constants.password_link.invitation_hours * hour_ms },
  { table: 'login_failure', column: 'locked_until', most_ms: 15 * minute_ms },
  { table: 'login_failure', column: 'first_at', most_ms: 0 },
  { table: 'destruction', column: 'at', most_ms: 0 },
  { table: 'puzzle', column: 'created_at', most_ms: 0 },
  { table: 'puzzle', column: 'token_expires_at', most_ms: 0 },
  { table: 'qrcode', column: 'expires_at', most_ms: qrcode_minutes * minute_ms },
  { table: 'announcement', column: 'expires_at', most_ms: announcement_days * day_ms },
  { table: 'device_slot', column: 'expires_at', most_ms: (pushLimits.deadline_days + 3) * day_ms },
  { table: 'list_export', column: 'expires_at', most_ms: hour_ms },
  { table: 'push_task_terminal', column: 'deadline_at', most_ms: (pushLimits.deadline_days + 1) * day_ms },
  { table: 'scrap_schedule', column: 'due_at', most_ms: constants.scrap_delay_seconds * 1_000 },
  { table: 'push_task', column: 'retry_at', most_ms: constants.scrap_delay_seconds * 1_000 },
  { table: 'terminal', column: 'quarantined_until', most_ms: hour_ms },
  ...['created_at', 'finished_at', 'claimed_at'].map((column) => ({ table: 'upload', column, most_ms: 0 })),
  { table: 'upload', column: 'reserved_until', most_ms: hour_ms },
  { table: 'mail', column: 'created_at', most_ms: 0 },
  { table: 'batch_job', column: 'touched_at', most_ms: 0 },
  { table: 'terminal_export', column: 'expires_at', most_ms: constants.export_days * day_ms },
  { table: 'device_transfer', column: 'touched_at', most_ms: 0 },
  { table: 'device_transfer', column: 'expires_at', most_ms: constants.device_file_cache_days * day_ms },
  { table: 'location_refresh', column: 'expires_at', most_ms: hour_ms },
  { table: 'object_check', column: 'checked_at', most_ms: 0 },
  { table: 'login_network', column: 'last_use_at', most_ms: 0 },
  { table: 'os_build_start', column: 'at', most_ms: 0 },
  { table: 'alert_rule', column: 'mails_cut_at', most_ms: 0 },
  { table: 'list_report', column: 'sent_at', most_ms: 0 },
  { table: 'webhook', column: 'silences_from', most_ms: 0 },
  // One that lives says so again within a minute.
  { table: 'node', column: 'seen_at', most_ms: 0 },
]

export const putRightHere: readonly Omit<Bound, 'most_ms'>[] = [...sends, ...lives]

/**
 * A clock that was wrong for seconds leaves rows that wait until that date. What lies further ahead than it ever can gets
 * the time that it would have got now.
 */
async function putRight(deps: Deps, bounds: readonly Bound[]): Promise<void> {
  const now = deps.clock.now().getTime()
  for (const { table, column, most_ms } of bounds) {
    const { numAffectedRows } = await sql`
      UPDATE ${sql.table(table)} SET ${sql.ref(column)} = ${new Date(now + most_ms)}
      WHERE ${sql.ref(column)} > ${new Date(now + most_ms + slack_ms)}`.execute(deps.db)
    if (numAffectedRows) deps.log.warn({ table, column, rows: Number(numAffectedRows) }, 'times far ahead put right')
  }
}

export const bringForward = (deps: Deps): Promise<void> => putRight(deps, sends)
/** Not by a clock in doubt: one that is behind would find every life too long. */
export async function shortenLives(deps: Deps): Promise<void> {
  await putRight(deps, lives)
  await putSchedulesRight(deps)
}
