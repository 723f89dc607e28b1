import { home_limits } from '@mdm/contract'
import { sql } from 'kysely'
import type { Actor } from '../../../actor.ts'
import type { Deps } from '../../../deps.ts'
import { countOnline } from './list/facets.ts'

const day_ms = 86_400_000

/** Devices whose storage is nearly full, the fullest first. */
export const listLowStorage = ({ scope }: Actor) =>
  scope
    .selectFrom('terminal')
    .innerJoin('terminal_state', 'terminal_state.terminal_kid', 'terminal.kid')
    .select(['terminal.kid', 'terminal.sn', 'terminal.name', 'terminal.model', 'terminal_state.storage_percent'])
    // As the index says it.
    .where(sql<boolean>`terminal_state.storage_percent >= 90`)
    .orderBy('terminal_state.storage_percent', 'desc')
    .orderBy('terminal.kid')
    .limit(home_limits.low_storage)
    .$narrowType<{ storage_percent: number }>()
    .execute()

/** Devices whose secret was used at two places and that cannot connect for it, the latest first. */
export const listQuarantined = ({ scope, deps }: Pick<Actor, 'scope' | 'deps'>) =>
  scope
    .selectFrom('terminal')
    .select(['kid', 'sn', 'name', 'model', 'quarantined_until'])
    .where('quarantined_until', '>', deps.clock.now())
    .orderBy('quarantined_until', 'desc')
    .orderBy('kid')
    .limit(home_limits.quarantined)
    .$narrowType<{ quarantined_until: Date }>()
    .execute()

/** How many devices were online over the last 24 hours, and are now. A user limited to groups sees those of the groups. */
export async function onlineHistory(actor: Actor) {
  const { scope, visible_groups, deps } = actor
  const now = deps.clock.now()
  const samples = await scope
    .selectFrom('online_sample')
    .select(['at', sql<number>`sum(online)::int`.as('online')])
    .where('at', '>=', new Date(now.getTime() - day_ms))
    .$if(visible_groups !== undefined, (q) =>
      q.where('terminal_group_kid', '=', sql<string>`any(${visible_groups}::uuid[])`),
    )
    .groupBy('at')
    .orderBy('at')
    .execute()
  return { points: [...samples, { at: now, online: await countOnline(actor) }] }
}

/** Notes how many devices of each group are online, and forgets what is older than a day. For a timer. */
export async function sampleOnline({ db, clock }: Deps): Promise<void> {
  const now = clock.now()
  await sql`
    INSERT INTO online_sample (account_kid, terminal_group_kid, at, online)
    SELECT t.account_kid, t.terminal_group_kid, ${now}, count(*) FILTER (WHERE s.is_online)::int
    FROM terminal t JOIN terminal_state s ON s.terminal_kid = t.kid
    GROUP BY t.account_kid, t.terminal_group_kid
  `.execute(db)
  await db
    .deleteFrom('online_sample')
    .where('at', '<', new Date(now.getTime() - day_ms - 3_600_000))
    .execute()
}
