import type { ConfigSection } from '@mdm/contract'
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Tables } from '../../../../db/schema/tables.ts'
import type { Level } from '../levels/effective.ts'

type Db = Kysely<Tables>
/** What a device keeps of one level while its step of a change has not begun. */
export type KeptValues = Pick<
  Tables['configuration_change'],
  'sections' | 'ltscope' | 'terminal_group_kid' | 'terminal_kid'
> & {
  before: Partial<Record<string, unknown>>
}

/**
 * Which of these devices keep what was set before a change that goes out in steps: all but those that their step has given it
 * to. So does a device that comes below the level meanwhile; the end of the steps gives it to whoever is left.
 */
export async function stagedValuesOf(
  db: Db,
  account_kids: readonly string[],
  terminal_kids: readonly string[],
): Promise<(terminal_kid: string) => readonly KeptValues[]> {
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
  held.find(
    (one) =>
      one.ltscope === ltscope && (one.terminal_kid ?? one.terminal_group_kid) === kid && one.sections.includes(section),
  )

/** The settings as they are for a device that keeps these. */
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
export const isHeld = (held: readonly KeptValues[], section: ConfigSection, source: Level): boolean =>
  holdsAt(held, section, source) !== undefined
