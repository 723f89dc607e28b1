import { beyond } from '@mdm/contract'
import type { Contract, Grantable, In } from '@mdm/contract'
import { sql } from 'kysely'
import type { Kysely, Selectable } from 'kysely'
import { retrying } from '../../../db/retrying.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import { violation } from '../../../db/violations.ts'
import { refuse } from '../../../refusal.ts'
import { createRole } from '../account/index.ts'
import { endAllSessions } from '../login/index.ts'
import { lockAccount } from '../../../db/lock-account.ts'
import {
  adminRoleOf,
  authorityOf,
  isAdmin,
  mayGrant,
  refuseFor,
  whyNotAssign,
  whyNotChange,
  whyNotGrant,
} from './authority.ts'
import type { Authority, Granter } from './authority.ts'
import { RoleTree } from './tree.ts'

type Calls = Contract['role']['calls']
type Db = Kysely<Tables>
type Role = Selectable<Tables['role']>

/** The whole tree. */
export async function list(granter: Granter) {
  const { scope } = granter
  const who = await authorityOf(scope, granter)
  const tree = await readTree(scope)
  const counts = await scope
    .selectFrom('role')
    .innerJoin('user_role', 'user_role.role_kid', 'role.kid')
    .select(['role.kid', sql<number>`count(*)::int`.as('n')])
    .groupBy('role.kid')
    .execute()
  const count_of = new Map(counts.map(({ kid, n }) => [kid, n]))
  return tree.inOrder().map((role) => {
    const user_count = count_of.get(role.kid) ?? 0
    const has_child = tree.children(role.kid).length > 0
    const is_free = user_count === 0 && !has_child
    const is_changeable = whyNotChange(who, role) === undefined
    const can = [
      ...(is_changeable ? (['edit', 'grant'] as const) : []),
      ...(is_changeable && is_free ? (['delete'] as const) : []),
      ...(Math.min(role.weight, who.weight) > 1 ? (['add_child'] as const) : []),
      ...(whyNotAssign(who, role) ? [] : (['assign'] as const)),
    ]
    return { ...role, user_count, has_child, is_admin: isAdmin(role), can }
  })
}

export const get = async (granter: Granter, kid: string) =>
  (await list(granter)).find((role) => role.kid === kid) ?? refuse('not_found')

/** Whether another role than `src_kid` has the code or the name. */
export async function exists({ scope }: Granter, { code, name, src_kid }: In<Calls['exists']>): Promise<boolean> {
  const roles = await scope.selectFrom('role').select(['kid', 'code', 'name']).execute()
  return roles.some(
    (role) => role.kid !== src_kid && (role.code === code || role.name.toLowerCase() === name?.toLowerCase()),
  )
}

/** Every entry of the menus of these sides, hidden ones too, since what they lead to is granted all the same. */
export async function listGrantable(granter: Granter, sides: readonly (1 | 2)[]): Promise<Grantable[]> {
  const { scope } = granter
  const who = await authorityOf(scope, granter)
  const menus = await scope
    .selectFrom('menu_tree')
    .select(['kid', 'p_id', 'code', 'access_code', 'name', 'type'])
    .where('end_type', 'in', sides)
    .where('end', '=', 'web')
    .orderBy('sort')
    .orderBy('code')
    .execute()
  const known = new Set(menus.map((menu) => menu.kid))
  const below = (parent: string | null, parent_code: string | null): Grantable[] =>
    menus
      .filter((menu) => (menu.p_id !== null && known.has(menu.p_id) ? menu.p_id : null) === parent)
      .flatMap(({ kid, code, access_code, name, type }) => {
        const inner = below(kid, code)
        const may_grant = access_code === null ? inner.some((entry) => entry.may_grant) : mayGrant(who, access_code)
        return [{ code, permission: access_code, name, type, parent_code, may_grant }, ...inner]
      })
  return below(null, null)
}

export async function insert(
  granter: Granter,
  { permissions, ...draft }: In<Calls['insert']>,
): Promise<{ kid: string }> {
  const { deps } = granter
  const now = deps.clock.now()
  const done = await change(granter, async (trx, tree, who) => {
    const parent = tree.row(draft.parent_kid) ?? refuse('role_unknown')
    if (draft.weight >= Math.min(who.weight, parent.weight)) refuse('role_weight')
    refuseFor(whyNotGrant(who, permissions))
    const { kid } = await createRole(trx, {
      ...draft,
      account_kid: who.account_kid,
      permissions: [...new Set(permissions)],
      created_at: now,
      updated_at: now,
    })
    return { kid, user_kids: await authoriseAdmin(trx, permissions, now) }
  })
  await endAllSessions(deps, done.user_kids)
  return { kid: done.kid }
}

