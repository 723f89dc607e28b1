import { groupValues } from '@mdm/contract'
import type { Contract, In, TerminalGroup, TerminalGroupNode } from '@mdm/contract'
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import { counterOf } from '../../../db/paging.ts'
import type { Counter } from '../../../db/paging.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import { refuse } from '../../../refusal.ts'
import type { Actor, VisibleGroups } from '../../../actor.ts'
import { noGroupEntry, readTree } from './tree.ts'
import type { GroupTree } from './tree.ts'

type Calls = Contract['terminalGroup']['calls']
type Db = Kysely<Tables>

export async function list({ scope, account_kid, visible_groups }: Actor, input: In<Calls['list']>) {
  const tree = await readTree(scope, visible_groups)
  const { parent_kid, is_child } = input
  const parent = parent_kid === groupValues.root || parent_kid === groupValues.all ? null : parent_kid
  if (parent !== null && !tree.row(parent)) refuse('not_found')
  const is_deep = is_child === true || parent_kid === groupValues.all
  const rows = is_deep ? tree.below(parent) : tree.children(parent)
  const groups = rows.map((row) => tree.entry(row))
  // Devices of no group are out of a limited user's reach, and they stand below no group.
  if (!input.is_no_group || visible_groups || parent !== null) return groups
  return [noGroupEntry((await countWithoutGroup(scope, account_kid).query()).total), ...groups]
}

export async function listWithChild(
  { scope, visible_groups }: Actor,
  parent_kid: string,
): Promise<TerminalGroupNode[]> {
  const tree = await readTree(scope, visible_groups)
  const parent = parent_kid === groupValues.root ? null : parent_kid
  if (parent !== null && !tree.row(parent)) refuse('not_found')
  return tree.children(parent).map((row) => tree.node(row))
}

export async function get({ scope, visible_groups }: Actor, kid: string): Promise<TerminalGroup> {
  const tree = await readTree(scope, visible_groups)
  return tree.entry(tree.row(kid) ?? refuse('not_found'))
}

/** The names of a group and those above it that the actor may see, the outermost first; empty when there is none. */
export async function groupNames({ scope, visible_groups }: Actor, kid: string): Promise<string[]> {
  const tree = await readTree(scope, visible_groups)
  const names: string[] = []
  for (let row = tree.row(kid); row; row = row.parent_kid === null ? undefined : tree.row(row.parent_kid))
    names.unshift(row.name)
  return names
}

export async function exists({ scope, visible_groups }: Actor, input: In<Calls['exists']>): Promise<boolean> {
  const tree: GroupTree = await readTree(scope, visible_groups)
  const renamed = input.src_kid === undefined ? undefined : (tree.row(input.src_kid) ?? refuse('not_found'))
  const given = input.parent_kid === groupValues.root ? null : input.parent_kid
  if (given && !tree.row(given)) refuse('not_found')
  const parent = given === undefined ? (renamed?.parent_kid ?? null) : given
  const found = await scope
    .selectFrom('terminal_group')
    .select('kid')
    .where('parent_kid', parent === null ? 'is' : '=', parent)
    .where(sql`lower(name)`, '=', sql`lower(${input.name})`)
    .$if(input.src_kid !== undefined, (q) => q.where('kid', '!=', input.src_kid!))
    .execute()
  return found.some((row) => tree.row(row.kid))
}

/** Devices in no group. */
export const countWithoutGroup = (scope: Db, account_kid: string): Counter =>
  counterOf(
    scope
      .selectFrom('account')
      .select((eb) => sql<number>`${eb.ref('account.terminal_count')} - (${inGroups(scope)})`.as('total'))
      .where('account.kid', '=', account_kid),
  )

/** Devices directly in these groups. */
export const countInGroups = (scope: Db, kids: readonly string[]): Counter =>
  counterOf(inGroups(scope).where('terminal_group.kid', '=', sql<string>`any(${kids}::uuid[])`))
const inGroups = (scope: Db) =>
  scope
    .selectFrom('terminal_group')
    .select(sql<number>`coalesce(sum(terminal_group.terminal_count), 0)::bigint`.as('total'))

/** A group and all below it, with the devices directly in each; empty when there is no such group in this account. */
export const subtree = (scope: Db, kid: string): Promise<{ kid: string; terminal_count: number }[]> =>
  scope
    .withRecursive('branch', (db) =>
      db
        .selectFrom('terminal_group')
        .select(['terminal_group.kid', 'terminal_group.terminal_count'])
        .where('terminal_group.kid', '=', kid)
        .unionAll(
          db
            .selectFrom('terminal_group')
            .innerJoin('branch', 'branch.kid', 'terminal_group.parent_kid')
            .select(['terminal_group.kid', 'terminal_group.terminal_count']),
        ),
    )
    .selectFrom('branch')
    .select(['kid', 'terminal_count'])
    .execute()

/**
 * The column value for a group that devices shall go to. Refuses `group_unknown` for a group of another account, one
 * out of the user's reach, and, for a limited user, no group at all: the device would leave that user's reach.
 */
export async function target(
  db: Db,
  account_kid: string,
  visible_groups: VisibleGroups,
  group: string,
): Promise<string | null> {
  if (group === groupValues.none) return visible_groups ? refuse('group_unknown') : null
  const found = await db
    .selectFrom('terminal_group')
    .select('kid')
    .where('kid', '=', group)
    .where('account_kid', '=', account_kid)
    .executeTakeFirst()
  return found && (!visible_groups || visible_groups.includes(group)) ? group : refuse('group_unknown')
}

/** The groups a user is limited to as they were granted, without what is below them. */
export async function managedBy({ scope }: Actor, user_kid: string): Promise<string[]> {
  const rows = await scope
    .selectFrom('terminal_group_user_manged')
    .select('terminal_group_kid')
    .where('user_kid', '=', user_kid)
    .orderBy('terminal_group_kid')
    .execute()
  return rows.map((row) => row.terminal_group_kid)
}
