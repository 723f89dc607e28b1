import { beyond, constants } from '@mdm/contract'
import type { ChangeSaid, Contract, In, Language } from '@mdm/contract'
import { sql } from 'kysely'
import type { Kysely, RawBuilder, Selectable } from 'kysely'
import { retrying } from '../../../db/retrying.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import { violation } from '../../../db/violations.ts'
import type { Deps } from '../../../deps.ts'
import { refuse } from '../../../refusal.ts'
import type { Ctx } from '../../../http/context.ts'
import { forgetSessions } from '../../../http/session-cache.ts'
import { accountUsable, permissionsHeldBy } from '../../../http/session-row.ts'
import { assertPassword, hashPassword, noPassword } from '../../../lib/passwords.ts'
import { contactTaken, createAccount, createRole, createUser } from '../account/index.ts'
import { dropPasskeys, endLinks, inviteAgain as inviteUserAgain, invite, takeInvitation } from '../login/index.ts'
import { assertHolds, quotaOf } from '../quota/index.ts'
import { limitAccountTo } from '../role/index.ts'
import { lockAccount } from '../../../db/lock-account.ts'

type Db = Kysely<Tables>
type Account = Selectable<Tables['account']>
/** What customers and sub-accounts have in common. */
export type AccountDraft = {
  name: string
  organization_name: string | null
  phone: string | null
  email: string | null
  wechat: string | null
  remark: string
  terminal_max: number
  expire_time: string | null
  permissions: string[]
}
/** What is not given stays as it was. */
type AccountEdit = Omit<In<Contract['opsAccount']['calls']['update']>, 'kid' | 'password'>
type OfCustomers = Partial<Pick<Account, 'user_max' | 'fae_kid' | 'sub_accounts_allowed'>>

/** An account past its time, or below one that is disabled or past its time, is shown as invalid. */
export const shownState = (alias: string, now: Date): RawBuilder<Account['status']> =>
  sql`CASE WHEN ${accountUsable(alias, now)} THEN ${sql.ref(`${alias}.status`)} ELSE 'invalid' END`

/** The login that was made with the account `a`. */
export const rootLogin = (db: Db) =>
  db
    .selectFrom('user_account')
    .selectAll()
    .where('account_kid', '=', sql<string>`a.kid`)
    .where('type', '=', sql<1>`a.type`)
    .orderBy('created_at')
    .orderBy('kid')
    .limit(1)

type Root = { kid: string; username: string; email: string | null; permissions: string[] }

export async function rootLoginOf(db: Db, account_kid: string): Promise<Root> {
  const found = await db
    .selectFrom('account as a')
    .innerJoinLateral(
      () => rootLogin(db).as('root'),
      (join) => join.onTrue(),
    )
    .select(['root.kid', 'root.username', 'root.email', permissionsHeldBy('root').as('permissions')])
    .where('a.kid', '=', account_kid)
    .executeTakeFirst()
  return found ?? refuse('not_found')
}

/** What the administrators of the account `a` hold. */
export const adminPermissions = sql<string[]>`COALESCE((
  SELECT r.permissions FROM role r WHERE r.account_kid = a.kid AND r.code = 'admin' AND r.parent_kid IS NULL
), '{}')`

/** A change of accounts: all of it or nothing, refusals for names that somebody else has. */
export const changing = <T>({ db }: Deps, run: (trx: Db) => Promise<T>): Promise<T> =>
  violation(() => retrying(() => db.transaction().execute(run)), {
    account_customer_name: 'duplicate_name',
    account_sub_account_name: 'duplicate_name',
    user_account_username: 'duplicate_login_name',
    ...contactTaken,
  })