/** Everything but the permissions, which save_permissions changes: nobody's session ends for it. */
export async function update(granter: Granter, { kid, ...draft }: In<Calls['update']>): Promise<void> {
  const { deps } = granter
  await change(granter, async (trx, tree, who) => {
    const role = tree.row(kid) ?? refuse('not_found')
    refuseFor(whyNotChange(who, role))
    const parent = tree.row(draft.parent_kid) ?? refuse('role_unknown')
    if (parent.kid === kid || tree.below(kid).some((each) => each.kid === parent.kid)) refuse('role_into_itself')
    if (draft.weight >= Math.min(who.weight, parent.weight)) refuse('role_weight')
    if (tree.children(kid).some((child) => child.weight >= draft.weight)) refuse('role_weight')
    await trx
      .updateTable('role')
      .set({ ...draft, updated_at: deps.clock.now() })
      .where('kid', '=', kid)
      .execute()
  })
}

/** Refused for what the caller does not hold, unless the role has it already: that is granted by nobody now. */
export async function savePermissions(granter: Granter, { kid, permissions }: In<Calls['save_permissions']>) {
  const { deps } = granter
  const wanted = [...new Set(permissions)]
  const now = deps.clock.now()
  const done = await change(granter, async (trx, tree, who) => {
    const role = tree.row(kid) ?? refuse('not_found')
    refuseFor(whyNotChange(who, role))
    refuseFor(whyNotGrant(who, wanted, role.permissions))
    const added = wanted.filter((name) => !role.permissions.includes(name))
    const removed = role.permissions.filter((name) => !wanted.includes(name))
    if (added.length + removed.length === 0) return { code: role.code, added, removed, user_kids: [] }
    await trx.updateTable('role').set({ permissions: wanted, updated_at: now }).where('kid', '=', kid).execute()
    const user_kids = [...(await holdersOf(trx, kid)), ...(await authoriseAdmin(trx, wanted, now))]
    return { code: role.code, added, removed, user_kids }
  })
  await endAllSessions(deps, done.user_kids)
  return done
}

export async function remove(granter: Granter, kid: string): Promise<Role> {
  return change(granter, async (trx, tree, who) => {
    const role = tree.row(kid) ?? refuse('not_found')
    refuseFor(whyNotChange(who, role))
    if (tree.children(kid).length > 0) refuse('role_has_children')
    if ((await holdersOf(trx, kid)).length > 0) refuse('role_in_use')
    await trx.deleteFrom('role').where('kid', '=', kid).execute()
    return role
  })
}

/** One change at a time per account, so that no two of them together make a cycle or a child heavier than its parent. */
const change = <T>(granter: Granter, run: (trx: Db, tree: RoleTree<Role>, who: Authority) => Promise<T>): Promise<T> =>
  violation(
    () =>
      retrying(() =>
        granter.scope.transaction().execute(async (trx) => {
          await lockAccount(trx, granter.account_kid)
          return run(trx, await readTree(trx), await authorityOf(trx, granter))
        }),
      ),
    { role_account_kid_code_key: 'duplicate_role', role_name: 'duplicate_name' },
  )

const readTree = async (scope: Db) => new RoleTree(await scope.selectFrom('role').selectAll().execute())

async function holdersOf(trx: Db, role_kid: string): Promise<string[]> {
  const rows = await trx.selectFrom('user_role').select('user_kid').where('role_kid', '=', role_kid).execute()
  return rows.map((row) => row.user_kid)
}

/** "Saving a role's permissions automatically authorises the super administrator". Answers whom that concerns. */
async function authoriseAdmin(trx: Db, permissions: readonly string[], now: Date): Promise<string[]> {
  const admin = await adminRoleOf(trx)
  const missing = admin ? beyond(permissions, admin.permissions) : []
  if (!admin || missing.length === 0) return []
  await trx
    .updateTable('role')
    .set({ permissions: [...admin.permissions, ...new Set(missing)], updated_at: now })
    .where('kid', '=', admin.kid)
    .execute()
  return holdersOf(trx, admin.kid)
}
