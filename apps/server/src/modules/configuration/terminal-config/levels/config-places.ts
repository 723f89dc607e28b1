import { ltscopes } from '@mdm/contract'
import type { Kysely } from 'kysely'
import type { Tables } from '../../../../db/schema/tables.ts'
import { refuse } from '../../../../refusal.ts'
import type { Actor } from '../../../../actor.ts'
import { groupPath, levelsOf } from './effective.ts'
import type { Level } from './effective.ts'
import type { WritePlace } from './affected-devices.ts'

type Db = Kysely<Tables>
export type Place = { ltscope: number; terminal_group_kid?: string | undefined; terminal_kid?: string | undefined }

/** The same, as it is stored. */
export const writePlace = (account_kid: string, { ltscope, terminal_group_kid, terminal_kid }: Place): WritePlace => ({
  account_kid,
  ltscope,
  terminal_group_kid: terminal_group_kid ?? null,
  terminal_kid: terminal_kid ?? null,
})

export type NamedLevel = Level & { name: string | null }

/** Where somebody asks or writes, with all levels above. Refused as not found where they have nothing to look for. */
export async function resolvePlace({ scope, visible_groups }: Actor, place: Place): Promise<NamedLevel[]> {
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
  return levelsOf(path, device?.kid).map((level) => ({ ...level, name: nameOf(level) }))

  function nameOf({ ltscope, kid }: Level): string | null {
    if (ltscope === ltscopes.terminal) return device!.name || device!.sn
    // What lies above the groups of a user who is limited to some has no name for them.
    return kid === null || (visible_groups && !visible_groups.includes(kid)) ? null : (names.get(kid) ?? null)
  }
}

const groupsOf = (scope: Db) => scope.selectFrom('terminal_group').select(['kid', 'parent_kid', 'name']).execute()

async function deviceOf(scope: Db, kid: string) {
  const found = await scope
    .selectFrom('terminal')
    .select(['kid', 'sn', 'name', 'terminal_group_kid'])
    .where('kid', '=', kid)
    .executeTakeFirst()
  return found ?? refuse('not_found')
}
