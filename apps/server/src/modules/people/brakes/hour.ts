import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Actor } from '../../../actor.ts'
import { lockAccount } from '../../../db/lock-account.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import { refuse } from '../../../refusal.ts'
import { isPush } from './acts.ts'
import type { Act } from './acts.ts'

type Db = Kysely<Tables>
type Of = Pick<Actor, 'deps' | 'account_kid'>
/** How often an act may be done within an hour; `Infinity` where it is not limited. */
type Hour = { act: Act; max: number }
const hour_ms = 3_600_000

/** The hour of which devices count. What a clock that was wrong has dated into the future is not lately, until its date comes. */
export function latelyOf({ clock }: Actor['deps']): { since: Date; until: Date } {
  const now = clock.now().getTime()
  return { since: new Date(now - hour_ms), until: new Date(now + hour_ms) }
}

/** What one account may do within an hour, and so what a stolen session can do. @throws `task_too_many_per_hour`, `scrap_limit` */
export async function assertHourly(trx: Db, actor: Of, hour: Hour, devices: number): Promise<void> {
  const left = await hourlyLeft(trx, actor, hour)
  if (devices > left) refuse(isPush(hour.act) ? 'task_too_many_per_hour' : 'scrap_limit', { max: hour.max, left })
}

/** To how many devices of the account it may still be done within this hour. */
export async function hourlyLeft(trx: Db, actor: Of, { act, max }: Hour): Promise<number> {
  if (max === Infinity) return max
  await lockAccount(trx, actor.account_kid)
  return Math.max(0, max - (isPush(act) ? await pushed(trx, actor, act) : await scrapped(trx, actor)))
}

/** What was begun or tried again, and what is still to begin or to be tried again. */
async function pushed(trx: Db, { deps, account_kid }: Of, type: Act): Promise<number> {
  const { since, until } = latelyOf(deps)
  const { rows } = await sql<{ devices: number }>`
    SELECT (
      SELECT count(*) FROM push_task k JOIN push_task_activity a ON a.push_task_kid = k.kid
      WHERE k.account_kid = ${account_kid} AND k.type = ${type} AND a.event IN ('created', 'retried')
        AND a.at > ${since} AND a.at < ${until}
    )::integer + (
      SELECT COALESCE(sum(k.target_count - k.total), 0) FROM push_task k
      WHERE k.account_kid = ${account_kid} AND k.type = ${type} AND k.phase IN ('awaiting_approval', 'planned', 'creating')
    )::integer + (
      SELECT COALESCE(sum((k.retry->>'left')::integer), 0) FROM push_task k
      WHERE k.account_kid = ${account_kid} AND k.type = ${type} AND k.retry_at IS NOT NULL
    )::integer AS devices
  `.execute(trx)
  return rows[0]!.devices
}

/** What waits to be scrapped counts as if it were done. */
async function scrapped(trx: Db, { deps, account_kid }: Of): Promise<number> {
  const { since, until } = latelyOf(deps)
  const { done } = await trx
    .selectFrom('scrapped_sn')
    .select((eb) => eb.cast<number>(eb.fn.countAll(), 'integer').as('done'))
    .where('account_kid', '=', account_kid)
    .where('scrapped_at', '>', since)
    .where('scrapped_at', '<', until)
    .executeTakeFirstOrThrow()
  const { waiting } = await trx
    .selectFrom('scrap_schedule')
    .select((eb) => eb.cast<number>(eb.fn.coalesce(eb.fn.sum('total'), eb.lit(0)), 'integer').as('waiting'))
    .where('account_kid', '=', account_kid)
    .where('state', '=', 'waiting')
    .executeTakeFirstOrThrow()
  return done + waiting
}
