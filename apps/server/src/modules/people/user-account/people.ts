import type { Contract, In } from '@mdm/contract'
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import { containing, readPage } from '../../../db/paging.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import { refuse } from '../../../refusal.ts'
import { withInvitations } from '../login/index.ts'
import { authorityOf, whyNotAbove, whyNotAssign } from '../role/index.ts'
import type { Authority, Granter, RoleRow, Why } from '../role/index.ts'

type Db = Kysely<Tables>
/** Who looks after the persons of an account, or after the provider's own people. */
export type Manager = Granter & { type: 3 | 101 }
type Held = RoleRow & { name: string }
type Person = { kid: string; roles: readonly Held[]; group_kids: readonly string[] }

export async function paging(manager: Manager, input: In<Contract['userAccount']['calls']['paging']>) {
  const text = input.text ? containing(input.text) : undefined
  const digits = input.text?.replace(/[^\d+]/g, '')
  const { items, ...page } = await readPage({
    query: people(manager.scope, manager.type)
      .$if(input.state !== undefined, (q) => q.where('u.status', '=', input.state!))
      .$if(input.role_kid !== undefined, (q) =>
        q.where((eb) =>
          eb.exists(
            eb
              .selectFrom('user_role as held')
              .select('held.role_kid')
              .whereRef('held.user_kid', '=', 'u.kid')
              .where('held.role_kid', '=', input.role_kid!),
          ),
        ),
      )
      .$if(text !== undefined, (q) =>
        q.where((eb) =>
          eb.or([
            eb(sql`lower(u.username)`, 'like', text!),
            eb(sql`lower(u.name)`, 'like', text!),
            eb(sql`lower(u.email)`, 'like', text!),
            ...(digits ? [eb('u.phone', 'like', containing(digits))] : []),
          ]),
        ),
      ),
    input,
    columns: {
      name: { ref: sql`lower(u.name)` },
      username: { ref: sql`lower(u.username)` },
      last_use_at: { ref: sql`u.last_use_at`, is_nullable: true, order: 'desc' },
      created_at: { ref: sql`u.created_at`, order: 'desc' },
    },
    key: sql`u.kid`,
  })
  return { ...page, items: await hydrate(manager, items) }
}

/** Refused as `not_found` for anyone whom this manager does not look after. */
export async function get(manager: Manager, kid: string) {
  const rows = await people(manager.scope, manager.type).where('u.kid', '=', kid).execute()
  return (await hydrate(manager, rows))[0] ?? refuse('not_found')
}

/** The same as get, with roles as they weigh; for writes, in their transaction. */
export async function readPerson(trx: Db, type: Manager['type'], kid: string) {
  const row = await people(trx, type).where('u.kid', '=', kid).executeTakeFirst()
  if (!row) return refuse('not_found')
  const held = await heldBy(trx, [kid])
  const group_kids = await groupsOf(trx, [kid])
  return { ...row, roles: held.get(kid) ?? [], group_kids: group_kids.get(kid) ?? [] }
}

const people = (scope: Db, type: Manager['type']) =>
  scope
    .selectFrom('user_account as u')
    .select(['u.kid', 'u.username', 'u.name', 'u.phone', 'u.email', 'u.wechat', 'u.remark', 'u.status as state'])
    .select(['u.last_use_at', 'u.created_at', sql<boolean>`u.totp_enabled_at IS NOT NULL`.as('has_totp')])
    .where('u.type', '=', type)

type Row = Awaited<ReturnType<ReturnType<typeof people>['execute']>>[number]

async function hydrate(manager: Manager, found: readonly Row[]) {
  const rows = await withInvitations(manager.deps, found, ({ kid }) => kid)
  const { scope } = manager
  const who = await authorityOf(scope, manager)
  const kids = rows.map((row) => row.kid)
  const [held, groups] = [await heldBy(scope, kids), await groupsOf(scope, kids)]
  return rows.map((row) => {
    const person = { kid: row.kid, roles: held.get(row.kid) ?? [], group_kids: groups.get(row.kid) ?? [] }
    const may_touch = whyNotTouch(who, person) === undefined
    const may_edit = whyNotEdit(who, person) === undefined
    const status = row.state === 'invalid' ? ('enable' as const) : ('disable' as const)
    const can = [
      ...(may_edit ? (['edit'] as const) : []),
      ...(may_edit && row.invitation && row.state !== 'invalid' ? (['invite'] as const) : []),
      ...(may_touch ? ([status, 'delete'] as const) : []),
      ...(may_edit && row.has_totp ? (['reset_totp'] as const) : []),
    ]
    return { ...row, ...person, can }
  })
}

/** What keeps the caller from disabling or deleting somebody. */
export function whyNotTouch(who: Authority, person: Person): Why {
  if (person.kid === who.user.kid) return { name: 'own_account' }
  const heavier = person.roles.map((role) => whyNotAbove(who, role)).find((why) => why)
  if (heavier) return heavier
  const is_within =
    !who.visible_groups ||
    (person.group_kids.length > 0 && person.group_kids.every((kid) => who.visible_groups!.includes(kid)))
  return is_within ? undefined : { name: 'no_permission' }
}

/**
 * What keeps the caller from editing somebody. Who sets a password or an address can sign in with it, and who switches
 * off the second factor needs only the first, so nobody does that to a person who may do more, light as the roles may be.
 */
export const whyNotEdit = (who: Authority, person: Person): Why =>
  whyNotTouch(who, person) ?? person.roles.map((role) => whyNotAssign(who, role)).find((why) => why)

async function heldBy(scope: Db, user_kids: readonly string[]): Promise<Map<string, Held[]>> {
  const rows = await scope
    .selectFrom('role')
    .innerJoin('user_role', 'user_role.role_kid', 'role.kid')
    .select(['user_role.user_kid', 'role.kid', 'role.parent_kid', 'role.code', 'role.name', 'role.weight'])
    .select('role.permissions')
    .where('user_role.user_kid', '=', sql<string>`any(${user_kids}::uuid[])`)
    .orderBy('role.weight', 'desc')
    .orderBy('role.name')
    .execute()
  const held = new Map<string, Held[]>(user_kids.map((kid) => [kid, []]))
  for (const { user_kid, ...role } of rows) held.get(user_kid)?.push(role)
  return held
}

async function groupsOf(scope: Db, user_kids: readonly string[]): Promise<Map<string, string[]>> {
  const rows = await scope
    .selectFrom('terminal_group_user_manged')
    .select(['user_kid', 'terminal_group_kid'])
    .where('user_kid', '=', sql<string>`any(${user_kids}::uuid[])`)
    .orderBy('terminal_group_kid')
    .execute()
  const groups = new Map<string, string[]>(user_kids.map((kid) => [kid, []]))
  for (const { user_kid, terminal_group_kid } of rows) groups.get(user_kid)?.push(terminal_group_kid)
  return groups
}
