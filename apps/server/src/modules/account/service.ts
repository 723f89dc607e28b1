import type { Kysely } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import { uniqueViolation } from '../../db/violations.ts'
import type { Deps } from '../../deps.ts'
import { refuse } from '../../http/context.ts'
import { newKid } from '../../lib/ids.ts'
import { clientHash, hashPassword } from '../../lib/passwords.ts'

export { quotaOf } from './quota.ts'

type Db = Kysely<Tables>
type AccountDraft = Pick<Tables['account'], 'name' | 'type'> & {
  kid?: string
  /** The root account above a sub-account. */
  parent_kid?: string
  organization_name?: string
  status?: 'normal' | 'init' | 'invalid'
  terminal_max?: number
  sub_accounts_allowed?: boolean
  expire_time?: Date
  fae_name?: string
  remark?: string
  created_at?: Date
}
type UserDraft = Pick<Tables['user_account'], 'account_kid' | 'type' | 'username' | 'name'> & {
  kid?: string
  phone?: string
  email?: string
  language?: 'en' | 'vi' | 'zh-cn'
  zone_id?: string
  map_type?: '1' | '2'
  status?: 'normal' | 'init' | 'invalid'
  role_kids?: readonly string[]
  created_at?: Date
} & ({ password: string } | { password_sha1: string })

/** An account without anyone in it yet. */
export async function createAccount(db: Db, draft: AccountDraft): Promise<{ kid: string }> {
  const kid = draft.kid ?? newKid()
  await db
    .insertInto('account')
    .values({ ...draft, kid })
    .execute()
  return { kid }
}

/** A role; `permissions` are names or patterns with `*`. Refused as `duplicate_role` when the account has the code. */
export async function createRole(
  db: Db,
  draft: { account_kid: string; code: string; name: string; permissions: readonly string[]; weight?: number },
): Promise<{ kid: string }> {
  const kid = newKid()
  await uniqueViolation(
    () =>
      db
        .insertInto('role')
        .values({ ...draft, kid, permissions: [...draft.permissions] })
        .execute(),
    { role_account_kid_code_key: 'duplicate_role' },
  )
  return { kid }
}

/**
 * Somebody who can sign in, with a plain password or the SHA-1 that a client sends, and roles. Within a transaction
 * all of it or nothing. Refused as `duplicate_login_name`.
 */
export async function createUser(db: Db, draft: UserDraft): Promise<{ kid: string }> {
  const kid = draft.kid ?? newKid()
  const { role_kids = [], ...rest } = draft
  const { password, password_sha1, ...columns } = { password: '', password_sha1: '', ...rest }
  const password_hash = await hashPassword(password_sha1 || clientHash(password))
  await uniqueViolation(
    () =>
      db
        .insertInto('user_account')
        .values({ ...columns, kid, password_hash })
        .execute(),
    { user_account_username: 'duplicate_login_name' },
  )
  if (role_kids.length > 0)
    await db
      .insertInto('user_role')
      .values(role_kids.map((role_kid) => ({ user_kid: kid, role_kid })))
      .execute()
  return { kid }
}

/** The signed-in person, as the account screen shows them. */
export async function info(db: Db, user_kid: string) {
  const user = await db
    .selectFrom('user_account as u')
    .innerJoin('account as a', 'a.kid', 'u.account_kid')
    .select(['u.kid', 'u.username', 'u.name', 'u.phone', 'u.email', 'a.organization_name', 'u.type'])
    .select(['u.language', 'u.zone_id', 'u.map_type', 'u.last_use_at'])
    .where('u.kid', '=', user_kid)
    .executeTakeFirst()
  const roles = await db
    .selectFrom('role')
    .innerJoin('user_role', 'user_role.role_kid', 'role.kid')
    .select('role.name')
    .where('user_role.user_kid', '=', user_kid)
    .orderBy('role.code')
    .execute()
  return user ? { ...user, roles: roles.map((role) => role.name) } : refuse('not_found')
}

type Preferences = {
  language?: 'en' | 'vi' | 'zh-cn' | undefined
  zone_id?: string | undefined
  map_type?: '1' | '2' | undefined
}
/** Saves what is given and leaves the rest. */
export async function savePreferences({ db }: Deps, user_kid: string, preferences: Preferences): Promise<void> {
  const given = Object.fromEntries(Object.entries(preferences).filter(([, value]) => value !== undefined))
  if (Object.keys(given).length === 0) return
  await db.updateTable('user_account').set(given).where('kid', '=', user_kid).execute()
}
