import { ltscopes } from '@mdm/contract'
import type { ConfigSection, Ltscope } from '@mdm/contract'
import { deviceSections, platformConfig, sectionOf } from '@mdm/contract/config/sections.ts'
import type { ConfigValues } from '@mdm/contract/config/sections.ts'
import type { Down } from '@mdm/device-link'
import type { Actor } from '../../../actor.ts'
import type { Deps } from '../../../deps.ts'

/** A level at which sections may be set, from the platform (which has no kid, like the account) down. */
export type Level = { ltscope: Ltscope; kid: string | null }
export type SettingRow = {
  section: ConfigSection | 'fence'
  ltscope: number
  terminal_group_kid: string | null
  profile_kid: string | null
  terminal_kid: string | null
  value: unknown
}

/**
 * The levels above and of a device or group; `groups` are its group and those above, from the root down, `profiles` those that it
 * uses, the one that comes first at the end.
 */
export const levelsOf = (
  groups: readonly string[],
  terminal_kid?: string,
  profiles: readonly string[] = [],
): Level[] => [
  { ltscope: ltscopes.platform, kid: null },
  { ltscope: ltscopes.account, kid: null },
  ...groups.map((kid) => ({ ltscope: ltscopes.group, kid })),
  ...profiles.map((kid) => ({ ltscope: ltscopes.profile, kid })),
  ...(terminal_kid === undefined ? [] : [{ ltscope: ltscopes.terminal, kid: terminal_kid }]),
]

/** The groups from the root of the tree down to this one. */
export function groupPath(parents: ReadonlyMap<string, string | null>, kid: string | null): string[] {
  const path: string[] = []
  for (let at = kid; at !== null && !path.includes(at); at = parents.get(at) ?? null) path.unshift(at)
  return path
}

const keyOf = (section: string, ltscope: number, kid: string | null) => `${section} ${ltscope} ${kid ?? ''}`
/** What a row is set for: null of the account and the platform. */
export const kidOf = (row: Pick<SettingRow, 'terminal_group_kid' | 'profile_kid' | 'terminal_kid'>): string | null =>
  row.terminal_kid ?? row.profile_kid ?? row.terminal_group_kid

/** The rows of one account and the platform's, to be asked by section and level. */
export function settingsOf<R extends SettingRow>(rows: readonly R[]) {
  const byPlace = new Map(rows.map((row) => [keyOf(row.section, row.ltscope, kidOf(row)), row]))
  return (section: ConfigSection | 'fence', { ltscope, kid }: Level): R | undefined =>
    byPlace.get(keyOf(section, ltscope, kid))
}
export type Settings<R extends SettingRow> = ReturnType<typeof settingsOf<R>>

type ValueOf<S extends ConfigSection> = S extends 'collection' | 'url_lists' ? ConfigValues[S] : ConfigValues[S] | null

/** A section's value and the level it comes from: the nearest one to the device that has it. Null leaves the device as it is. */
export function effectiveOf<S extends ConfigSection, R extends SettingRow>(
  settings: Settings<R>,
  section: S,
  levels: readonly Level[],
): { value: ValueOf<S>; source: Level } {
  const preset = (platformConfig as Partial<ConfigValues>)[section]
  for (const level of levels.toReversed()) {
    const own = settings(section, level)
    // A section gains fields as the product grows; what was stored before has the platform's for them.
    if (own) return { value: { ...preset, ...(own.value as object) } as ValueOf<S>, source: level }
  }
  return { value: (preset ?? null) as ValueOf<S>, source: levels[0]! }
}

/** As a device is told; secrets are sealed still. */
export function configForDevice<R extends SettingRow>(
  settings: Settings<R>,
  levels: readonly Level[],
): Down['config']['config'] {
  const told = deviceSections.flatMap((section) => {
    const { value } = effectiveOf(settings, section, levels)
    const { toWire } = sectionOf(section)
    return value === null ? [] : [[section, toWire ? toWire(value) : value] as const]
  })
  return Object.fromEntries(told) as never
}

export type PlatformRow = {
  section: ConfigSection | 'fence'
  ltscope: number
  terminal_group_kid: null
  profile_kid: null
  terminal_kid: null
  value: unknown
  updated_at: Date
  updated_by: string
}
/** How long another server may go by what the platform said before. */
const fresh_ms = 3_000
export type PlatformRows = { read?: { at: number; rows: PlatformRow[] }; times_forgotten: number }

/**
 * What the platform sets: a few rows that every list of devices needs, so they are kept for a moment. Each reads for itself
 * until one has read: a transaction that waits for a reader outside of it would wait for ever.
 */
export async function platformRows(deps: Deps): Promise<PlatformRow[]> {
  const now = deps.clock.now().getTime()
  const { platform } = deps.memory
  if (platform.read && Math.abs(now - platform.read.at) < fresh_ms) return platform.read.rows
  const { times_forgotten } = platform
  const found = await deps.db
    .selectFrom('terminal_config')
    .select(['section', 'value', 'updated_at', 'updated_by'])
    .where('account_kid', 'is', null)
    .execute()
  const rows = found.map((row) => ({
    ...row,
    ltscope: ltscopes.platform,
    terminal_group_kid: null,
    profile_kid: null,
    terminal_kid: null,
  }))
  // What was read before a change is not kept after it.
  if (platform.times_forgotten === times_forgotten) platform.read = { at: now, rows }
  return rows
}

export function forgetPlatformRows({ memory: { platform } }: Deps): void {
  delete platform.read
  platform.times_forgotten++
}

const columns = [
  'section',
  'ltscope',
  'terminal_group_kid',
  'profile_kid',
  'terminal_kid',
  'value',
  'updated_at',
  'updated_by',
] as const

/** Rows of one account and the platform's, those of other devices left out: there may be one for every device. */
export async function settingsFor({ deps, scope }: Actor, terminal_kid: string | null) {
  const own = await scope
    .selectFrom('terminal_config')
    .select(columns)
    .where((eb) => eb.or([eb('ltscope', '<', ltscopes.terminal), eb('terminal_kid', '=', terminal_kid)]))
    .execute()
  return settingsOf([...own, ...(await platformRows(deps))])
}
export type Own = ReturnType<Awaited<ReturnType<typeof settingsFor>>>
/** What is set at the levels of one account, its devices left out but one. */
export type AccountSettings = Awaited<ReturnType<typeof settingsFor>>
