import { canPushTask, pushTaskResult } from '@mdm/contract'
import type { Contract, In, Out, PushTaskRow, PushTaskState, PushTaskTerminal } from '@mdm/contract'
import { sql } from 'kysely'
import type { Selectable } from 'kysely'
import type { Actor } from '../../actor.ts'
import { containing, readPage } from '../../db/paging.ts'
import type { Tables } from '../../db/schema/tables.ts'
import type { Deps } from '../../deps.ts'
import { Refusal, refuse } from '../../refusal.ts'
import { kindOf } from './kinds/kinds.ts'

type Calls = Contract['pushTask']['calls']
type Activities = Out<Calls['list_activity']>
type Reader = Pick<Actor, 'deps' | 'scope' | 'reach'>

const open = sql<boolean>`push_task.total > push_task.completed + push_task.failed + push_task.canceled`

/** Tasks of the account; a user who is limited to groups sees those that have a device of theirs. */
const tasks = ({ scope, reach }: Reader) =>
  scope
    .selectFrom('push_task')
    .selectAll('push_task')
    .$if(reach !== undefined, (q) =>
      q.where((eb) =>
        eb.exists(
          eb
            .selectFrom('push_task_terminal')
            .innerJoin('terminal', 'terminal.kid', 'push_task_terminal.terminal_kid')
            .select('terminal.kid')
            .whereRef('push_task_terminal.push_task_kid', '=', 'push_task.kid'),
        ),
      ),
    )

export async function paging(reader: Reader, input: In<Calls['paging']>) {
  const { types, is_running, text } = input
  const found = await readPage({
    query: tasks(reader)
      .$if(Boolean(types?.length), (q) => q.where('push_task.type', 'in', types!))
      .$if(is_running !== undefined, (q) => q.where(is_running ? open : sql<boolean>`NOT (${open})`))
      .$if(Boolean(text), (q) =>
        q.where((eb) =>
          eb.or([
            eb(sql`lower(push_task.summary)`, 'like', containing(text!)),
            eb(sql`lower(push_task.description)`, 'like', containing(text!)),
          ]),
        ),
      ),
    input,
    columns: { created_at: { ref: sql`push_task.created_at`, order: 'desc' } },
    key: sql`push_task.kid`,
  })
  return { ...found, items: found.items.map(asRow) }
}

export async function get(reader: Reader, kid: string): Promise<PushTaskRow> {
  const row = await tasks(reader).where('push_task.kid', '=', kid).executeTakeFirst()
  return row ? asRow(row) : refuse('not_found')
}

function asRow(row: Selectable<Tables['push_task']>): PushTaskRow {
  const { kid, type, description, summary, created_at, created_by, total, wait_receipt, completed, failed, canceled } =
    row
  const running = total - wait_receipt - completed - failed - canceled
  return {
    kid,
    type,
    description,
    summary,
    created_at: created_at.toISOString(),
    created_by,
    counts: { total, wait_receipt, running, completed, failed, canceled },
    result: pushTaskResult({ total, completed, failed, canceled }) ?? null,
    can: [
      ...(wait_receipt + running > 0 ? (['cancel'] as const) : []),
      ...(failed + canceled > 0 ? (['retry'] as const) : []),
    ],
  }
}

/** Devices of a task, or tasks of a device. */
export async function pagingTerminal({ deps, scope, reach }: Reader, input: In<Calls['paging_terminal']>) {
  const { push_task_kid, terminal_kid, states, types } = input
  if (push_task_kid === undefined && terminal_kid === undefined)
    throw new Refusal('bad_input', {}, { push_task_kid: { name: 'task_or_device' } })
  const is_of_task = push_task_kid !== undefined
  const found = await readPage({
    query: scope
      .selectFrom('push_task_terminal as p')
      .innerJoin('push_task as k', 'k.kid', 'p.push_task_kid')
      .leftJoin('terminal as t', 't.kid', 'p.terminal_kid')
      .leftJoin('terminal_state as s', 's.terminal_kid', 'p.terminal_kid')
      .selectAll('p')
      .select(['k.summary', 't.kid as known_kid', 't.sn as known_sn', 't.name', 's.is_online'])
      .$if(reach !== undefined, (q) => q.where('t.kid', 'is not', null))
      .$if(is_of_task, (q) => q.where('p.push_task_kid', '=', push_task_kid!))
      .$if(terminal_kid !== undefined, (q) => q.where('p.terminal_kid', '=', terminal_kid!))
      .$if(Boolean(states?.length), (q) => q.where('p.state', 'in', states!))
      .$if(Boolean(types?.length), (q) => q.where('p.type', 'in', types!)),
    input,
    columns: {
      // Devices of one task were all created at once: its primary key has them in order.
      created_at: { ref: is_of_task ? sql`p.terminal_kid` : sql`p.created_at`, order: 'desc' },
      state_at: { ref: sql`p.state_at`, order: 'desc' },
    },
    key: is_of_task ? sql`p.terminal_kid` : sql`p.push_task_kid`,
  })
  const items = found.items.map((row): PushTaskTerminal => {
    const is_known = row.known_kid !== null
    return {
      push_task_kid: row.push_task_kid,
      terminal_kid: row.terminal_kid,
      sn: row.known_sn ?? row.sn,
      name: row.name ?? '',
      is_online: row.is_online ?? false,
      type: row.type,
      state: row.state,
      state_at: row.state_at.toISOString(),
      attempt: row.attempt,
      progress: row.progress,
      cancel_asked: row.cancel_asked_at !== null,
      code: row.code,
      message: row.message ?? row.result_text,
      result_url: resultUrl(deps, row),
      deadline_at: row.deadline_at?.toISOString() ?? null,
      summary: row.summary,
      created_at: row.created_at.toISOString(),
      can: is_known ? allowed(row.state) : [],
    }
  })
  return { ...found, items }
}

function resultUrl(
  deps: Deps,
  { type, sn, result_object }: Pick<Tables['push_task_terminal'], 'type' | 'sn' | 'result_object'>,
) {
  const { uploads } = kindOf(type)
  if (result_object === null || !uploads) return null
  return deps.signFile(result_object, { name: uploads.name(sn), content_type: uploads.content_type })
}

const allowed = (state: PushTaskState) => (['cancel', 'retry'] as const).filter((event) => canPushTask(state, event))

/** What happened to one device's part, oldest first. */
export async function listActivity(
  { scope, reach }: Reader,
  { push_task_kid, terminal_kid }: In<Calls['list_activity']>,
): Promise<Activities> {
  const row = await scope
    .selectFrom('push_task_terminal as p')
    .leftJoin('terminal as t', 't.kid', 'p.terminal_kid')
    .select('p.terminal_kid')
    .where('p.push_task_kid', '=', push_task_kid)
    .where('p.terminal_kid', '=', terminal_kid)
    .$if(reach !== undefined, (q) => q.where('t.kid', 'is not', null))
    .executeTakeFirst()
  if (!row) refuse('not_found')
  const rows = await scope
    .selectFrom('push_task_activity')
    .select(['event', 'attempt', 'at', 'code', 'message', 'by_name as by'])
    .where('push_task_kid', '=', push_task_kid)
    .where('terminal_kid', '=', terminal_kid)
    .orderBy('at')
    .orderBy('kid')
    .limit(1000)
    .execute()
  return rows.map((found) => ({ ...found, at: found.at.toISOString() })) as Activities
}
