import type { Contract, In } from '@mdm/contract'
import { sql } from 'kysely'
import { containing, readPage } from '../../../db/paging.ts'
import type { Deps } from '../../../deps.ts'
import { spaceIn } from '../../store/disk-space/index.ts'
import { refuse } from '../../../refusal.ts'
import { accountCanBeEntered } from '../../../http/session-row.ts'
import { withInvitations } from '../login/index.ts'
import { belonging } from '../account/index.ts'
import { adminPermissions, rootLogin, shownState } from './accounts.ts'

type Calls = Contract['opsAccount']['calls']
type Found = { state: 'normal' | 'init' | 'invalid'; status: 'normal' | 'init' | 'invalid'; can_enter: boolean }
const day_ms = 24 * 3_600_000

/** The accounts that are customers or below one, for the provider. */
export async function paging(deps: Deps, input: In<Calls['paging']>) {
  const now = deps.clock.now()
  const { expires_within_days, fae_kid, type } = input
  const text = input.text ? containing(input.text) : undefined
  const query = customers(deps)
    .$if(input.state !== undefined, (q) => q.where(shownState('a', now), '=', input.state!))
    .$if(type !== undefined, (q) => q.where('a.type', '=', type!))
    .$if(fae_kid !== undefined, (q) => q.where('a.fae_kid', '=', fae_kid!))
    .$if(expires_within_days !== undefined, (q) =>
      q.where('a.expire_time', '<=', new Date(now.getTime() + expires_within_days! * day_ms)),
    )
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
      created_at: { ref: sql`a.created_at`, order: 'desc' },
    },
    key: sql`a.kid`,
  })
  return { ...page, items: (await withInvitations(deps, items, ({ root_kid }) => root_kid)).map(shown) }
}

/** One with everything that its form has. */
export async function get(deps: Deps, kid: string) {
  const row = await customers(deps)
    .innerJoin('disk_space as f', (join) => join.onRef('f.account_kid', '=', 'a.kid').on('f.area', '=', 'file_disk'))
    .innerJoin('disk_space as p', (join) => join.onRef('p.account_kid', '=', 'a.kid').on('p.area', '=', 'app_center'))
    .select(['root.kid as user_kid', 'root.phone', 'root.email', 'root.wechat', 'a.remark', 'a.sub_accounts_allowed'])
    .select(adminPermissions.as('permissions'))
    .select([spaceIn('f').as('file_disk_space'), 'f.used_bytes as file_disk_used'])
    .select([spaceIn('p').as('app_center_space'), 'p.used_bytes as app_center_used'])
    .where('a.kid', '=', kid)
    .where('root.kid', 'is not', null)
    .$narrowType<{ user_kid: string }>()
    .executeTakeFirst()
  if (!row) return refuse('not_found')
  const [found] = await withInvitations(deps, [row], ({ root_kid }) => root_kid)
  return { ...shown(found!), ...(await belonging(deps, kid)) }
}

function customers({ db, clock }: Deps) {
  const now = clock.now()
  return db
    .selectFrom('account as a')
    .leftJoinLateral(
      () => rootLogin(db).as('root'),
      (join) => join.onTrue(),
    )
    .leftJoin('user_account as fae', 'fae.kid', 'a.fae_kid')
    .select(['a.kid', 'a.name', 'a.organization_name', 'a.type', 'a.parent_kid', 'a.status', 'a.created_at'])
    .select(['a.terminal_max', 'a.terminal_count', 'a.user_max', 'a.expire_time', 'a.last_use_at'])
    .select(['a.fae_kid', 'fae.name as fae_name', 'root.kid as root_kid'])
    .select((eb) => [
      sql<string>`COALESCE(root.username, '')`.as('username'),
      shownState('a', now).as('state'),
      sql<boolean>`COALESCE(LEAST(a.expire_time, (SELECT above.expire_time FROM account above WHERE above.kid = a.parent_kid)) <= ${now}, false)`.as(
        'is_expired',
      ),
      accountCanBeEntered('a', now).as('can_enter'),
      eb
        .selectFrom('user_account as person')
        .whereRef('person.account_kid', '=', 'a.kid')
        .where('person.type', '=', 3)
        .select(sql<number>`count(*)::integer`.as('n'))
        .$asScalar()
        .$notNull()
        .as('user_count'),
    ])
    .where('a.type', 'in', [1, 2])
}

const shown = <Row extends Found>({ can_enter, status, ...row }: Row) => ({
  ...row,
  can: [
    ...(can_enter ? (['enter'] as const) : []),
    status === 'invalid' ? ('enable' as const) : ('disable' as const),
    'renew' as const,
  ],
})
