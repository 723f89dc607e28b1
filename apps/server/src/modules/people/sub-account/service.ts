import type { ChangeSaid, Contract, In } from '@mdm/contract'
import { sql } from 'kysely'
import type { Actor } from '../../../actor.ts'
import { containing, readPage } from '../../../db/paging.ts'
import { refuse } from '../../../refusal.ts'
import type { Ctx } from '../../../http/context.ts'
import { belonging } from '../account/index.ts'
import * as customers from '../customer/index.ts'
import * as space from '../../store/disk-space/index.ts'
import { endAllSessions, takeInvitation, withInvitations } from '../login/index.ts'
import { lockAccount } from '../../../db/lock-account.ts'
import { newPasswordHash } from '../../../lib/passwords.ts'
import { removeAccount } from './remove.ts'

type Calls = Contract['subAccount']['calls']

// Sub-accounts are tenants of their own, outside of the caller's scope: every statement here names the account that is
// acted for as their parent instead.

export async function paging(actor: Actor, input: In<Calls['paging']>) {
  const text = input.text ? containing(input.text) : undefined
  const page = await readPage({
    query: subAccounts(actor)
      .$if(input.state !== undefined, (q) =>
        q.where(customers.shownState('a', actor.deps.clock.now()), '=', input.state!),
      )
      .$if(text !== undefined, (q) =>
        q.where((eb) =>
          eb.or([
            eb(sql`lower(a.name)`, 'like', text!),
            eb(sql`lower(a.organization_name)`, 'like', text!),
            eb(sql`lower(root.username)`, 'like', text!),
          ]),
        ),
      ),
    input,
    columns: {
      name: { ref: sql`lower(a.name)` },
      username: { ref: sql`lower(root.username)` },
      expire_time: { ref: sql`a.expire_time`, is_nullable: true },
      terminal_count: { ref: sql`a.terminal_count`, order: 'desc' },
      last_use_at: { ref: sql`a.last_use_at`, is_nullable: true, order: 'desc' },
      created_at: { ref: sql`a.created_at`, order: 'desc' },
    },
    key: sql`a.kid`,
  })
  return { ...page, items: await withInvitations(actor.deps, page.items, ({ user_kid }) => user_kid) }
}

export async function get(actor: Actor, kid: string) {
  const rows = await subAccounts(actor).where('a.kid', '=', kid).execute()
  const [found] = await withInvitations(actor.deps, rows, ({ user_kid }) => user_kid)
  if (!found) return refuse('not_found')
  const [file_disk, app_center] = [
    await space.get(actor.deps, 'file_disk', kid),
    await space.get(actor.deps, 'app_center', kid),
  ]
  return { ...found, ...(await belonging(actor.deps, kid)), file_disk, app_center }
}

function subAccounts({ deps, account_kid }: Actor) {
  return deps.db
    .selectFrom('account as a')
    .innerJoinLateral(
      () => customers.rootLogin(deps.db).as('root'),
      (join) => join.onTrue(),
    )
    .select(['a.kid', 'root.kid as user_kid', 'root.username', 'a.name', 'a.organization_name'])
    .select(['root.phone', 'root.email', 'root.wechat', 'a.remark'])
    .select(['a.terminal_max', 'a.terminal_count', 'a.expire_time', 'a.last_use_at', 'a.created_at'])
    .select([customers.shownState('a', deps.clock.now()).as('state'), customers.adminPermissions.as('permissions')])
    .where('a.parent_kid', '=', account_kid)
    .where('a.type', '=', 2)
}

export async function insert(
  { deps, session, account_kid, request }: Ctx,
  { password, ...draft }: In<Calls['insert']>,
) {
  if (password === null) await takeInvitation(deps, account_kid)
  const password_hash = await newPasswordHash(password, draft.username, deps.password_cost)
  return customers.changing(deps, async (trx) => {
    // Everybody who wants a share of these places waits here.
    const parent = await lockAccount(trx, account_kid)
    if (parent.type !== 1 || !parent.sub_accounts_allowed) refuse('sub_accounts_not_allowed')
    const above = await customers.permissionsOf(trx, account_kid)
    customers.assertGrantable(draft.permissions, [session.permissions, above])
    await customers.assertShare(trx, account_kid, draft.terminal_max)
    const { file_disk_share, app_center_share, ...rest } = { ...draft, password_hash }
    const added = await customers.addAccount(deps, trx, { type: 2, parent_kid: account_kid }, rest, request.language)
    await space.setShares(deps, trx, added.kid, { file_disk: file_disk_share, app_center: app_center_share })
    return added
  })
}

/** Answers what changed. */
export async function update(
  ctx: Ctx,
  { kid, password, file_disk_share, app_center_share, ...draft }: In<Calls['update']>,
): Promise<ChangeSaid[]> {
  const { deps, session, account_kid } = ctx
  await assertBelow(ctx, kid)
  const password_hash = await customers.passwordHash(deps, kid, password)
  const done = await customers.changing(deps, async (trx) => {
    const before = await customers.lockFamily(trx, { kid, parent_kid: account_kid })
    const above = await customers.permissionsOf(trx, account_kid)
    const present = await customers.permissionsOf(trx, kid)
    customers.assertGrantable(draft.permissions ?? present, [session.permissions, above], present)
    await customers.assertPlaces(trx, before, draft.terminal_max)
    await space.setShares(deps, trx, kid, { file_disk: file_disk_share, app_center: app_center_share })
    return customers.changeAccount(trx, ctx, before, { ...draft, password_hash })
  })
  await endAllSessions(deps, done.user_kids)
  return done.changes
}

export async function invite(ctx: Ctx, kid: string) {
  await assertBelow(ctx, kid)
  return customers.inviteAgain(ctx, { kid, parent_kid: ctx.account_kid })
}

export async function setStatus(actor: Actor, { kid, status }: In<Calls['set_status']>): Promise<void> {
  await assertBelow(actor, kid)
  await customers.setAccountStatus(actor.deps, kid, status)
}

/** Refused as `delete_failed` while it has devices, files or people; answers its name. */
export async function remove(actor: Actor, kid: string): Promise<string> {
  const { deps, account_kid } = actor
  await assertBelow(actor, kid)
  return removeAccount(deps, { kid, parent_kid: account_kid })
}

async function assertBelow({ deps, account_kid }: Actor, kid: string): Promise<void> {
  const found = await deps.db
    .selectFrom('account')
    .select('kid')
    .where('kid', '=', kid)
    .where('parent_kid', '=', account_kid)
    .where('type', '=', 2)
    .executeTakeFirst()
  if (!found) refuse('not_found')
}
