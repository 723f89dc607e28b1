import { deviceSections } from '@mdm/contract/config/sections.ts'
import type { ConfigSection } from '@mdm/contract'
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Tables } from '../../../db/schema/tables.ts'
import type { Deps } from '../../../deps.ts'
import { endRows, tellMoves } from '../../push-task/service.ts'
import type { Ended } from '../../push-task/service.ts'
import { isWaiting } from '../delivery.ts'
import type { Level } from '../levels/effective.ts'

type Db = Kysely<Tables>
/** What a device keeps of one level while its step of a change has not begun. */
export type Held = Pick<
  Tables['configuration_change'],
  'sections' | 'ltscope' | 'terminal_group_kid' | 'terminal_kid'
> & {
  before: Partial<Record<string, unknown>>
}

/**
 * Which of these devices keep what was set before a change that goes out in steps: all but those that their step has given it
 * to. So does a device that comes below the level meanwhile; the end of the steps gives it to whoever is left.
 */
export async function heldOf(
  db: Db,
  account_kids: readonly string[],
  terminal_kids: readonly string[],
): Promise<(terminal_kid: string) => readonly Held[]> {
  const staged = await db
    .selectFrom('configuration_change')
    .select(['account_kid', 'push_task_kid', 'sections', 'ltscope', 'terminal_group_kid', 'terminal_kid', 'before'])
    .where('is_staged', '=', true)
    .where('account_kid', 'in', account_kids)
    .execute()
  if (staged.length === 0) return () => []
  const rows = await db
    .selectFrom('push_task_terminal as p')
    .select(['p.push_task_kid', 'p.terminal_kid'])
    .where(
      'p.push_task_kid',
      'in',
      staged.map(({ push_task_kid }) => push_task_kid ?? none),
    )
    .where('p.terminal_kid', 'in', terminal_kids)
    .where(isGiven)
    .execute()
  const given = new Set(rows.map(({ push_task_kid, terminal_kid }) => `${push_task_kid} ${terminal_kid}`))
  return (terminal_kid) =>
    staged.filter(({ push_task_kid }) => !given.has(`${push_task_kid} ${terminal_kid}`)) as Held[]
}

/** Of a change whose push is still being made. */
const none = '00000000-0000-0000-0000-000000000000'

/** Of a row `p` of a push of this kind: its step has reached the device. */
export const isGiven = sql<boolean>`(p.sent_at IS NOT NULL OR p.attempt > 1)`

const holdsAt = (held: readonly Held[], section: ConfigSection, { ltscope, kid }: Level): Held | undefined =>
  held.find(
    (one) =>
      one.ltscope === ltscope && (one.terminal_kid ?? one.terminal_group_kid) === kid && one.sections.includes(section),
  )

/** The settings as they are for a device that keeps these. */
export function withHeld<S extends (section: ConfigSection, level: Level) => unknown>(
  settings: S,
  held: readonly Held[],
): S {
  if (held.length === 0) return settings
  const kept = (section: ConfigSection, level: Level) => {
    const one = holdsAt(held, section, level)
    if (!one) return settings(section, level)
    const value = one.before[section]
    return value === undefined ? undefined : { section, ltscope: level.ltscope, value }
  }
  return kept as S
}

/** Whether the device keeps an older value of a section that comes from this level. */
export const isHeld = (held: readonly Held[], section: ConfigSection, source: Level): boolean =>
  holdsAt(held, section, source) !== undefined

type Row = { push_task_kid: string; terminal_kid: string }
/** The step of these devices has begun, and they are there: from now on the change holds for them. */
export async function giveChanges(trx: Db, rows: readonly Row[], now: Date): Promise<void> {
  const keys = JSON.stringify(rows.map(({ push_task_kid: k, terminal_kid: t }) => ({ k, t })))
  await sql`
    WITH given AS (
      UPDATE push_task_terminal p SET send_at = NULL, sent_at = COALESCE(p.sent_at, ${now}::timestamptz)
      FROM jsonb_to_recordset(${keys}::jsonb) AS r(k uuid, t uuid)
      WHERE p.push_task_kid = r.k AND p.terminal_kid = r.t
      RETURNING p.push_task_kid, p.terminal_kid, p.account_kid, p.attempt
    )
    INSERT INTO terminal_config_delivery (terminal_kid, account_kid, send_at, change_kid, is_forced)
    SELECT DISTINCT ON (g.terminal_kid) g.terminal_kid, g.account_kid, 'epoch'::timestamptz, c.kid, g.attempt > 1
    FROM given g JOIN configuration_change c ON c.push_task_kid = g.push_task_kid
    ORDER BY g.terminal_kid, c.created_at DESC
    ON CONFLICT (terminal_kid) DO UPDATE SET is_dirty = true, sends = 0, send_at = 'epoch'::timestamptz,
      change_kid = EXCLUDED.change_kid, is_forced = terminal_config_delivery.is_forced OR EXCLUDED.is_forced
  `.execute(trx)
}

/** Sections of a change `c` that devices are told. */
const told = sql`ARRAY(SELECT x FROM unnest(c.sections) AS x WHERE x = ANY(${[...deviceSections]}::text[]))`
/** Devices of one transaction. */
const piece = 2_000

/** Devices that were given a change and have said what became of it end their part of the push. Whether there may be more. */
export async function confirmOnce(deps: Deps): Promise<boolean> {
  const { moves, found } = await deps.db.transaction().execute(async (trx) => {
    const { rows } = await sql<Ended>`
      SELECT p.push_task_kid, p.terminal_kid,
        CASE WHEN r.outcome = 'failed' THEN 'section_failed'
          WHEN r.outcome IS NOT NULL OR NOT ${told} <@ t.config_sections THEN 'section_not_supported' END AS code,
        r.message
      FROM push_task_terminal p
      JOIN terminal t ON t.kid = p.terminal_kid
      LEFT JOIN terminal_state s ON s.terminal_kid = p.terminal_kid
      LEFT JOIN terminal_config_delivery d ON d.terminal_kid = p.terminal_kid
      LEFT JOIN configuration_change c ON c.push_task_kid = p.push_task_kid
      LEFT JOIN LATERAL (
        SELECT x.outcome, x.message FROM terminal_config_result x
        WHERE x.terminal_kid = p.terminal_kid AND x.outcome <> 'applied' AND x.section = ANY(c.sections)
        ORDER BY x.outcome LIMIT 1) r ON true
      WHERE p.type = 'configuration' AND p.state = 'wait_receipt' AND p.sent_at IS NOT NULL
        AND NOT ${isWaiting}
      ORDER BY p.push_task_kid, p.terminal_kid LIMIT ${piece}
    `.execute(trx)
    return { moves: await endRows(trx, rows, deps.clock.now()), found: rows.length }
  })
  if (found > 0) tellMoves(deps, moves)
  return found > 0
}
