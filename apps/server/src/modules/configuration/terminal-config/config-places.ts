import { ltscopes, sectionsOfType, config_group_permission } from '@mdm/contract'
import type { Permission } from '@mdm/contract'
import { sql } from 'kysely'
import type { Kysely, Selectable } from 'kysely'
import type { Actor } from '../../../actor.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import type { ActorWith } from '../../../http/context.ts'
import { refuse } from '../../../refusal.ts'
import { levelsOf, groupPath } from './levels.ts'
import type { Level } from './levels.ts'
import { profilesFor } from './profile-uses.ts'

type Db = Kysely<Tables>
/** A level as it is stored: of an account, or of the platform, which has no account. */
export type WritePlace = {
  account_kid: string | null
  ltscope: number
  terminal_group_kid: string | null
  profile_kid?: string | null | undefined
  terminal_kid: string | null
}
/** A level as a call names it. */
export type Place = {
  ltscope: number
  terminal_group_kid?: string | undefined
  profile_kid?: string | undefined
  terminal_kid?: string | undefined
}

/** The level of a place, as it is stored. */
export const writePlace = (
  account_kid: string,
  { ltscope, terminal_group_kid, profile_kid, terminal_kid }: Place,
): WritePlace => ({
  account_kid,
  ltscope,
  terminal_group_kid: terminal_group_kid ?? null,
  profile_kid: profile_kid ?? null,
  terminal_kid: terminal_kid ?? null,
})

export const platformPlace: WritePlace = {
  account_kid: null,
  ltscope: ltscopes.platform,
  terminal_group_kid: null,
  profile_kid: null,
  terminal_kid: null,
}

export const atPlace = (place: WritePlace) => {
  const is = (column: string, value: string | null) =>
    value === null ? sql`${sql.ref(column)} IS NULL` : sql`${sql.ref(column)} = ${value}`
  return sql<boolean>`ltscope = ${place.ltscope} AND ${is('account_kid', place.account_kid)}
    AND ${is('terminal_group_kid', place.terminal_group_kid)} AND ${is('profile_kid', place.profile_kid ?? null)} AND ${is('terminal_kid', place.terminal_kid)}`
}

export type NamedLevel = Level & { name: string | null }

/** The levels of a place, from the platform down. Refused as not found beyond the user's groups. */
export async function resolvePlace(actor: Actor, place: Place): Promise<NamedLevel[]> {
  const { scope, visible_groups, account_kid } = actor
  const device = place.ltscope === ltscopes.terminal ? await deviceOf(scope, place.terminal_kid!) : undefined
  const group_kid = place.ltscope === ltscopes.group ? place.terminal_group_kid! : (device?.terminal_group_kid ?? null)
  const groups = group_kid === null ? [] : await groupsOf(scope)
  const names = new Map(groups.map(({ kid, name }) => [kid, name]))
  if (
    place.ltscope === ltscopes.group &&
    (!names.has(group_kid!) || (visible_groups && !visible_groups.includes(group_kid!)))
  )
    refuse('not_found')
  const path = groupPath(new Map(groups.map(({ kid, parent_kid }) => [kid, parent_kid])), group_kid)
  const profiles = place.profile_kid
    ? [place.profile_kid]
    : device
      ? (await profilesFor(scope, [account_kid], [device.kid]))({ terminal_kid: device.kid, groups: path })
      : []
  const profile_names = await profileNames(scope, profiles)
  if (place.profile_kid && !profile_names.has(place.profile_kid)) refuse('not_found')
  return levelsOf(path, device?.kid, profiles).map((level) => ({ ...level, name: nameOf(level) }))

  function nameOf({ ltscope, kid }: Level): string | null {
    if (ltscope === ltscopes.terminal) return device!.name || device!.sn
    if (ltscope === ltscopes.profile) return profile_names.get(kid!) ?? null
    // A user who is limited to groups is not told the names of those above.
    return kid === null || (visible_groups && !visible_groups.includes(kid)) ? null : (names.get(kid) ?? null)
  }
}

const groupsOf = (scope: Db) => scope.selectFrom('terminal_group').select(['kid', 'parent_kid', 'name']).execute()

async function profileNames(scope: Db, kids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (kids.length === 0) return new Map()
  const rows = await scope.selectFrom('config_profile').select(['kid', 'name']).where('kid', 'in', kids).execute()
  return new Map(rows.map(({ kid, name }) => [kid, name]))
}

async function deviceOf(scope: Db, kid: string) {
  const found = await scope
    .selectFrom('terminal')
    .select(['kid', 'sn', 'name', 'terminal_group_kid'])
    .where('kid', '=', kid)
    .executeTakeFirst()
  return found ?? refuse('not_found')
}

/** The levels of a place that is written to. Groups, profiles and the account need a permission of their own, the last two a user without limits. */
export async function writable(
  actor: ActorWith<'may'>,
  place: Place,
  group_permission: Permission = config_group_permission,
): Promise<NamedLevel[]> {
  const { visible_groups, may } = actor
  if (place.ltscope !== ltscopes.terminal && !may(group_permission)) refuse('no_permission')
  const is_of_all = place.ltscope === ltscopes.account || place.ltscope === ltscopes.profile
  if (is_of_all && visible_groups) refuse('no_permission')
  return resolvePlace(actor, place)
}

type Change = Selectable<Tables['configuration_change']>

/** A change of a configuration; refused as not found, also where it is of another place than `at`. */
export async function changeOf(db: Kysely<Tables>, kid: string, at?: WritePlace): Promise<Change> {
  const change = await db.selectFrom('configuration_change').selectAll().where('kid', '=', kid).executeTakeFirst()
  const is_there =
    !at ||
    (change?.account_kid === at.account_kid &&
      change.ltscope === at.ltscope &&
      change.terminal_group_kid === at.terminal_group_kid &&
      (change.profile_kid ?? null) === (at.profile_kid ?? null) &&
      change.terminal_kid === at.terminal_kid)
  return change && is_there ? change : refuse('not_found')
}

/** All sections of the kind as they were in the version that the change made; null for one that was not set. */
export const versionOf = ({ type, after }: Pick<Change, 'type' | 'after'>): Record<string, unknown> =>
  Object.fromEntries(
    sectionsOfType(type).map((section) => [section, (after as Record<string, unknown>)[section] ?? null]),
  )

export const placeOf = (
  row: Pick<WritePlace, 'ltscope' | 'terminal_group_kid' | 'profile_kid' | 'terminal_kid'>,
): Place => ({
  ltscope: row.ltscope,
  terminal_group_kid: row.terminal_group_kid ?? undefined,
  profile_kid: row.profile_kid ?? undefined,
  terminal_kid: row.terminal_kid ?? undefined,
})
