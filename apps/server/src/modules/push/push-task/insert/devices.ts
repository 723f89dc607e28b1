import { deadlineSeconds } from '@mdm/contract'
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import { records } from '../../../../db/records.ts'
import type { Tables } from '../../../../db/schema/tables.ts'
import { newKid } from '../../../../lib/ids.ts'

export type RowsOfPush = {
  push_task_kid: string
  account_kid: string
  type: string
  by_name: string
  now: Date
  open_until: Date | null
  /** Groups that the devices have to be in. */
  visible_groups?: readonly string[] | null
}

/** When what is owed from now on ends, if the device is never heard of. */
export const receiptDeadline = ({ now, open_until }: Pick<RowsOfPush, 'now' | 'open_until'>): Date =>
  open_until ?? new Date(now.getTime() + deadlineSeconds.wait_receipt * 1000)

/** Makes rows of those of the devices that are still in the account, and in the groups of `visible_groups`. Nothing is sent for one of a step, which begins later. */
export async function insertDevices(
  trx: Kysely<Tables>,
  task: RowsOfPush,
  devices: readonly { terminal_kid: string; step: number | null }[],
): Promise<string[]> {
  const { push_task_kid, account_kid, now, visible_groups } = task
  const is_reached = visible_groups ? sql`AND t.terminal_group_kid = ANY(${[...visible_groups]}::uuid[])` : sql``
  const chosen = devices.map(({ terminal_kid, step }) => ({ t: terminal_kid, s: step }))
  // Locked against a cancellation of the device, which ends its open rows: none may appear after that.
  const { rows: inserted } = await sql<{ terminal_kid: string }>`
    INSERT INTO push_task_terminal (push_task_kid, terminal_kid, account_kid, sn, type, state_at, deadline_at, send_at,
      created_at, step, open_until)
    SELECT ${push_task_kid}::uuid, t.kid, t.account_kid, t.sn, ${task.type}::text, ${now}::timestamptz,
      CASE WHEN r.s IS NULL THEN ${receiptDeadline(task)}::timestamptz END,
      CASE WHEN r.s IS NULL THEN ${now}::timestamptz END, ${now}::timestamptz, r.s, ${task.open_until}::timestamptz
    FROM ${records(chosen).as('r(t uuid, s integer)')}
    JOIN terminal t ON t.kid = r.t AND t.account_kid = ${account_kid} ${is_reached}
    ORDER BY t.kid FOR KEY SHARE OF t
    RETURNING terminal_kid
  `.execute(trx)
  const rows = inserted.map(({ terminal_kid: t }) => ({ k: newKid(), t }))
  await sql`
    INSERT INTO push_task_activity (kid, account_kid, push_task_kid, terminal_kid, attempt, event, at, by_name)
    SELECT r.k, ${account_kid}::uuid, ${push_task_kid}::uuid, r.t, 1, 'created', ${now}::timestamptz, ${task.by_name}::text
    FROM ${records(rows).as('r(k uuid, t uuid)')}
  `.execute(trx)
  return inserted.map(({ terminal_kid }) => terminal_kid)
}
