import { configSectionKeys, isSection } from '@mdm/contract'
import { masked, platformConfig } from '@mdm/contract/config/sections.ts'
import type { ConfigAffected, ConfigSection, Contract, In } from '@mdm/contract'
import { sql } from 'kysely'
import type { Kysely, RawBuilder } from 'kysely'
import type { Actor, VisibleGroups } from '../../../../actor.ts'
import type { Tables } from '../../../../db/schema/tables.ts'
import { changeOf, versionOf } from './change.ts'
import { copied, targetsOf } from './edit.ts'
import { effectiveOf } from '../levels/effective.ts'
import type { Level } from '../levels/effective.ts'
import { resolvePlace, writePlace } from '../levels/config-places.ts'
import { countDevices, devicesBelow, isEqual, withinVisibleGroups } from '../levels/affected-devices.ts'
import type { WritePlace } from '../levels/affected-devices.ts'
import { settingsFor } from '../levels/settings.ts'

type Db = Kysely<Tables>
type Calls = Contract['terminalConfig']['calls']
type Settings = Awaited<ReturnType<typeof settingsFor>>
/** What a section would become: as it is typed, as it is stored, or, with null, what is set above. */
export type Intended = Partial<Record<ConfigSection, { given: unknown } | { stored: unknown } | null>>

const shown_devices = 50

/** What saving, resetting or going back would do: the sections that would be something else, and the devices that follow. */
export async function affected(actor: Actor, input: In<Calls['affected']>): Promise<ConfigAffected> {
  const { deps, account_kid, visible_groups, scope } = actor
  const levels = await resolvePlace(actor, input)
  const settings = await settingsFor(actor, input.terminal_kid ?? null)
  const place = writePlace(account_kid, input)
  const back = await wayBack(scope, input.change_kid, place)
  const sections = differing(settings, levels, { ...back, ...intended(input) })
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

/** Going back to the version that the change made at this place. */
export async function wayBack(db: Db, kid: string | undefined, place: WritePlace): Promise<Intended> {
  if (kid === undefined) return {}
  const version = Object.entries(versionOf(await changeOf(db, kid, place)))
  return Object.fromEntries(version.map(([section, stored]) => [section, stored === null ? null : { stored }]))
}

/** Sections that would be something else. A secret that is typed anew cannot be compared here: it counts as a change. */
export function differing(settings: Settings, levels: readonly Level[], wanted: Intended): ConfigSection[] {
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
/** The devices (`t`) that follow one of these. */
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
  const below = await belowAny(db, asked)
  if (below === null) return { sections, devices: 0, items: [] }
  const mine = withinVisibleGroups(below, visible_groups)
  const { rows: items } = await sql<ConfigAffected['items'][number]>`
    SELECT t.kid, t.sn, t.name, COALESCE(s.is_online, false) AS is_online
    FROM terminal t LEFT JOIN terminal_state s ON s.terminal_kid = t.kid
    WHERE ${mine} ORDER BY t.sn LIMIT ${shown_devices}`.execute(db)
  return { sections, devices: await countDevices(db, mine), items }
}
