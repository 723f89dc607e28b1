import { constants, groupValues } from '@mdm/contract'
import type { Contract, In, TerminalGroup } from '@mdm/contract'
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import { retrying } from '../../../db/retrying.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import { violation } from '../../../db/violations.ts'
import { refuse } from '../../../refusal.ts'
import { forgetSessions } from '../../../http/session-cache.ts'
import { newKid } from '../../../lib/ids.ts'
import { lockAccount } from '../../../db/lock-account.ts'
import type { Actor, VisibleGroups } from '../../../actor.ts'
import { pathsOf } from './paths.ts'
import { readTree } from './tree.ts'
import type { GroupRow, GroupTree } from './tree.ts'

type Calls = Contract['terminalGroup']['calls']
type Db = Kysely<Tables>
/** Devices that change their group in one statement: a statement cannot be cancelled, so it is kept short. */
const moved_at_once = 2_000

/** One change at a time per account; a sibling of the same name refuses it as a whole. */
function change<T>(
  { scope, account_kid, visible_groups }: Actor,
  run: (trx: Db, tree: GroupTree) => Promise<T>,
): Promise<T> {
  return violation(
    () =>
      retrying(() =>
        scope.transaction().execute(async (trx) => {
          await lockAccount(trx, account_kid)
          return run(trx, await readTree(trx, visible_groups))
        }),
      ),
    { terminal_group_name: 'group_name_taken' },
  )
}

type Parent = { kid: string | null; depth: number }
/** Level and column value of a parent. The root is nobody's who is limited to groups. */
function parentOf(tree: GroupTree, visible_groups: VisibleGroups, parent_kid: string): Parent {
  if (parent_kid === groupValues.root) return visible_groups ? refuse('no_permission') : { kid: null, depth: 0 }
  return tree.row(parent_kid) ?? refuse('group_unknown')
}

/** @throws `group_too_deep` */
async function create(trx: Db, { account_kid, deps }: Actor, parent: Parent, name: string) {
  if (parent.depth >= constants.group_depth) refuse('group_too_deep')
  const row = { kid: newKid(), parent_kid: parent.kid, name, depth: parent.depth + 1 }
  await trx
    .insertInto('terminal_group')
    .values({ ...row, account_kid, created_at: deps.clock.now() })
    .execute()
  return row
}

export async function insert(actor: Actor, { name, parent_kid }: In<Calls['insert']>): Promise<TerminalGroup> {
  const { depth: _depth, ...row } = await change(actor, (trx, tree) =>
    create(trx, actor, parentOf(tree, actor.visible_groups, parent_kid), name),
  )
  announce(actor)
  return { ...row, is_no_group: false, has_child: false, terminal_count: 0, total_count: 0 }
}

/**
 * Creates the groups of these paths that are not there, with those above them; all of them or none. Those that were created, the
 * outermost first.
 */
export async function insertPaths(actor: Actor, paths: readonly string[]): Promise<{ kid: string; name: string }[]> {
  const created = await change(actor, async (trx, tree) => {
    const found = pathsOf(tree)
    const made: { kid: string; name: string }[] = []
    for (const path of paths) {
      if (found.at(path) !== undefined) continue
      const { kid, missing } = found.above(path)
      if (kid === null) refuse('group_unknown')
      let parent = parentOf(tree, actor.visible_groups, kid ?? groupValues.root)
      const names = path.split('/')
      for (let depth = names.length - missing.length + 1; depth <= names.length; depth += 1) {
        const row = await create(trx, actor, parent, names[depth - 1]!)
        tree.add({ ...row, terminal_count: 0 })
        found.add(names.slice(0, depth).join('/'), row.kid)
        made.push(row)
        parent = row
      }
    }
    return made
  })
  if (created.length > 0) announce(actor)
  return created
}

export async function update(actor: Actor, { kid, name }: In<Calls['update']>): Promise<TerminalGroup> {
  const entry = await change(actor, async (trx, tree) => {
    const row = tree.row(kid) ?? refuse('not_found')
    await trx.updateTable('terminal_group').set({ name }).where('kid', '=', kid).execute()
    return { ...tree.entry(row), name }
  })
  announce(actor)
  return entry
}

