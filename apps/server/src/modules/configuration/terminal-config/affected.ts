import { ltscopes, configSectionKeys, isSection } from '@mdm/contract'
import type { ConfigSection, Contract, In, ConfigAffected } from '@mdm/contract'
import { isEqual } from '@mdm/contract/config/equal.ts'
import { platformConfig, sectionOf, masked } from '@mdm/contract/config/sections.ts'
import { sql } from 'kysely'
import type { Kysely, RawBuilder } from 'kysely'
import type { Actor, VisibleGroups } from '../../../actor.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import { writePlace, resolvePlace, changeOf, versionOf } from './config-places.ts'
import type { WritePlace, Place } from './config-places.ts'
import { effectiveOf, settingsFor } from './levels.ts'
import type { Level, AccountSettings } from './levels.ts'
import { usedBy, usesBySection } from './profile-uses.ts'

type Db = Kysely<Tables>
/** What is set at levels: the sections of configurations, and a fence. */
export type Section = ConfigSection | 'fence'
/** What devices are told: also the lists of API calls, which the provider sets at no level, and whether a device is lost. */
export type ToldSection = Section | 'api_authorisation' | 'lost' | typeof whichever
/** Stands for all sections: the devices of a place change whatever is set there or nearer, as those do that begin to use a profile. */
export const whichever = 'whichever'
const isForConsole = (section: ToldSection): boolean => isSection(section) && sectionOf(section).is_for_console === true

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
  if (place.profile_kid) {
    const uses = await db
      .selectFrom('config_profile_use')
      .select(['kid', 'terminal_group_kid', 'terminal_dynamic_group_kid', 'terminal_kid'])
      .where('profile_kid', '=', place.profile_kid)
      .execute()
    if (uses.length === 0) return null
    const own = told.map(
      (section) =>
        sql`NOT EXISTS (SELECT FROM terminal_config o WHERE o.terminal_kid = t.kid AND o.section = ${section})`,
    )
    return sql<boolean>`t.account_kid = ${account_kid} AND ${usedBy(uses, groups)} AND (${sql.join(own, sql` OR `)})`
  }
  const in_profiles = await usesBySection(db, account_kid, told)
  const start = place.terminal_group_kid
  const passes = told.map((section) => {
    const stopped = new Set(set.flatMap((row) => (row.section === section ? [row.terminal_group_kid!] : [])))
    const uses = in_profiles.get(section) ?? []
    const own = sql`NOT EXISTS (SELECT FROM terminal_config o WHERE o.terminal_kid = t.kid AND o.section = ${section})
      AND NOT ${uses.length > 0 ? usedBy(uses, groups) : sql`false`}`
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

/** Of these devices (`t`), those in the groups that the user is limited to. */
export const withinVisibleGroups = (below: RawBuilder<boolean>, visible_groups: VisibleGroups): RawBuilder<boolean> =>
  visible_groups ? sql<boolean>`(${below}) AND t.terminal_group_kid = ANY(${[...visible_groups]}::uuid[])` : below

export async function countDevices(db: Db, below: RawBuilder<boolean> | null): Promise<number> {
  if (below === null) return 0
  const { rows } = await sql<{ n: number }>`SELECT count(*)::int AS n FROM terminal t WHERE ${below}`.execute(db)
  return rows[0]!.n
}

type Calls = Contract['terminalConfig']['calls']
/** What a section would become: as it is typed, as it is stored, or, with null, what is set above. */
export type Intended = Partial<Record<ConfigSection, { given: unknown } | { stored: unknown } | null>>

const shown_devices = 50

/** What saving, resetting or reverting would do: the sections that would become something else, and the devices that would change. */
export async function affected(actor: Actor, input: In<Calls['affected']>): Promise<ConfigAffected> {
  const { deps, account_kid, visible_groups, scope } = actor
  const levels = await resolvePlace(actor, input)
  const settings = await settingsFor(actor, input.terminal_kid ?? null)
  const place = writePlace(account_kid, input)
  const reverted = await revertTo(scope, input.change_kid, place)
  const sections = differing(settings, levels, { ...reverted, ...intended(input) })
  return devicesOf(deps.db, [{ place, sections }], visible_groups)
}

/** What copying would do, at all of the places that it is copied to together. */
export async function copyAffected(actor: Actor, input: In<Calls['copy_affected']>): Promise<ConfigAffected> {
  const { deps, account_kid, visible_groups } = actor
  const values = Object.entries(await copied(actor, input)).map(([section, value]) => [section, { stored: value }])
  const wanted = Object.fromEntries(values) as Intended
  const asked: Asked[] = []
  for (const target of targetsOf(input)) {
    const levels = await resolvePlace(actor, target)
    const settings = await settingsFor(actor, target.terminal_kid ?? null)
    asked.push({ place: writePlace(account_kid, target), sections: differing(settings, levels, wanted) })
  }
  return devicesOf(deps.db, asked, visible_groups)
}

/** What is typed, and what is to be reset. */
export const intended = (
  input: Partial<Record<ConfigSection, unknown>> & { resets?: string[] | undefined },
): Intended => ({
  ...Object.fromEntries((input.resets ?? []).filter(isSection).map((section) => [section, null])),
  ...Object.fromEntries(
    configSectionKeys.flatMap((key) => (input[key] === undefined ? [] : [[key, { given: input[key] }]])),
  ),
})

/** What reverting to the version of the change would write at this place. */
export async function revertTo(db: Db, kid: string | undefined, place: WritePlace): Promise<Intended> {
  if (kid === undefined) return {}
  const version = Object.entries(versionOf(await changeOf(db, kid, place)))
  return Object.fromEntries(version.map(([section, stored]) => [section, stored === null ? null : { stored }]))
}

/** Sections that would be something else. A secret that is typed anew cannot be compared here: it counts as a change. */
export function differing(settings: AccountSettings, levels: readonly Level[], wanted: Intended): ConfigSection[] {
  const above = levels.slice(0, -1)
  return configSectionKeys.filter((section) => {
    const then = wanted[section]
    if (then === undefined) return false
    const now = effectiveOf(settings, section, levels).value
    if (then === null) return !isEqual(now, effectiveOf(settings, section, above).value)
    if ('given' in then) return !isEqual(now === null ? null : masked(section, now), then.given)
    const preset = (platformConfig as Partial<Record<ConfigSection, object>>)[section]
    return !isEqual(now, { ...preset, ...(then.stored as object) })
  })
}

type Asked = { place: WritePlace; sections: ConfigSection[] }
/** The devices (`t`) that one of these would change. */
export async function belowAny(db: Db, asked: readonly Asked[]): Promise<RawBuilder<boolean> | null> {
  const belows: RawBuilder<boolean>[] = []
  for (const one of asked) {
    const below = one.sections.length === 0 ? null : await devicesBelow(db, one.place, one.sections)
    if (below !== null) belows.push(below)
  }
  if (belows.length === 0) return null
  return sql<boolean>`(${sql.join(
    belows.map((each) => sql`(${each})`),
    sql` OR `,
  )})`
}

export async function devicesOf(
  db: Db,
  asked: readonly Asked[],
  visible_groups?: VisibleGroups,
): Promise<ConfigAffected> {
  const sections = configSectionKeys.filter((section) => asked.some((one) => one.sections.includes(section)))
  return devicesWhere(db, sections, await belowAny(db, asked), visible_groups)
}

/** So many devices (`t`), and the first of them. */
export async function devicesWhere(
  db: Db,
  sections: ConfigSection[],
  below: RawBuilder<boolean> | null,
  visible_groups?: VisibleGroups,
): Promise<ConfigAffected> {
  if (below === null) return { sections, devices: 0, items: [] }
  const mine = withinVisibleGroups(below, visible_groups)
  const { rows: items } = await sql<ConfigAffected['items'][number]>`
    SELECT t.kid, t.sn, t.name, COALESCE(s.is_online, false) AS is_online
    FROM terminal t LEFT JOIN terminal_state s ON s.terminal_kid = t.kid
    WHERE ${mine} ORDER BY t.sn LIMIT ${shown_devices}`.execute(db)
  return { sections, devices: await countDevices(db, mine), items }
}

/** What is set at the place itself, as it is stored, of the sections that are asked for. */
export async function copied(actor: Actor, input: In<Calls['copy']>): Promise<Partial<Record<ConfigSection, unknown>>> {
  const level = (await resolvePlace(actor, input)).at(-1)!
  const settings = await settingsFor(actor, input.terminal_kid ?? null)
  return Object.fromEntries(
    (input.sections ?? configSectionKeys).flatMap((section) => {
      const own = settings(section, level)
      return own ? [[section, own.value]] : []
    }),
  )
}

export const targetsOf = ({ terminal_group_kids, terminal_kids }: In<Calls['copy']>): Place[] => [
  ...[...new Set(terminal_group_kids)].map((kid) => ({ ltscope: ltscopes.group, terminal_group_kid: kid })),
  ...[...new Set(terminal_kids)].map((kid) => ({ ltscope: ltscopes.terminal, terminal_kid: kid })),
]
