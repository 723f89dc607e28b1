import { contract } from '@mdm/contract'
import type { PushWork } from '@mdm/contract'
import { sql } from 'kysely'
import type { Selectable } from 'kysely'
import { actorOf } from '../../actor.ts'
import type { Tables } from '../../db/schema/tables.ts'
import type { Deps } from '../../deps.ts'
import { clockDoubt } from '../../lib/clock-watch.ts'
import { unseal } from '../../lib/sealed.ts'
import { Refusal } from '../../refusal.ts'
import { insert as push, creatorsReach } from '../push-task/service.ts'
import { nextRuns } from './cron.ts'

type Row = Selectable<Tables['push_schedule']>
/** What was missed for longer, because no server ran, is left out: nobody expects last night's restart at noon. */
const late_ms = 3_600_000

/** Makes the pushes that are due, each schedule once whatever was missed. Not by a clock in doubt. */
export async function runSchedules(deps: Deps): Promise<void> {
  if (clockDoubt(deps)) return
  for (;;) {
    const claimed = await claim(deps)
    if (!claimed) return
    if (!claimed.is_late) await run(deps, claimed.row)
  }
}

/** Its next time is committed before the push is made: a killed server leaves a run out rather than doing it twice. */
const claim = (deps: Deps): Promise<{ row: Row; is_late: boolean } | undefined> =>
  deps.db.transaction().execute(async (trx) => {
    const now = deps.clock.now()
    const { rows } = await sql<Row>`
      SELECT * FROM push_schedule WHERE next_at <= ${now} ORDER BY next_at, kid LIMIT 1 FOR UPDATE SKIP LOCKED
    `.execute(trx)
    const row = rows[0]
    if (!row) return undefined
    await trx
      .updateTable('push_schedule')
      .set({ next_at: nextRuns(row, now, 1)[0]!, last_at: now, runs: row.runs + 1 })
      .where('kid', '=', row.kid)
      .execute()
    return { row, is_late: row.next_at!.getTime() < now.getTime() - late_ms }
  })

/** As whoever created it, with what that person may do today. */
async function run(deps: Deps, row: Row): Promise<void> {
  const { kid, account_kid, created_by_kid, created_by } = row
  const note = (set: { last_task_kid?: string; last_error: string | null }) =>
    deps.db.updateTable('push_schedule').set(set).where('kid', '=', kid).execute()
  try {
    const reach = await creatorsReach(deps.db, row, deps.clock.now())
    if (reach === 'none') throw new Refusal('no_permission')
    const actor = actorOf(deps, { account_kid, group_kids: reach, user_kid: created_by_kid, name: created_by })
    const work = { type: row.type, payload: JSON.parse(await unseal(deps, row.payload_sealed)) } as PushWork
    const { offline_days, ...to } = row.to
    const input = contract.pushTask.calls.insert.input.parse({
      ...to,
      ...work,
      description: row.description,
      conditions: row.conditions,
      ...(row.rollout && { rollout: row.rollout }),
    })
    const made = await push({ ...actor, destroys: (devices) => Promise.resolve(devices) }, input, {
      schedule_kid: kid,
      offline_days,
    })
    await note({ last_task_kid: made.kid, last_error: null })
  } catch (error) {
    const refusal = error instanceof Refusal ? error : undefined
    if (!refusal) deps.log.error({ err: error, push_schedule_kid: kid }, 'a recurring push was not made')
    const said = { name: refusal?.refusal ?? 'internal', details: refusal?.details ?? {} }
    await note({ last_error: JSON.stringify(said) })
  }
  deps.live.publish(account_kid, { type: 'push_schedule_changed' })
}
