import { deadlineSeconds, groupValues, pushKindOf } from '@mdm/contract'
import type { Contract, In, PushTaskRow, TerminalFilter } from '@mdm/contract'
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Actor } from '../../actor.ts'
import { retrying } from '../../db/retrying.ts'
import type { Ctx } from '../../http/context.ts'
import type { Tables } from '../../db/schema/tables.ts'
import { newKid } from '../../lib/ids.ts'
import { Refusal, refuse } from '../../refusal.ts'
import { resolveTargets } from '../terminal-filter/service.ts'
import { subtree } from '../terminal-group/service.ts'
import { kindOf } from './kinds/kinds.ts'
import { get } from './read.ts'

type Input = In<Contract['pushTask']['calls']['insert']>
type Pusher = Actor & Pick<Ctx, 'destroys'>

const chunk = 2_000

/** Creates a task for all of the devices that were named, or nothing at all; of what matches, for those that are still there. */
export async function insert(actor: Pusher, input: Input): Promise<PushTaskRow> {
  const { deps, account_kid, user } = actor
  const { kids, named } = await targets(actor, input)
  const kind = kindOf(input.type)
  if (pushKindOf(input.type).is_destructive) await actor.destroys(kids.length)
  const { payload, summary } = (await kind.store?.(actor, input.payload)) ?? { payload: input.payload, summary: '' }
  const push_task_kid = newKid()
  const now = deps.clock.now()
  const terminal_kids = await retrying(() =>
    deps.db.transaction().execute(async (trx) => {
      await trx
        .insertInto('push_task')
        .values({
          kid: push_task_kid,
          account_kid,
          type: input.type,
          payload: JSON.stringify(payload),
          description: input.description,
          summary,
          created_by_kid: user.kid,
          created_by: user.name,
          created_at: now,
          total: kids.length,
          wait_receipt: kids.length,
        })
        .execute()
      const task = { push_task_kid, account_kid, type: input.type, by_name: user.name, now }
      const inserted: string[] = []
      for (let at = 0; at < kids.length; at += chunk)
        inserted.push(...(await insertDevices(trx, task, kids.slice(at, at + chunk))))
      if (inserted.length < kids.length) await leaveOut(trx, push_task_kid, named, inserted)
      await kind.created?.(trx, actor, payload)
      return inserted
    }),
  )
  deps.live.publish(account_kid, { type: 'push_task', kid: push_task_kid })
  deps.link.wake(terminal_kids)
  return get(actor, push_task_kid)
}

/** Of named devices and a group's together, or of all that match. */
async function targets(actor: Actor, { terminal_kids, terminal_group_kid, match }: Input) {
  const of_group: TerminalFilter | undefined = terminal_group_kid === undefined ? undefined : { terminal_group_kid }
  if (!terminal_kids?.length && !of_group && !match)
    throw new Refusal('bad_input', {}, { terminal_kids: { name: 'devices_needed' } })
  if (of_group && !any_group.includes(terminal_group_kid!)) await assertGroup(actor, terminal_group_kid!)
  const found = await resolveTargets(actor, { terminal_kids, match: match ?? of_group })
  if (found.kids.length === 0) refuse('task_create_failed')
  return found
}

const any_group: readonly string[] = [groupValues.all, groupValues.none]
/** A filter by a group that is not there matches nothing; a push to one is a mistake. */
async function assertGroup({ scope }: Actor, kid: string): Promise<void> {
  if ((await subtree(scope, kid)).length === 0) refuse('group_unknown')
}

type NewTask = { push_task_kid: string; account_kid: string; type: string; by_name: string; now: Date }

/** Those of them that are still in the account. */
async function insertDevices(trx: Kysely<Tables>, task: NewTask, terminal_kids: string[]): Promise<string[]> {
  const { push_task_kid, account_kid, now } = task
  const deadline_at = new Date(now.getTime() + deadlineSeconds.wait_receipt * 1000)
  // Locked against a cancellation of the device, which ends its open rows: none may appear after that.
  const { rows: inserted } = await sql<{ terminal_kid: string }>`
    INSERT INTO push_task_terminal (push_task_kid, terminal_kid, account_kid, sn, type, state_at, deadline_at, send_at, created_at)
    SELECT ${push_task_kid}::uuid, t.kid, t.account_kid, t.sn, ${task.type}::text, ${now}::timestamptz,
      ${deadline_at}::timestamptz, ${now}::timestamptz, ${now}::timestamptz
    FROM terminal t WHERE t.kid = ANY(${terminal_kids}::uuid[]) AND t.account_kid = ${account_kid}
    ORDER BY t.kid FOR KEY SHARE OF t
    RETURNING terminal_kid
  `.execute(trx)
  const rows = inserted.map(({ terminal_kid: t }) => ({ k: newKid(), t }))
  await sql`
    INSERT INTO push_task_activity (kid, account_kid, push_task_kid, terminal_kid, attempt, event, at, by_name)
    SELECT r.k, ${account_kid}::uuid, ${push_task_kid}::uuid, r.t, 1, 'created', ${now}::timestamptz, ${task.by_name}::text
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS r(k uuid, t uuid)
  `.execute(trx)
  return inserted.map(({ terminal_kid }) => terminal_kid)
}

/** Devices that left while the task was made: of what matches it is for the others, of named ones it is for nobody. */
async function leaveOut(
  trx: Kysely<Tables>,
  push_task_kid: string,
  named: ReadonlySet<string>,
  inserted: readonly string[],
): Promise<void> {
  const there = new Set(inserted)
  if (![...named].every((kid) => there.has(kid))) refuse('device_not_found')
  if (inserted.length === 0) refuse('task_create_failed')
  await trx
    .updateTable('push_task')
    .set({ total: inserted.length, wait_receipt: inserted.length })
    .where('kid', '=', push_task_kid)
    .execute()
}
