import type { ConfigSection, PlainRollout } from '@mdm/contract'
import { deviceSections } from '@mdm/contract/config/sections.ts'
import { sql } from 'kysely'
import type { Kysely, Selectable } from 'kysely'
import { records } from '../../../db/records.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import { endRows, insertFound } from '../../push/push-task/index.ts'
import type { Ended, FoundPush, Moves } from '../../push/push-task/index.ts'
import { devicesBelow } from './affected.ts'
import type { Section } from './affected.ts'
import { isWaiting } from './delivery.ts'
import { kidOf } from './levels.ts'
import type { Level } from './levels.ts'

type Db = Kysely<Tables>
/** What a device keeps of one level while its step of a change has not begun. */
export type KeptValues = Pick<
  Selectable<Tables['configuration_change']>,
  'sections' | 'ltscope' | 'terminal_group_kid' | 'profile_kid' | 'terminal_kid'
> & {
  before: Partial<Record<string, unknown>>
}

/**
 * The former values that each of these devices keeps of changes that go out in steps: a device gets the change when its step reaches
 * it. A device that moves below the level meanwhile gets it when the steps are over.
 */
export async function stagedValuesOf(
  db: Db,
  account_kids: readonly string[],
  terminal_kids: readonly string[],
): Promise<(terminal_kid: string) => readonly KeptValues[]> {
  const staged = await db
    .selectFrom('configuration_change')
    .select(['account_kid', 'push_task_kid', 'sections', 'ltscope', 'before'])
    .select(['terminal_group_kid', 'profile_kid', 'terminal_kid'])
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
    .where(stepHasReached)
    .execute()
  const given = new Set(rows.map(({ push_task_kid, terminal_kid }) => `${push_task_kid} ${terminal_kid}`))
  return (terminal_kid) =>
    staged.filter(({ push_task_kid }) => !given.has(`${push_task_kid} ${terminal_kid}`)) as KeptValues[]
}

/** Of a change whose push is still being made. */
const none = '00000000-0000-0000-0000-000000000000'

/** Of a row `p` of a push of this kind: its step has reached the device. */
export const stepHasReached = sql<boolean>`(p.sent_at IS NOT NULL OR p.attempt > 1)`

const holdsAt = (
  held: readonly KeptValues[],
  section: ConfigSection,
  { ltscope, kid }: Level,
): KeptValues | undefined =>
  held.find((one) => one.ltscope === ltscope && kidOf(one) === kid && one.sections.includes(section))

/** The settings as they hold for a device that keeps these values. */
export function withStaged<S extends (section: ConfigSection, level: Level) => unknown>(
  settings: S,
  held: readonly KeptValues[],
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
export const isStaged = (held: readonly KeptValues[], section: ConfigSection, source: Level): boolean =>
  holdsAt(held, section, source) !== undefined

type Change = Pick<
  Selectable<Tables['configuration_change']>,
  'kid' | 'account_kid' | 'ltscope' | 'terminal_group_kid' | 'profile_kid' | 'terminal_kid' | 'version'
>
type Rollout = { rollout: PlainRollout; needs_approval: boolean; devices: number }

/** A change that goes out in steps is a push, made in the transaction that saves it (decision 045). Its kid. */
export async function pushInSteps(
  trx: Db,
  by: FoundPush['by'],
  { kid: change_kid, version, terminal_group_kid, profile_kid }: Change,
  { rollout, needs_approval, devices }: Rollout,
): Promise<string> {
  const push = await insertFound(trx, {
    by,
    type: 'configuration',
    payload: { change_kid, version },
    summary: await nameOf(trx, { terminal_group_kid, profile_kid }),
    rollout: { ...rollout, takes_later: false },
    about: devices,
    needs_approval,
  })
  await trx.updateTable('configuration_change').set({ push_task_kid: push.kid }).where('kid', '=', change_kid).execute()
  return push.kid
}

type Named = Pick<Change, 'terminal_group_kid' | 'profile_kid'>
async function nameOf(trx: Db, { terminal_group_kid, profile_kid }: Named): Promise<string> {
  const kid = profile_kid ?? terminal_group_kid
  if (!kid) return ''
  const table = profile_kid ? 'config_profile' : 'terminal_group'
  const named = await trx.selectFrom(table).select('name').where('kid', '=', kid).executeTakeFirst()
  return named?.name ?? ''
}

/** The next devices of those that a change is for, in the order of their kids. */
export async function devicesOfChange(
  db: Db,
  change_kid: string,
  after: string | undefined,
  limit: number,
): Promise<string[]> {
  const change = await db
    .selectFrom('configuration_change')
    .selectAll()
    .where('kid', '=', change_kid)
    .executeTakeFirst()
  const below = change && (await devicesBelow(db, change, change.sections as Section[]))
  if (!below) return []
  const { rows } = await sql<{ kid: string }>`
    SELECT t.kid FROM terminal t WHERE ${below} AND (${after ?? null}::uuid IS NULL OR t.kid > ${after ?? null}::uuid)
    ORDER BY t.kid LIMIT ${limit}
  `.execute(db)
  return rows.map(({ kid }) => kid)
}

type Row = { push_task_kid: string; terminal_kid: string }
/** The step of these devices has begun and they are connected: from now on the change holds for them. */
export async function releaseStagedChange(trx: Db, rows: readonly Row[], now: Date): Promise<void> {
  const keys = records(rows.map(({ push_task_kid: k, terminal_kid: t }) => ({ k, t })))
  await sql`
    WITH given AS (
      UPDATE push_task_terminal p SET send_at = NULL, sent_at = COALESCE(p.sent_at, ${now}::timestamptz)
      FROM ${keys.as('r(k uuid, t uuid)')}
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

/**
 * Ends, in the caller's transaction, the rows of those of these devices that were given a change and hold it by now: completed,
 * or failed with what their answer says. Call `tellMoves` after the commit.
 */
export async function endConfirmed(trx: Db, terminal_kids: readonly string[], now: Date): Promise<Moves | undefined> {
  if (terminal_kids.length === 0) return undefined
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
    WHERE p.terminal_kid = ANY(${[...terminal_kids]}::uuid[]) AND p.type = 'configuration' AND p.state = 'wait_receipt'
      AND p.sent_at IS NOT NULL AND NOT ${isWaiting}
    ORDER BY p.push_task_kid, p.terminal_kid
  `.execute(trx)
  return rows.length > 0 ? endRows(trx, rows, now) : undefined
}
