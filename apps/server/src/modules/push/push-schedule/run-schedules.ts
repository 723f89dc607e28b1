import { contract, pushKindOf } from '@mdm/contract'
import type { PushWork } from '@mdm/contract'
import { sql } from 'kysely'
import type { Selectable } from 'kysely'
import { issuerOf } from '../../../actor.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import type { Deps } from '../../../deps.ts'
import { clockDoubt } from '../../../lib/clock-watch.ts'
import { unseal } from '../../../lib/sealed.ts'
import { Refusal, remembered } from '../../../refusal.ts'
import { actingFor, insert as push } from '../push-task/index.ts'
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

/** Schedules that are looked at in one statement. */
const looked_at_once = 500

/** None waits for a later time than its next one after now, as it does that a clock far ahead has moved on. */
export async function putSchedulesRight({ db, clock, log }: Deps): Promise<void> {
  for (let after = '00000000-0000-0000-0000-000000000000'; ;) {
    const now = clock.now()
    const rows = await db
      .selectFrom('push_schedule')
      .select(['kid', 'cron', 'zone', 'next_at'])
      .where('next_at', '>', new Date(now.getTime() + late_ms))
      .where('kid', '>', after)
      .orderBy('kid')
      .limit(looked_at_once)
      .execute()
    for (const { kid, next_at, ...times } of rows) {
      const next = firstRun(times, now)
      if (!next || next_at!.getTime() - next.getTime() <= late_ms) continue
      // As it was read: who edits it meanwhile has said when it is due.
      await db
        .updateTable('push_schedule')
        .set({ next_at: next })
        .where('kid', '=', kid)
        .where('next_at', '=', next_at)
        .execute()
      log.warn({ push_schedule_kid: kid }, 'the next time of a recurring push lay too far ahead')
    }
    if (rows.length < looked_at_once) return
    after = rows.at(-1)!.kid
  }
}

/** Undefined of times that never come: a date may have been the last one. */
function firstRun(times: Pick<Row, 'cron' | 'zone'>, now: Date): Date | undefined {
  try {
    return nextRuns(times, now, 1)[0]
  } catch {
    return undefined
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
  const { kid, account_kid } = row
  const keepOutcome = (set: { last_task_kid?: string; last_error: string | null }) =>
    deps.db.updateTable('push_schedule').set(set).where('kid', '=', kid).execute()
  try {
    const actor = await actingFor(deps, issuerOf(row), pushKindOf(row.type).needs)
    const work = { type: row.type, payload: JSON.parse(await unseal(deps, row.payload_sealed)) } as PushWork
    const { offline_days, ...to } = row.to
    const input = contract.pushTask.calls.insert.input.parse({
      ...to,
      ...work,
      description: row.description,
      conditions: row.conditions,
      ...(row.rollout && { rollout: row.rollout }),
    })
    const made = await push(actor, input, { schedule_kid: kid, offline_days })
    await keepOutcome({ last_task_kid: made.kid, last_error: null })
  } catch (error) {
    if (!(error instanceof Refusal))
      deps.log.error({ err: error, push_schedule_kid: kid }, 'a recurring push was not made')
    await keepOutcome({ last_error: remembered(error) })
  }
  deps.live.publish(account_kid, { type: 'push_schedule_changed' })
}
