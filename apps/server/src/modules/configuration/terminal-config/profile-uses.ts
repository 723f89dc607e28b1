import { ltscopes } from '@mdm/contract'
import { expressionBuilder, sql } from 'kysely'
import type { Kysely, RawBuilder } from 'kysely'
import type { Tables } from '../../../db/schema/tables.ts'
import { groupBy } from '../../../link/group-by.ts'

type Db = Kysely<Tables>
const query = expressionBuilder<Tables, never>()
/** Of a device: its groups from the root down. Without a device, what a group gives to all of its devices. */
type Of = { terminal_kid?: string; groups: readonly string[] }
/** The profiles that a device uses, the one that comes first at the end, as levels are. */
export type ProfilesOf = (of: Of) => string[]

/**
 * The profiles that devices of these accounts use: by their groups and those above, by dynamic groups that they were in when those were
 * looked at last, by themselves. Among several the lowest position comes first; of equal ones the use that was made later.
 */
export async function profilesFor(
  db: Db,
  account_kids: readonly string[],
  terminal_kids: readonly string[],
): Promise<ProfilesOf> {
  const uses = await db
    .selectFrom('config_profile_use')
    .select(['kid', 'profile_kid', 'terminal_group_kid', 'terminal_dynamic_group_kid', 'terminal_kid'])
    .where('account_kid', 'in', account_kids)
    .where((eb) =>
      eb.or([eb('terminal_kid', 'is', null), eb('terminal_kid', '=', sql<string>`any(${[...terminal_kids]}::uuid[])`)]),
    )
    .orderBy('position', 'desc')
    .orderBy('kid')
    .execute()
  if (uses.length === 0) return () => []
  const dynamic = uses.flatMap(({ kid, terminal_dynamic_group_kid }) => (terminal_dynamic_group_kid ? [kid] : []))
  const members =
    dynamic.length === 0 || terminal_kids.length === 0
      ? []
      : await db
          .selectFrom('config_profile_member')
          .select(['profile_use_kid', 'terminal_kid'])
          .where('profile_use_kid', 'in', dynamic)
          .where('terminal_kid', '=', sql<string>`any(${[...terminal_kids]}::uuid[])`)
          .execute()
  const memberOf = new Map(
    [...groupBy(members, (row) => row.terminal_kid)].map(([kid, rows]) => [
      kid,
      new Set(rows.map(({ profile_use_kid }) => profile_use_kid)),
    ]),
  )
  return ({ terminal_kid, groups }) => {
    const mine = terminal_kid === undefined ? undefined : memberOf.get(terminal_kid)
    const found = uses.filter(
      (use) =>
        (use.terminal_kid !== null && use.terminal_kid === terminal_kid) ||
        (use.terminal_group_kid !== null && groups.includes(use.terminal_group_kid)) ||
        mine?.has(use.kid) === true,
    )
    // One that is used in several ways counts by the first of them.
    return [...new Set(found.map(({ profile_kid }) => profile_kid).toReversed())].toReversed()
  }
}

type Use = Pick<
  Tables['config_profile_use'],
  'kid' | 'terminal_group_kid' | 'terminal_dynamic_group_kid' | 'terminal_kid'
>
type Group = { kid: string; parent_kid: string | null }

/** The devices, rows of `table`, that use one of these: those of a dynamic group are the ones that it had when it was looked at last. */
export function usedBy(uses: readonly Use[], groups: readonly Group[], table = 't'): RawBuilder<boolean> {
  const of = (column: string) => sql.ref(`${table}.${column}`)
  const below = new Set(uses.flatMap(({ terminal_group_kid }) => terminal_group_kid ?? []))
  for (let grown = true; grown;) {
    const more = groups.filter(({ kid, parent_kid }) => parent_kid !== null && below.has(parent_kid) && !below.has(kid))
    for (const { kid } of more) below.add(kid)
    grown = more.length > 0
  }
  const devices = uses.flatMap(({ terminal_kid }) => terminal_kid ?? [])
  const dynamic = uses.flatMap(({ kid, terminal_dynamic_group_kid }) => (terminal_dynamic_group_kid ? [kid] : []))
  // Built, as it stands in statements of a tenant's scope too.
  const is_member = query.exists(
    query
      .selectFrom('config_profile_member')
      .select('config_profile_member.terminal_kid')
      .where('config_profile_member.terminal_kid', '=', of('kid') as never)
      .where('config_profile_member.profile_use_kid', '=', sql<string>`any(${dynamic}::uuid[])`),
  )
  // What nobody uses is not looked for in every device.
  const ways = [
    ...(below.size > 0 ? [sql`COALESCE(${of('terminal_group_kid')} = ANY(${[...below]}::uuid[]), false)`] : []),
    ...(devices.length > 0 ? [sql`${of('kid')} = ANY(${devices}::uuid[])`] : []),
    ...(dynamic.length > 0 ? [sql`${is_member}`] : []),
  ]
  return ways.length > 0 ? sql<boolean>`(${sql.join(ways, sql` OR `)})` : sql<boolean>`false`
}

/** Uses of the profiles of an account in which a section is set, by section, the one that comes first at the beginning. */
export async function usesBySection(db: Db, account_kid: string, sections: readonly string[]) {
  const rows = await db
    .selectFrom('terminal_config as c')
    .innerJoin('config_profile_use as u', 'u.profile_kid', 'c.profile_kid')
    .select(['c.section', 'u.kid', 'u.profile_kid'])
    .select(['u.terminal_group_kid', 'u.terminal_dynamic_group_kid', 'u.terminal_kid'])
    .where('c.account_kid', '=', account_kid)
    .where('c.ltscope', '=', ltscopes.profile)
    .where('c.section', 'in', sections as never[])
    .orderBy('u.position')
    .orderBy('u.kid', 'desc')
    .execute()
  return groupBy(rows, (row) => row.section as string)
}
