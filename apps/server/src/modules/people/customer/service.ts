import { elementsOf } from '@mdm/contract'
import type { Contract, In } from '@mdm/contract'
import type { Kysely } from 'kysely'
import type { Tables } from '../../../db/schema/tables.ts'
import type { Deps } from '../../../deps.ts'
import { refuse } from '../../../refusal.ts'
import type { Ctx } from '../../../http/context.ts'
import { forgetSessions } from '../../../http/session-cache.ts'
import { accountCanBeEntered } from '../../../http/session-row.ts'
import { newPasswordHash } from '../../../lib/passwords.ts'
import { disableTotp } from '../account/index.ts'
import { endAllSessions, endSessions, takeInvitation } from '../login/index.ts'
import { assertRoomForCustomer } from '../activation/index.ts'
import { assertGrantable, assertMayTakeOver, assertPlaces, addAccount, changeAccount } from './accounts.ts'
import {
  changing,
  endOf,
  lockFamily,
  passwordHash,
  permissionsOf,
  rootLoginOf,
  setStatus as setAccountStatus,
} from './accounts.ts'

type Calls = Contract['opsAccount']['calls']
type Db = Kysely<Tables>

export async function insert(
  { deps, session, account_kid, request }: Ctx,
  { password, ...draft }: In<Calls['insert']>,
) {
  assertGrantable(draft.permissions, [session.permissions])
  if (password === null) await takeInvitation(deps, account_kid)
  const password_hash = await newPasswordHash(password, draft.username, deps.password_cost)
  return changing(deps, async (trx) => {
    await assertFae(trx, draft.fae_kid)
    await assertRoomForCustomer(deps, trx)
    return addAccount(deps, trx, { type: 1 }, { ...draft, password_hash }, request.language)
  })
}

/** Answers what changed. */
export async function update(ctx: Ctx, { kid, password, ...draft }: In<Calls['update']>) {
  const { deps, session } = ctx
  const found = await assertCustomer(deps, kid)
  const password_hash = await passwordHash(deps, kid, password)
  const done = await changing(deps, async (trx) => {
    const before = await lockFamily(trx, found)
    if (draft.fae_kid !== undefined && draft.fae_kid !== before.fae_kid) await assertFae(trx, draft.fae_kid)
    const above = before.parent_kid === null ? [] : [await permissionsOf(trx, before.parent_kid)]
    const present = await permissionsOf(trx, kid)
    assertGrantable(draft.permissions ?? present, [session.permissions, ...above], present)
    await assertPlaces(trx, before, draft.terminal_max)
    // Only customers have accounts below them.
    const sub_accounts_allowed = before.type === 1 ? draft.sub_accounts_allowed : false
    return changeAccount(trx, ctx, before, { ...draft, sub_accounts_allowed, password_hash })
  })
  await endAllSessions(deps, done.user_kids)
  return done.changes
}

export async function setStatus(deps: Deps, { kid, status }: In<Calls['set_status']>): Promise<void> {
  await assertCustomer(deps, kid)
  await setAccountStatus(deps, kid, status)
}

export async function renew(deps: Deps, { kid, expire_time, terminal_max }: In<Calls['renew']>): Promise<void> {
  const found = await assertCustomer(deps, kid)
  await changing(deps, async (trx) => {
    const before = await lockFamily(trx, found)
    if (terminal_max !== undefined) await assertPlaces(trx, before, terminal_max)
    await trx
      .updateTable('account')
      .set({
        expire_time: endOf(expire_time),
        terminal_max: terminal_max ?? before.terminal_max,
        updated_at: deps.clock.now(),
      })
      .where('kid', '=', kid)
      .execute()
  })
  forgetSessions(deps)
}

/** Switches off the two-factor sign-in of the root login, for somebody who lost the device. Answers whose it was. */
export async function resetTotp(ctx: Ctx, kid: string): Promise<string> {
  const { deps } = ctx
  const found = await assertCustomer(deps, kid)
  const user_kid = await changing(deps, async (trx) => {
    await lockFamily(trx, found)
    const root = await rootLoginOf(trx, kid)
    assertMayTakeOver(ctx, root)
    await disableTotp(trx, root.kid)
    return root.kid
  })
  await endSessions(deps, user_kid)
  return user_kid
}

/** The provider's people, who may look after a customer. */
export const listFae = ({ db }: Deps) =>
  db
    .selectFrom('user_account')
    .select(['kid', 'name', 'username'])
    .where('type', '=', 101)
    .where('status', '!=', 'invalid')
    .orderBy('name')
    .orderBy('kid')
    .execute()

async function assertFae(db: Db, kid: string | null): Promise<void> {
  if (kid === null) return
  const found = await db
    .selectFrom('user_account')
    .select('kid')
    .where('kid', '=', kid)
    .where('type', '=', 101)
    .where('status', '!=', 'invalid')
    .executeTakeFirst()
  if (!found) refuse('fae_unknown')
}

/** What an account's administrators, a role or a user may do. Refused as `not_found`. */
export async function getElements({ db }: Deps, { scope, scope_kid }: In<Calls['get_elements']>) {
  const permissions = await heldBy[scope](db, scope_kid)
  return { permissions, elements: elementsOf(permissions) }
}
const heldBy: Record<In<Calls['get_elements']>['scope'], (db: Db, kid: string) => Promise<string[]>> = {
  account: permissionsOf,
  async role(db, kid) {
    const role = await db.selectFrom('role').select('permissions').where('kid', '=', kid).executeTakeFirst()
    return role?.permissions ?? refuse('not_found')
  },
  async user(db, kid) {
    const user = await db.selectFrom('user_account').select('kid').where('kid', '=', kid).executeTakeFirst()
    if (!user) return refuse('not_found')
    const roles = await db
      .selectFrom('role')
      .innerJoin('user_role', 'user_role.role_kid', 'role.kid')
      .select('role.permissions')
      .where('user_role.user_kid', '=', kid)
      .execute()
    return [...new Set(roles.flatMap((role) => role.permissions))].toSorted()
  },
}

/** Refused as `not_found` for what is no customer nor sub-account. */
export async function assertCustomer({ db }: Deps, kid: string): Promise<{ kid: string; parent_kid: string | null }> {
  const found = await db
    .selectFrom('account')
    .select(['kid', 'parent_kid'])
    .where('kid', '=', kid)
    .where('type', 'in', [1, 2])
    .executeTakeFirst()
  return found ?? refuse('not_found')
}

/** From now on this session acts for the customer. Refused as `not_found` or `account_unavailable`. */
export async function enter(ctx: Ctx, kid: string) {
  const { deps } = ctx
  const customer = await deps.db
    .selectFrom('account as a')
    .select(['a.kid', 'a.name'])
    .select(accountCanBeEntered('a', deps.clock.now()).as('can_enter'))
    .where('a.kid', '=', kid)
    .where('a.type', 'in', [1, 2])
    .executeTakeFirst()
  if (!customer) return refuse('not_found')
  if (!customer.can_enter) return refuse('account_unavailable')
  await setEntered(ctx, customer.kid)
  return { enter_kid: customer.kid, enter_name: customer.name }
}

export const leave = (ctx: Ctx): Promise<void> => setEntered(ctx, null)

async function setEntered({ deps, session }: Ctx, enter_kid: string | null): Promise<void> {
  await deps.db.updateTable('session').set({ enter_kid }).where('kid', '=', session.kid).execute()
  forgetSessions(deps)
}
