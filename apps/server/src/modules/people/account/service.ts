import type { Contract, In } from '@mdm/contract'
import type { Kysely } from 'kysely'
import type { Actor } from '../../../actor.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import { violation } from '../../../db/violations.ts'
import { refuse } from '../../../refusal.ts'
import type { Ctx } from '../../../http/context.ts'
import { forgetSessions } from '../../../http/session-cache.ts'
import { nearestEnd } from '../../../http/session-row.ts'
import { newKid } from '../../../lib/ids.ts'
import { assertPassword, hashPassword } from '../../../lib/passwords.ts'
import { assertOwnPassword, endSessions } from '../login/index.ts'

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
  fae_kid?: string
  user_max?: number
  remark?: string
  created_at?: Date
}
type UserDraft = Pick<Tables['user_account'], 'account_kid' | 'type' | 'username' | 'name' | 'password_hash'> & {
  kid?: string
  phone?: string
  email?: string
  wechat?: string
  language?: 'en' | 'vi' | 'zh-cn'
  zone_id?: string
  map_type?: '1' | '2'
  status?: 'normal' | 'init' | 'invalid'
  role_kids?: readonly string[]
  created_at?: Date
}

/** Whose address or number it is is told by name: for whoever writes a person. */
export const contactTaken = { user_account_email: 'duplicate_email', user_account_phone: 'duplicate_phone' } as const

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
  draft: Pick<Tables['role'], 'account_kid' | 'code' | 'name'> & {
    permissions: readonly string[]
    parent_kid?: string
    weight?: number
    remark?: string
    created_at?: Date
    updated_at?: Date
  },
): Promise<{ kid: string }> {
  const kid = newKid()
  await violation(
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
 * Somebody who can sign in, with roles; `password_hash` is of lib/passwords.ts, `noPassword` before the first one is set.
 * Within a transaction all of it or nothing. Refused as `duplicate_login_name`, `duplicate_email`, `duplicate_phone`.
 */
export async function createUser(db: Db, draft: UserDraft): Promise<{ kid: string }> {
  const kid = draft.kid ?? newKid()
  const { role_kids = [], ...columns } = draft
  await violation(
    () =>
      db
        .insertInto('user_account')
        .values({ ...columns, kid })
        .execute(),
    { user_account_username: 'duplicate_login_name', ...contactTaken },
  )
  if (role_kids.length > 0)
    await db
      .insertInto('user_role')
      .values(role_kids.map((role_kid) => ({ user_kid: kid, role_kid })))
      .execute()
  return { kid }
}

/** The account that somebody belongs to, or that something is. */
export async function belonging({ db }: Pick<Actor['deps'], 'db'>, account_kid: string) {
  const { organization_kid, ...account_details } = await db
    .selectFrom('account as a')
    .select(['a.name', 'a.type', 'a.parent_kid', 'a.terminal_max', 'a.terminal_count', 'a.created_at'])
    .select((eb) => [nearestEnd('a').as('expire_time'), eb.fn.coalesce('a.parent_kid', 'a.kid').as('organization_kid')])
    .where('a.kid', '=', account_kid)
    .executeTakeFirstOrThrow()
  return { organization_kid, enterprise_kid: account_kid, account_details }
}

/** The signed-in person, as the account screen shows them. */
export async function info({ deps, user: { kid: user_kid } }: Actor) {
  const { db } = deps
  const user = await db
    .selectFrom('user_account as u')
    .innerJoin('account as a', 'a.kid', 'u.account_kid')
    .select([
      'u.kid',
      'u.username',
      'u.name',
      'u.phone',
      'u.email',
      'u.wechat',
      'a.organization_name',
      'u.type',
      'a.kid as account_kid',
    ])
    .select(['u.language', 'u.zone_id', 'u.map_type', 'u.last_use_at', 'u.totp_enabled_at', 'u.totp_recovery'])
    .select((eb) =>
      eb
        .exists(eb.selectFrom('user_identity').select('subject').whereRef('user_kid', '=', 'u.kid'))
        .$castTo<boolean>()
        .as('has_oidc'),
    )
    .where('u.kid', '=', user_kid)
    .executeTakeFirst()
  const roles = await db
    .selectFrom('role')
    .innerJoin('user_role', 'user_role.role_kid', 'role.kid')
    .select('role.name')
    .where('user_role.user_kid', '=', user_kid)
    .orderBy('role.code')
    .execute()
  if (!user) return refuse('not_found')
  const { totp_enabled_at, totp_recovery, account_kid, ...rest } = user
  return {
    ...rest,
    ...(await belonging(deps, account_kid)),
    roles: roles.map((role) => role.name),
    has_totp: totp_enabled_at !== null,
    recovery_codes_left: totp_recovery.length,
  }
}

type Details = In<Contract['account']['calls']['update_info']>
/** What people may change of themselves. Refused as `duplicate_email`, `duplicate_phone`. */
export async function updateInfo(
  { deps, user, braking }: Actor,
  { name, phone, email, wechat }: Details,
): Promise<void> {
  // A link to set a password goes there: a session that was left open must not be enough to be sent one.
  if (email !== undefined && email !== (await emailOf(deps, user.kid))) await braking?.assertConfirmed(deps.db)
  const changed = { name, phone, email, wechat, updated_at: deps.clock.now() }
  await violation(
    () => deps.db.updateTable('user_account').set(changed).where('kid', '=', user.kid).execute(),
    contactTaken,
  )
  forgetSessions(deps)
}

async function emailOf({ db }: Pick<Actor['deps'], 'db'>, user_kid: string): Promise<string | null | undefined> {
  const user = await db.selectFrom('user_account').select('email').where('kid', '=', user_kid).executeTakeFirst()
  return user?.email
}

/** Every other session of this person ends. Refused as `password_wrong`, `login_locked`. */
export async function changePassword(
  ctx: Ctx,
  { old_password, new_password }: { old_password: string; new_password: string },
): Promise<void> {
  const { deps } = ctx
  const { kid, user_kid, username } = ctx.session
  assertPassword(new_password, username, 'new_password')
  const old_hash = await assertOwnPassword(ctx, old_password)
  const password_hash = await hashPassword(new_password, deps.password_cost)
  const { numUpdatedRows } = await deps.db
    .updateTable('user_account')
    .set({ password_hash, updated_at: deps.clock.now() })
    .where('kid', '=', user_kid)
    .where('password_hash', '=', old_hash)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) refuse('password_wrong')
  await endSessions(deps, user_kid, kid)
}

/** No identity of a provider opens this account any more, until one is linked again. */
export const unlinkOidc = async ({ deps, user }: Actor): Promise<void> =>
  void (await deps.db.deleteFrom('user_identity').where('user_kid', '=', user.kid).execute())