export async function move(actor: Actor, { kid, target_parent_kid }: In<Calls['move']>): Promise<TerminalGroup> {
  const entry = await change(actor, async (trx, tree) => {
    const row = tree.row(kid) ?? refuse('not_found')
    const below = tree.below(kid).map((each) => each.kid)
    if (target_parent_kid === kid || below.includes(target_parent_kid)) refuse('group_into_itself')
    const parent = parentOf(tree, actor.visible_groups, target_parent_kid)
    if (parent.depth + tree.height(kid) > constants.group_depth) refuse('group_too_deep')
    await trx.updateTable('terminal_group').set({ parent_kid: parent.kid }).where('kid', '=', kid).execute()
    await deepen(trx, [kid, ...below], parent.depth + 1 - row.depth)
    return { ...tree.entry(row), parent_kid: parent.kid }
  })
  announce(actor)
  return entry
}

/** Devices, codes and child groups go to the parent; if a name is taken there, nothing changes at all. */
export async function remove(actor: Actor, kid: string): Promise<GroupRow> {
  const gone = await change(actor, async (trx, tree) => {
    const row = tree.row(kid) ?? refuse('not_found')
    // The parent is out of a limited user's reach: the devices would vanish from under them.
    if (actor.visible_groups && (row.parent_kid === null || !tree.row(row.parent_kid))) refuse('no_permission')
    const children = tree.children(kid).map((each) => each.kid)
    await keepManagersLimited(trx, kid, children)
    await moveDevices(trx, kid, row.parent_kid)
    await trx
      .updateTable('qrcode')
      .set({ terminal_group_kid: row.parent_kid })
      .where('terminal_group_kid', '=', kid)
      .execute()
    // A child may bear its parent's name: that name is given up before the child takes its place.
    await trx.updateTable('terminal_group').set({ name: kid }).where('kid', '=', kid).execute()
    await trx.updateTable('terminal_group').set({ parent_kid: row.parent_kid }).where('parent_kid', '=', kid).execute()
    await deepen(
      trx,
      tree.below(kid).map((each) => each.kid),
      -1,
    )
    await trx.deleteFrom('terminal_group').where('kid', '=', kid).execute()
    return row
  })
  announce(actor)
  return gone
}

async function deepen(trx: Db, kids: string[], by: number): Promise<void> {
  if (kids.length === 0 || by === 0) return
  await trx
    .updateTable('terminal_group')
    .set({ depth: sql<number>`depth + ${by}` })
    .where('kid', '=', sql<string>`any(${kids}::uuid[])`)
    .execute()
}

async function moveDevices(trx: Db, from: string, to: string | null): Promise<void> {
  for (;;) {
    const { numUpdatedRows } = await trx
      .updateTable('terminal')
      .set({ terminal_group_kid: to })
      .where('kid', 'in', (eb) =>
        eb.selectFrom('terminal').select('kid').where('terminal_group_kid', '=', from).limit(moved_at_once),
      )
      .executeTakeFirst()
    if (numUpdatedRows < moved_at_once) return
  }
}

/**
 * Who manages a group manages what is below it, and who has no group on record is not limited at all. So managers of
 * a group that goes keep its children, and one who would be left with none is in the way.
 */
async function keepManagersLimited(trx: Db, kid: string, children: string[]): Promise<void> {
  const managers = await trx
    .selectFrom('terminal_group_user_manged')
    .select('user_kid')
    .where('terminal_group_kid', '=', kid)
    .execute()
  if (managers.length === 0) return
  const users = managers.map((row) => row.user_kid)
  if (children.length > 0) {
    await trx
      .insertInto('terminal_group_user_manged')
      .columns(['user_kid', 'terminal_group_kid'])
      .expression(
        trx
          .selectFrom(
            sql<{ user_kid: string; child: string }>`(select u as user_kid, c as child
            from unnest(${users}::uuid[]) u cross join unnest(${children}::uuid[]) c)`.as('granted'),
          )
          .select(['granted.user_kid', 'granted.child as terminal_group_kid']),
      )
      .onConflict((oc) => oc.doNothing())
      .execute()
    return
  }
  const others = await trx
    .selectFrom('terminal_group_user_manged')
    .select('user_kid')
    .distinct()
    .where('user_kid', '=', sql<string>`any(${users}::uuid[])`)
    .where('terminal_group_kid', '!=', kid)
    .execute()
  if (others.length < new Set(users).size) refuse('delete_failed')
}

/** Counts and names of the tree, and the groups of devices in the list; and what limited users reach. */
function announce({ deps, account_kid }: Actor): void {
  forgetSessions(deps)
  deps.live.publish(account_kid, { type: 'terminal_group_changed' })
  deps.live.publish(account_kid, { type: 'terminal_list_changed' })
  // Whoever inherits from a group is configured anew.
  deps.link.wake([])
}