/** The account with its administrator role and its root login; nobody of it has signed in yet. */
export async function addAccount(
  deps: Deps,
  trx: Db,
  kind: { type: 1 } | { type: 2; parent_kid: string },
  draft: AccountDraft & OfCustomers & { username: string; password_hash: string },
  language: Language,
): Promise<{ kid: string; user_kid: string; invitation: Awaited<ReturnType<typeof invite>> | null }> {
  const { username, password_hash, permissions, phone, email, wechat, expire_time, ...columns } = draft
  const now = deps.clock.now()
  const { kid } = await createAccount(trx, {
    ...kind,
    ...columns,
    organization_name: columns.organization_name ?? undefined,
    user_max: columns.user_max ?? undefined,
    fae_kid: columns.fae_kid ?? undefined,
    expire_time: endOf(expire_time) ?? undefined,
    status: 'init',
    created_at: now,
  })
  const role = await createRole(trx, {
    account_kid: kid,
    code: 'admin',
    name: 'Administrator',
    weight: constants.admin_weight,
    permissions: [...new Set(permissions)],
    created_at: now,
    updated_at: now,
  })
  const user = await createUser(trx, {
    account_kid: kid,
    type: kind.type,
    username,
    name: draft.name,
    password_hash,
    phone: phone ?? undefined,
    email: email ?? undefined,
    wechat: wechat ?? undefined,
    status: 'init',
    role_kids: [role.kid],
    created_at: now,
  })
  const invited = { kid: user.kid, account_kid: kid, username, name: draft.name, email }
  const invitation = password_hash === noPassword ? await invite(trx, deps, invited, language) : null
  return { kid, user_kid: user.kid, invitation }
}

/**
 * Who sets what a root login signs in with, or switches off its second factor, can sign in as it. So nobody does who may
 * less: as with people (user-account/people.ts), refused as `role_beyond_own`, and as `no_permission` for somebody who
 * is limited to device groups, which no root login is.
 */
export function assertMayTakeOver({ session }: Ctx, root: Root): void {
  if (session.group_kids) refuse('no_permission')
  const names = beyond(root.permissions, session.permissions)
  if (names.length > 0) refuse('role_beyond_own', { names: names.join(', ') })
}

/**
 * Writes a draft over an account that is locked. Answers whose sessions the new permissions or password end, and what
 * changed. `password_hash` null keeps the password.
 */
export async function changeAccount(
  trx: Db,
  ctx: Ctx,
  before: Account,
  draft: AccountEdit & { password_hash: string | null },
): Promise<{ user_kids: string[]; changes: ChangeSaid[] }> {
  const { permissions, phone, email, wechat, expire_time, password_hash, ...columns } = draft
  const updated_at = ctx.deps.clock.now()
  const after = { ...columns, expire_time: expire_time === undefined ? undefined : endOf(expire_time) }
  const root = await rootLoginOf(trx, before.kid)
  if (password_hash !== null || (email !== undefined && email !== root.email)) assertMayTakeOver(ctx, root)
  await trx
    .updateTable('account')
    .set({ ...after, updated_at })
    .where('kid', '=', before.kid)
    .execute()
  await trx
    .updateTable('user_account')
    .set({ name: draft.name, phone, email, wechat, updated_at, ...(password_hash === null ? {} : { password_hash }) })
    .where('kid', '=', root.kid)
    .execute()
  if (password_hash !== null) await dropPasskeys(trx, root.kid)
  const limited = permissions ? await limitAccountTo(trx, before.kid, permissions) : { user_kids: [] }
  const changes = changesOf(before, after)
  if (limited.user_kids.length > 0) changes.push(['permissions_limited'])
  if (password_hash !== null) changes.push(['password_set'])
  return {
    user_kids: [...limited.user_kids, ...(password_hash === null ? [] : [root.kid])],
    changes: changes.length > 0 ? changes : [['details_changed']],
  }
}

function changesOf(
  before: Account,
  after: Omit<AccountEdit, 'expire_time'> & { expire_time?: Date | null | undefined },
): ChangeSaid[] {
  const text = (value: unknown) => (value instanceof Date ? value.toISOString() : String(value ?? '-'))
  return (Object.keys(after) as (keyof Account & keyof typeof after)[])
    .filter((key) => after[key] !== undefined && text(before[key]) !== text(after[key]))
    .map((key) => ['field_changed', { field: [key], before: text(before[key]), after: text(after[key]) }])
}

/** Locks an account after the root account above it, as registrations of devices do. Refused as `not_found`. */
export async function lockFamily(trx: Db, account: Pick<Account, 'kid' | 'parent_kid'>): Promise<Account> {
  if (account.parent_kid) await lockAccount(trx, account.parent_kid)
  const locked = await trx
    .selectFrom('account')
    .selectAll()
    .where('kid', '=', account.kid)
    .forNoKeyUpdate()
    .executeTakeFirst()
  return locked ?? refuse('not_found')
}

