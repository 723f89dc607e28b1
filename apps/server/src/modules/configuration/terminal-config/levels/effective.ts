import { ltscopes } from '@mdm/contract'
import { deviceSections, platformConfig, sectionOf } from '@mdm/contract/config/sections.ts'
import type { ConfigSection, Ltscope } from '@mdm/contract'
import type { ConfigValues } from '@mdm/contract/config/sections.ts'
import type { Down } from '@mdm/device-link'

/** A level at which sections may be set, from the platform (which has no kid, like the account) down. */
export type Level = { ltscope: Ltscope; kid: string | null }
type Row = {
  section: ConfigSection | 'fence'
  ltscope: number
  terminal_group_kid: string | null
  terminal_kid: string | null
  value: unknown
}

/** The levels above and of a device or group; `groups` are its group and those above, from the root down. */
export const levelsOf = (groups: readonly string[], terminal_kid?: string): Level[] => [
  { ltscope: ltscopes.platform, kid: null },
  { ltscope: ltscopes.account, kid: null },
  ...groups.map((kid) => ({ ltscope: ltscopes.group, kid })),
  ...(terminal_kid === undefined ? [] : [{ ltscope: ltscopes.terminal, kid: terminal_kid }]),
]

/** The groups from the root of the tree down to this one. */
export function groupPath(parents: ReadonlyMap<string, string | null>, kid: string | null): string[] {
  const path: string[] = []
  for (let at = kid; at !== null && !path.includes(at); at = parents.get(at) ?? null) path.unshift(at)
  return path
}

const keyOf = (section: string, ltscope: number, kid: string | null) => `${section} ${ltscope} ${kid ?? ''}`
/** The rows of one account and the platform's, to be asked by section and level. */
export function settingsOf<R extends Row>(rows: readonly R[]) {
  const byPlace = new Map(
    rows.map((row) => [keyOf(row.section, row.ltscope, row.terminal_kid ?? row.terminal_group_kid), row]),
  )
  return (section: ConfigSection | 'fence', { ltscope, kid }: Level): R | undefined =>
    byPlace.get(keyOf(section, ltscope, kid))
}
export type Settings<R extends Row> = ReturnType<typeof settingsOf<R>>

type ValueOf<S extends ConfigSection> = S extends 'collection' | 'url_lists' ? ConfigValues[S] : ConfigValues[S] | null

/** A section's value and the level it comes from: the nearest one to the device that has it. Null leaves the device as it is. */
export function effectiveOf<S extends ConfigSection, R extends Row>(
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
export function forDevice<R extends Row>(settings: Settings<R>, levels: readonly Level[]): Down['config']['config'] {
  const told = deviceSections.flatMap((section) => {
    const { value } = effectiveOf(settings, section, levels)
    const { toWire } = sectionOf(section)
    return value === null ? [] : [[section, toWire ? toWire(value) : value] as const]
  })
  return Object.fromEntries(told) as never
}
