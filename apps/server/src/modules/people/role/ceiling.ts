import { narrowed } from '@mdm/contract'
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Tables } from '../../../db/schema/tables.ts'
import { isAdmin } from './authority.ts'

/**
 * Sets what the administrator of an account may hold at most, and takes from every other role of it and of its
 * sub-accounts what goes beyond. `trx` is a transaction over all tenants, of `deps.db`; the answer is whose sessions
 * must end once it is committed.
 */
export async function limitAccountTo(
  trx: Kysely<Tables>,
  account_kid: string,
  permissions: readonly string[],
): Promise<{ user_kids: string[] }> {
  // First the accounts, as every change of roles does: none that began under the old ceiling may end above the new.
  await trx
    .selectFrom('account')
    .select('kid')
    .where((eb) => eb.or([eb('kid', '=', account_kid), eb('parent_kid', '=', account_kid)]))
    .orderBy(sql`parent_kid IS NOT NULL`)
    .orderBy('kid')
    .forNoKeyUpdate()
    .execute()
  const roles = await trx
    .selectFrom('role')
    .innerJoin('account', 'account.kid', 'role.account_kid')
    .select(['role.kid', 'role.account_kid', 'role.parent_kid', 'role.code', 'role.permissions'])
    .where((eb) => eb.or([eb('account.kid', '=', account_kid), eb('account.parent_kid', '=', account_kid)]))
    .execute()
  const changed: string[] = []
  for (const role of roles) {
    const is_its_admin = role.account_kid === account_kid && isAdmin(role)
    const wanted = is_its_admin ? [...new Set(permissions)] : narrowed(role.permissions, permissions)
    if (isSame(wanted, role.permissions)) continue
    await trx.updateTable('role').set({ permissions: wanted }).where('kid', '=', role.kid).execute()
    changed.push(role.kid)
  }
  if (changed.length === 0) return { user_kids: [] }
  const people = await trx
    .selectFrom('user_role')
    .select('user_kid')
    .distinct()
    .where('role_kid', 'in', changed)
    .execute()
  return { user_kids: people.map((person) => person.user_kid) }
}

const isSame = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((name) => b.includes(name))
