import { scrap_kept_hours, scrap_listed_max } from '@mdm/contract'
import type { ScrapSchedule } from '@mdm/contract'
import { sql } from 'kysely'
import type { Selectable } from 'kysely'
import type { Actor } from '../../../../actor.ts'
import type { Tables } from '../../../../db/schema/tables.ts'
import { refuse } from '../../../../refusal.ts'

export type Schedule = Selectable<Tables['scrap_schedule']>

const hour_ms = 3_600_000

/** A user limited to groups sees what they asked for, and what is about devices that were all in these groups. */
const visible = ({ deps, scope, visible_groups, user }: Actor) =>
  scope
    .selectFrom('scrap_schedule')
    .selectAll()
    .where((eb) =>
      eb.or([
        eb('state', '=', 'waiting'),
        eb('finished_at', '>', new Date(deps.clock.now().getTime() - scrap_kept_hours * hour_ms)),
      ]),
    )
    .$if(visible_groups !== undefined, (q) =>
      q.where((eb) =>
        eb.or([
          eb('created_by_kid', '=', user.kid),
          sql<boolean>`${eb.ref('group_kids')} <@ ${[...visible_groups!]}::uuid[]`,
        ]),
      ),
    )

export const schedules = (actor: Actor): Promise<Schedule[]> =>
  visible(actor)
    .orderBy(sql`state = 'waiting'`, 'desc')
    .orderBy('created_at', 'desc')
    .orderBy('kid', 'desc')
    .limit(scrap_listed_max)
    .execute()

/** Whoever may scrap devices may stop it, whoever began. What is stopped already stays so. */
export async function cancelSchedule(actor: Actor, schedule_version: string): Promise<Schedule> {
  const { deps, scope, account_kid, user } = actor
  const found = await visible(actor).where('kid', '=', schedule_version).executeTakeFirst()
  if (!found) return refuse('not_found')
  const row = await scope
    .updateTable('scrap_schedule')
    .set({ state: 'canceled', canceled_by: user.name, finished_at: deps.clock.now() })
    .where('kid', '=', found.kid)
    .where('state', '=', 'waiting')
    .returningAll()
    .executeTakeFirst()
  if (row) deps.live.publish(account_kid, { type: 'scrap_schedule_changed' })
  return row ?? (await stopped(actor, found.kid)) ?? refuse('scrap_not_waiting')
}

const stopped = ({ scope }: Actor, kid: string): Promise<Schedule | undefined> =>
  scope
    .selectFrom('scrap_schedule')
    .selectAll()
    .where('kid', '=', kid)
    .where('state', '=', 'canceled')
    .executeTakeFirst()

export const shownSchedule = (row: Schedule, now: Date, user_kid: string): ScrapSchedule => ({
  schedule_version: row.kid,
  state: row.state,
  total: row.total,
  scrapped: row.scrapped,
  due_at: row.due_at.toISOString(),
  due_in_seconds: row.state === 'waiting' ? Math.max(0, Math.ceil((row.due_at.getTime() - now.getTime()) / 1_000)) : 0,
  is_own: row.created_by_kid === user_kid,
  created_by: row.created_by,
  created_at: row.created_at.toISOString(),
  canceled_by: row.canceled_by,
  finished_at: row.finished_at?.toISOString() ?? null,
})