/** Whether a locked account may have so many places: enough for what it uses, no more than its parent has left. */
export async function assertPlaces(trx: Db, account: Account, terminal_max: number): Promise<void> {
  if (terminal_max < account.terminal_max) await assertHolds(trx, account.kid, terminal_max)
  if (terminal_max > account.terminal_max && account.parent_kid)
    await assertShare(trx, account.parent_kid, terminal_max, account.kid)
}

/** Refused when the parent, which is locked, has fewer places left; `without_kid` gives its own back first. */
export async function assertShare(trx: Db, parent_kid: string, terminal_max: number, without_kid?: string) {
  const { remaining } = await quotaOf(trx, parent_kid, without_kid)
  if (terminal_max > remaining) refuse('registered_devices_exceed_limit')
}

/** Refused for what the grantor does not hold, or the account above, unless the account has it already. */
export function assertGrantable(
  wanted: readonly string[],
  held: readonly (readonly string[])[],
  present: readonly string[] = [],
): void {
  const added = beyond(wanted, present)
  const names = new Set(held.flatMap((one) => beyond(added, one)))
  if (names.size > 0) refuse('role_beyond_own', { names: [...names].join(', ') })
}

export async function permissionsOf(db: Db, account_kid: string): Promise<string[]> {
  const found = await db
    .selectFrom('account as a')
    .select(adminPermissions.as('permissions'))
    .where('a.kid', '=', account_kid)
    .executeTakeFirst()
  return found?.permissions ?? refuse('not_found')
}

/**
 * Disables an account, which ends the sessions of everybody in it and below it, or enables it. One that nobody ever
 * signed in to is as new again.
 */
export async function setStatus(deps: Deps, kid: string, status: 'normal' | 'invalid'): Promise<void> {
  await deps.db.transaction().execute(async (trx) => {
    await trx
      .updateTable('account')
      .set({
        status: status === 'invalid' ? status : sql`CASE WHEN last_use_at IS NULL THEN 'init' ELSE 'normal' END`,
        updated_at: deps.clock.now(),
      })
      .where('kid', '=', kid)
      .execute()
    if (status === 'invalid') await endAccessWithin(trx, kid)
  })
  forgetSessions(deps)
}

/** Sessions, and links by which somebody could set a password later. */
async function endAccessWithin(trx: Db, account_kid: string): Promise<void> {
  const people = await trx
    .selectFrom('user_account as u')
    .innerJoin('account as a', 'a.kid', 'u.account_kid')
    .select('u.kid')
    .where((where) => where.or([where('a.kid', '=', account_kid), where('a.parent_kid', '=', account_kid)]))
    .execute()
  const user_kids = people.map(({ kid }) => kid)
  await trx
    .deleteFrom('session')
    .where('user_kid', '=', sql<string>`any(${user_kids}::uuid[])`)
    .execute()
  await endLinks(trx, user_kids)
}

/** Invites the root login of an account anew. Refused as `has_password`, or as taking over its login is. */
export async function inviteAgain(ctx: Ctx, account: { kid: string; parent_kid: string | null }) {
  const { deps } = ctx
  await takeInvitation(deps, ctx.account_kid)
  return changing(deps, async (trx) => {
    const { status } = await lockFamily(trx, account)
    const root = await rootLoginOf(trx, account.kid)
    assertMayTakeOver(ctx, root)
    if (status === 'invalid') refuse('account_unavailable')
    return { ...root, invitation: await inviteUserAgain(trx, deps, root.kid, ctx.request.language) }
  })
}

/** What is kept of a new password of the root login; null keeps the old one. */
export async function passwordHash(
  { db, password_cost }: Deps,
  account_kid: string,
  password: string | null,
): Promise<string | null> {
  if (password === null) return null
  assertPassword(password, (await rootLoginOf(db, account_kid)).username)
  return hashPassword(password, password_cost)
}

export const endOf = (expire_time: string | null): Date | null => (expire_time === null ? null : new Date(expire_time))
