import { ltscopes } from '@mdm/contract'
import type { ConfigSection, LevelName, UploadRoles } from '@mdm/contract'
import type { Collection } from '@mdm/contract/config/sections.ts'
import { sql } from 'kysely'
import type { Kysely, ExpressionBuilder } from 'kysely'
import type { Actor } from '../../../actor.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import { profilesFor } from './profile-uses.ts'
import { levelsOf, groupPath, settingsOf, effectiveOf, platformRows } from './levels.ts'

/** Read with `areRolesSet` beside it, a device whose account has none costs no statement. */
type Device = { kid: string; terminal_group_kid: string | null; are_roles_set?: true | null }
/** A group with what is set there, or what is set elsewhere. */
type Row = Record<
  'kid' | 'parent_kid' | 'name' | 'terminal_group_kid' | 'profile_kid' | 'terminal_kid',
  string | null
> & {
  section: ConfigSection | null
  ltscope: number | null
  value: unknown
}

/** Where something is set, as the index has it. */
const placeOf = ({ fn }: ExpressionBuilder<Tables, 'terminal_config'>) =>
  fn.coalesce(
    'terminal_config.terminal_kid',
    'terminal_config.profile_kid',
    'terminal_config.terminal_group_kid',
    'terminal_config.account_kid',
  )

/**
 * Whether anything is set in the account at all, as a column for a statement that is read anyhow: true, or null, which it
 * mostly is.
 */
export const areRolesSet = (scope: Kysely<Tables>) =>
  scope
    .selectFrom('terminal_config')
    .select(sql<true>`true`.as('are_set'))
    .where('section', '=', 'collection')
    // In the order of the index, which EXISTS would do away with: no plan reads other accounts' rows in search of one.
    .orderBy((of) => placeOf(of))
    .limit(1)

/** Devices with what holds for each of them; one statement, however many they are, and none where nothing is set. */
export async function withUploadRoles<D extends Device>(
  actor: Pick<Actor, 'deps' | 'scope' | 'account_kid' | 'visible_groups'>,
  devices: readonly D[],
): Promise<(D & { upload_roles: UploadRoles })[]> {
  if (devices.length === 0) return []
  const rows = devices[0]!.are_roles_set === null ? [] : await read(actor, devices)
  const settings = settingsOf([
    ...rows.flatMap(({ section, ltscope, value, terminal_group_kid, profile_kid, terminal_kid }) =>
      section && ltscope ? [{ section, ltscope, value, terminal_group_kid, profile_kid, terminal_kid }] : [],
    ),
    ...(await platformRows(actor.deps)),
  ])
  const groups = new Map(rows.flatMap(({ kid, ...row }) => (kid ? [[kid, { kid, ...row }] as const] : [])))
  const parents = new Map([...groups].map(([kid, { parent_kid }]) => [kid, parent_kid]))
  // A second question only where a profile says something.
  const profilesOf = rows.some(({ profile_kid }) => profile_kid !== null)
    ? await profilesFor(
        actor.scope,
        [actor.account_kid],
        devices.map(({ kid }) => kid),
      )
    : () => []
  const seen = (kid: string | null) => {
    const group =
      kid !== null && (!actor.visible_groups || actor.visible_groups.includes(kid)) ? groups.get(kid) : undefined
    return group ? { kid: group.kid, name: group.name! } : null
  }
  return devices.map((device) => {
    const path = groupPath(parents, device.terminal_group_kid)
    const levels = levelsOf(path, device.kid, profilesOf({ terminal_kid: device.kid, groups: path }))
    const { value, source } = effectiveOf(settings, 'collection', levels)
    const group = source.ltscope === ltscopes.group ? seen(source.kid) : null
    return { ...device, upload_roles: { ...rolesOf(value), source: names.get(source.ltscope)!, group } }
  })
}

const names = new Map(Object.entries(ltscopes).map(([name, ltscope]) => [ltscope, name as LevelName]))

const rolesOf = (value: Collection) => ({
  battery_percent: value.is_battery_on ? value.battery_percent : null,
  wifi_dbm: value.is_wifi_on ? value.wifi_dbm : null,
  mobile_dbm: value.is_mobile_on ? value.mobile_dbm : null,
  every_hours: value.is_timed_on ? value.every_hours : null,
  location_metres: value.is_location_on ? value.location_metres : null,
  location_hours: value.is_location_on ? value.location_hours : null,
  is_usage_on: value.is_usage_on,
})

/** The groups above these devices, each with what is set there, and what is set for the account and the devices. */
function read({ scope, account_kid }: Pick<Actor, 'scope' | 'account_kid'>, devices: readonly Device[]) {
  const groups = [...new Set(devices.flatMap(({ terminal_group_kid }) => terminal_group_kid ?? []))]
  const places = [account_kid, ...devices.map(({ kid }) => kid)]
  const setting = [
    'terminal_config.section',
    'terminal_config.ltscope',
    'terminal_config.terminal_group_kid',
    'terminal_config.profile_kid',
    'terminal_config.terminal_kid',
    'terminal_config.value',
  ] as const
  return scope
    .withRecursive('above', (db) =>
      db
        .selectFrom('terminal_group')
        .select(['terminal_group.kid', 'terminal_group.parent_kid', 'terminal_group.name'])
        .where('terminal_group.kid', '=', sql<string>`any(${groups}::uuid[])`)
        .union(
          db
            .selectFrom('terminal_group')
            .innerJoin('above', 'above.parent_kid', 'terminal_group.kid')
            .select(['terminal_group.kid', 'terminal_group.parent_kid', 'terminal_group.name']),
        ),
    )
    .selectFrom('above')
    .leftJoin('terminal_config', (join) =>
      join
        .onRef('terminal_config.terminal_group_kid', '=', 'above.kid')
        .on('terminal_config.section', '=', 'collection'),
    )
    .select(['above.kid', 'above.parent_kid', 'above.name', ...setting])
    .$castTo<Row>()
    .unionAll((db) =>
      db
        .selectFrom('terminal_config')
        .select([
          sql<string | null>`null::uuid`.as('kid'),
          sql<string | null>`null::uuid`.as('parent_kid'),
          sql<string | null>`null::text`.as('name'),
          ...setting,
        ])
        .where('terminal_config.section', '=', 'collection')
        // As the index has it: the settings of all other devices are passed by.
        .where((of) =>
          of.or([
            of(placeOf(of), '=', sql<string>`any(${places}::uuid[])`),
            of('terminal_config.profile_kid', 'is not', null),
          ]),
        )
        .$castTo<Row>(),
    )
    .execute()
}
