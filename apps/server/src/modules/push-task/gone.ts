import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Tables } from '../../db/schema/tables.ts'
import type { Deps } from '../../deps.ts'
import { groupBy } from '../../link/group-by.ts'
import { newKid } from '../../lib/ids.ts'
import { dropPasswords } from './moves.ts'
import { openStates } from './rows.ts'

const chunk = 1_000

/**
 * Ends, in the caller's transaction, what these devices still owe, because they are cancelled. Call the result after the
 * commit: it tells the browsers. `trx` may be a tenant's scope, so there is no SQL by hand here.
 */
export async function failTasksOfDevices(
  trx: Kysely<Tables>,
  deps: Deps,
  terminal_kids: readonly string[],
): Promise<() => void> {
  const at = deps.clock.now()
  const rows = await trx
    .selectFrom('push_task_terminal')
    .select(['push_task_kid', 'terminal_kid', 'account_kid', 'attempt', 'state', 'progress'])
    .where('terminal_kid', '=', sql<string>`any(${[...terminal_kids]}::uuid[])`)
    .where('state', 'in', openStates)
    .orderBy('push_task_kid')
    .orderBy('terminal_kid')
    .forUpdate()
    .execute()
  if (rows.length === 0) return () => {}
  await trx
    .updateTable('push_task_terminal')
    .set({
      state: 'failed',
      state_at: at,
      code: 'device_gone',
      message: null,
      version: sql`version + 1`,
      cancel_asked_at: null,
      deadline_at: null,
      send_at: null,
      is_overdue: false,
    })
    .where('terminal_kid', '=', sql<string>`any(${[...terminal_kids]}::uuid[])`)
    .where('state', 'in', openStates)
    .execute()
  for (let from = 0; from < rows.length; from += chunk)
    await trx
      .insertInto('push_task_activity')
      .values(
        rows.slice(from, from + chunk).map(({ account_kid, push_task_kid, terminal_kid, attempt }) => ({
          kid: newKid(),
          account_kid,
          push_task_kid,
          terminal_kid,
          attempt,
          event: 'failed',
          at,
          code: 'device_gone',
          message: null,
          by_name: null,
        })),
      )
      .execute()
  const byTask = groupBy(rows, (row) => row.push_task_kid)
  // The rows came in the order of their tasks, and so do the locks on these.
  for (const [kid, mine] of byTask) {
    const waiting = mine.filter(({ state }) => state === 'wait_receipt').length
    await trx
      .updateTable('push_task')
      .set({ failed: sql`failed + ${mine.length}`, wait_receipt: sql`wait_receipt - ${waiting}` })
      .where('kid', '=', kid)
      .execute()
  }
  await dropPasswords(trx, [...byTask.keys()])
  return () => {
    for (const [kid, [first]] of byTask) deps.live.publish(first!.account_kid, { type: 'push_task', kid })
    for (const { account_kid, push_task_kid, terminal_kid, attempt, progress } of rows)
      deps.live.publish(account_kid, {
        type: 'push_task_terminal',
        push_task_kid,
        terminal_kid,
        state: 'failed',
        progress,
        attempt,
      })
  }
}
