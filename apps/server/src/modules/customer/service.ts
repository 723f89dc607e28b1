import type { Contract, In } from '@mdm/contract'
import { sql } from 'kysely'
import { containing, readPage } from '../../db/paging.ts'
import type { Deps } from '../../deps.ts'
import { refuse } from '../../http/context.ts'
import type { SignedIn } from '../../http/context.ts'
import { forgetSessions } from '../../http/session-cache.ts'
import { accountCanBeEntered } from '../../http/session-row.ts'

/** The accounts that are customers or below one, for the provider. */
export async function paging({ db, clock }: Deps, input: In<Contract['opsAccount']['calls']['paging']>) {
  const text = input.text ? containing(input.text) : undefined
  const query = db
    .selectFrom('account as a')
    .leftJoinLateral(
      (eb) =>
        eb
          .selectFrom('user_account')
          .select(['username'])
          .whereRef('account_kid', '=', 'a.kid')
          .whereRef('type', '=', 'a.type')
          .orderBy('created_at')
          .limit(1)
          .as('root'),
      (join) => join.onTrue(),
    )
    .select(['a.kid', 'a.name', 'a.organization_name', 'a.type', 'a.parent_kid', 'a.status as state'])
    .select(['a.terminal_max', 'a.terminal_count', 'a.expire_time', 'a.last_use_at', 'a.fae_name'])
    .select([sql<string>`COALESCE(root.username, '')`.as('username')])
    .select(accountCanBeEntered('a', clock.now()).as('can_enter'))
    .where('a.type', 'in', [1, 2])
    .$if(input.state !== undefined, (q) => q.where('a.status', '=', input.state!))
    .$if(text !== undefined, (q) =>
      q.where((eb) =>
        eb.or([
          eb(sql`lower(a.name)`, 'like', text!),
          eb(sql`lower(a.organization_name)`, 'like', text!),
          eb(sql`lower(root.username)`, 'like', text!),
        ]),
      ),
    )
  const { items, ...page } = await readPage({
    query,
    input,
    columns: {
      name: { ref: sql`lower(a.name)` },
      username: { ref: sql`lower(root.username)`, is_nullable: true },
      expire_time: { ref: sql`a.expire_time`, is_nullable: true },
      terminal_count: { ref: sql`a.terminal_count`, order: 'desc' },
      last_use_at: { ref: sql`a.last_use_at`, is_nullable: true, order: 'desc' },
    },
    key: sql`a.kid`,
  })
  return {
    ...page,
    items: items.map(({ can_enter, ...row }) => ({ ...row, can: can_enter ? ['enter' as const] : [] })),
  }
}

/** From now on this session acts for the customer. Refused as `not_found` or `account_unavailable`. */
export async function enter(deps: Deps, session: SignedIn, kid: string) {
  const customer = await deps.db
    .selectFrom('account as a')
    .select(['a.kid', 'a.name'])
    .select(accountCanBeEntered('a', deps.clock.now()).as('can_enter'))
    .where('a.kid', '=', kid)
    .where('a.type', 'in', [1, 2])
    .executeTakeFirst()
  if (!customer) return refuse('not_found')
  if (!customer.can_enter) return refuse('account_unavailable')
  await setEntered(deps, session, customer.kid)
  return { enter_kid: customer.kid, enter_name: customer.name }
}

export const leave = (deps: Deps, session: SignedIn): Promise<void> => setEntered(deps, session, null)

async function setEntered(deps: Deps, session: SignedIn, enter_kid: string | null): Promise<void> {
  await deps.db.updateTable('session').set({ enter_kid }).where('kid', '=', session.kid).execute()
  forgetSessions(deps)
}
