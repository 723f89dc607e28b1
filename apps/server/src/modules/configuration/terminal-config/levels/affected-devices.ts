import { ltscopes } from '@mdm/contract'
import { sectionOf } from '@mdm/contract/config/sections.ts'
import type { ConfigSection } from '@mdm/contract'
import { sql } from 'kysely'
import type { Kysely, RawBuilder } from 'kysely'
import type { VisibleGroups } from '../../../../actor.ts'
import type { Tables } from '../../../../db/schema/tables.ts'

type Db = Kysely<Tables>
/** What is set at levels: the sections of configurations, and a fence. */
export type Section = ConfigSection | 'fence'
/** What devices are told: also what the provider alone says to all of them, which is set nowhere else. */
export type ToldSection = Section | 'api_authorisation'
const isForConsole = (section: ToldSection): boolean =>
  section !== 'fence' && section !== 'api_authorisation' && sectionOf(section).is_for_console === true
/** Where something is written: a level of an account, or the platform, which has no account. */
export type WritePlace = {
  account_kid: string | null
  ltscope: number
  terminal_group_kid: string | null
  terminal_kid: string | null
}

/**
 * The devices (`t`) whose configuration follows from these sections at this place: no nearer level has them all. Groups are
 * read in `db`, which may be a transaction. Null: no device at all.
 */
export async function devicesBelow(
  db: Db,
  place: WritePlace,
  sections: readonly ToldSection[],
): Promise<RawBuilder<boolean> | null> {
  const told = sections.filter((section) => !isForConsole(section))
  if (told.length === 0) return null
  const { account_kid, terminal_kid } = place
  if (terminal_kid !== null) return sql<boolean>`t.kid = ${terminal_kid} AND t.account_kid = ${account_kid}`
  if (account_kid === null) {
    const passes = told.map(
      (section) =>
        sql`NOT EXISTS (SELECT FROM terminal_config o WHERE o.account_kid = t.account_kid AND o.section = ${section}
          AND o.ltscope = ${ltscopes.account})`,
    )
    return sql<boolean>`(${sql.join(passes, sql` OR `)})`
  }
  const groups = await db
    .selectFrom('terminal_group')
    .select(['kid', 'parent_kid'])
    .where('account_kid', '=', account_kid)
    .execute()
  const set = await db
    .selectFrom('terminal_config')
    .select(['section', 'terminal_group_kid'])
    .where('account_kid', '=', account_kid)
    .where('ltscope', '=', ltscopes.group)
    .where('section', 'in', told as Section[])
    .execute()
  const start = place.terminal_group_kid
  const passes = told.map((section) => {
    const stopped = new Set(set.flatMap((row) => (row.section === section ? [row.terminal_group_kid!] : [])))
    const own = sql`NOT EXISTS (SELECT FROM terminal_config o WHERE o.terminal_kid = t.kid AND o.section = ${section})`
    if (start === null && stopped.size === 0) return own
    const open = groupsBelow(groups, start, stopped)
    const in_group = sql`t.terminal_group_kid = ANY(${open}::uuid[])`
    return start === null ? sql`(t.terminal_group_kid IS NULL OR ${in_group}) AND ${own}` : sql`${in_group} AND ${own}`
  })
  return sql<boolean>`t.account_kid = ${account_kid} AND (${sql.join(
    passes.map((one) => sql`(${one})`),
    sql` OR `,
  )})`
}

/** The group and all below it, or all groups, without those where the section is set and what is below them. */
export function groupsBelow(
  groups: readonly { kid: string; parent_kid: string | null }[],
  start: string | null,
  stopped: ReadonlySet<string>,
): string[] {
  const children = new Map<string | null, string[]>()
  for (const { kid, parent_kid } of groups) children.set(parent_kid, [...(children.get(parent_kid) ?? []), kid])
  const found: string[] = []
  const waiting = start === null ? [...(children.get(null) ?? [])].filter((kid) => !stopped.has(kid)) : [start]
  for (let kid = waiting.pop(); kid !== undefined; kid = waiting.pop()) {
    found.push(kid)
    waiting.push(...(children.get(kid) ?? []).filter((one) => !stopped.has(one)))
  }
  return found
}

/** Of these devices (`t`), those in the groups that somebody is limited to. */
export const withinVisibleGroups = (below: RawBuilder<boolean>, visible_groups: VisibleGroups): RawBuilder<boolean> =>
  visible_groups ? sql<boolean>`(${below}) AND t.terminal_group_kid = ANY(${[...visible_groups]}::uuid[])` : below

export async function countDevices(db: Db, below: RawBuilder<boolean> | null): Promise<number> {
  if (below === null) return 0
  const { rows } = await sql<{ n: number }>`SELECT count(*)::int AS n FROM terminal t WHERE ${below}`.execute(db)
  return rows[0]!.n
}

/** jsonb keeps no order of keys. */
export const isEqual = (a: unknown, b: unknown): boolean => JSON.stringify(sorted(a)) === JSON.stringify(sorted(b))
const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (value === null || typeof value !== 'object') return value
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item)]))
}
