import { deadlineSeconds, pushPermission } from '@mdm/contract'
import type { Contract, In, PushTaskRow } from '@mdm/contract'
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import type { Deps } from '../../deps.ts'
import { Refusal, refuse } from '../../http/context.ts'
import type { SignedIn } from '../../http/context.ts'
import { newKid } from '../../lib/ids.ts'
import { get } from './read.ts'
import { retrying } from '../../db/retrying.ts'

type Input = In<Contract['pushTask']['calls']['insert']>
export type StoredFile = {
  kid: string
  name: string
  size: number
  md5: string
  sha256: string
  object: string
  content_type: string
}
type Caller = { deps: Deps; scope: Kysely<Tables>; session: SignedIn; may(permission: string): boolean }

const chunk = 2_000

/** Creates a task for all of its devices, or nothing at all. */
export async function insert({ deps, scope, session, may }: Caller, input: Input): Promise<PushTaskRow> {
  if (!may(pushPermission[input.type])) refuse('no_permission')
  const terminal_kids = await targets(scope, input)
  const { payload, summary, files } = await stored(scope, input)
  const push_task_kid = newKid()
  const now = deps.clock.now()
  const { account_kid } = session
  await retrying(() =>
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
          created_by_kid: session.user_kid,
          created_by: session.name,
          created_at: now,
          total: terminal_kids.length,
          wait_receipt: terminal_kids.length,
        })
        .execute()
      for (let at = 0; at < terminal_kids.length; at += chunk)
        await insertDevices(trx, {
          task: { push_task_kid, account_kid, type: input.type, by_name: session.name, now },
          terminal_kids: terminal_kids.slice(at, at + chunk),
        })
      await countPush(trx, account_kid, files)
    }),
  )
  deps.live.publish(account_kid, { type: 'push_task', kid: push_task_kid })
  deps.link.wake(terminal_kids)
  return get({ deps, scope, session }, push_task_kid)
}

type NewTask = { push_task_kid: string; account_kid: string; type: string; by_name: string; now: Date }

async function insertDevices(
  trx: Kysely<Tables>,
  { task, terminal_kids }: { task: NewTask; terminal_kids: string[] },
): Promise<void> {
  const { push_task_kid, account_kid, now } = task
  const deadline_at = new Date(now.getTime() + deadlineSeconds.wait_receipt * 1000)
  // Locked against a cancellation of the device, which ends its open rows: none may appear after that.
  const { numAffectedRows } = await sql`
    INSERT INTO push_task_terminal (push_task_kid, terminal_kid, account_kid, sn, type, state_at, deadline_at, send_at, created_at)
    SELECT ${push_task_kid}::uuid, t.kid, t.account_kid, t.sn, ${task.type}::text, ${now}::timestamptz,
      ${deadline_at}::timestamptz, ${now}::timestamptz, ${now}::timestamptz
    FROM terminal t WHERE t.kid = ANY(${terminal_kids}::uuid[]) AND t.account_kid = ${account_kid}
    ORDER BY t.kid FOR KEY SHARE OF t
  `.execute(trx)
  if (Number(numAffectedRows) !== terminal_kids.length) refuse('device_not_found')
  const rows = terminal_kids.map((t) => ({ k: newKid(), t }))
  await sql`
    INSERT INTO push_task_activity (kid, account_kid, push_task_kid, terminal_kid, attempt, event, at, by_name)
    SELECT r.k, ${account_kid}::uuid, ${push_task_kid}::uuid, r.t, 1, 'created', ${now}::timestamptz, ${task.by_name}::text
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS r(k uuid, t uuid)
  `.execute(trx)
}

/** Every device named, of one's own and of one's groups only; the rest does not exist. */
async function targets(scope: Kysely<Tables>, input: Input): Promise<string[]> {
  const { terminal_kids, terminal_group_kid } = input
  if (!terminal_kids?.length && terminal_group_kid === undefined)
    throw new Refusal('bad_input', {}, { terminal_kids: { name: 'devices_needed' } })
  const found = new Set<string>()
  if (terminal_kids?.length) {
    const wanted = [...new Set(terminal_kids)]
    const rows = await scope
      .selectFrom('terminal')
      .select('kid')
      .where('kid', '=', sql<string>`any(${wanted}::uuid[])`)
      .execute()
    if (rows.length !== wanted.length) refuse('device_not_found')
    for (const { kid } of rows) found.add(kid)
  }
  if (terminal_group_kid !== undefined) for (const kid of await groupTargets(scope, terminal_group_kid)) found.add(kid)
  if (found.size === 0) refuse('task_create_failed')
  return [...found].sort()
}

async function groupTargets(scope: Kysely<Tables>, group_kid: string): Promise<string[]> {
  const groups = group_kid === 'ALL' || group_kid === 'NO_GROUP' ? undefined : await subtree(scope, group_kid)
  const kids: string[] = []
  for (let after: string | undefined; ; after = kids.at(-1)) {
    const rows = await scope
      .selectFrom('terminal')
      .select('kid')
      .$if(group_kid === 'NO_GROUP', (q) => q.where('terminal_group_kid', 'is', null))
      .$if(groups !== undefined, (q) => q.where('terminal_group_kid', '=', sql<string>`any(${groups!}::uuid[])`))
      .$if(after !== undefined, (q) => q.where('kid', '>', after!))
      .orderBy('kid')
      .limit(10_000)
      .execute()
    for (const { kid } of rows) kids.push(kid)
    if (rows.length < 10_000) return kids
  }
}

async function subtree(scope: Kysely<Tables>, group_kid: string): Promise<string[]> {
  const groups = await scope.selectFrom('terminal_group').select(['kid', 'parent_kid']).execute()
  if (!groups.some(({ kid }) => kid === group_kid)) refuse('group_unknown')
  const within = [group_kid]
  for (const kid of within) for (const group of groups) if (group.parent_kid === kid) within.push(group.kid)
  return within
}

/** What is kept of the work: files by value, so that a later deletion of the row changes no running task. */
async function stored(scope: Kysely<Tables>, input: Input) {
  if (input.type === 'message') return { payload: input.payload, summary: input.payload.title, files: [] }
  if (input.type !== 'file') return { payload: input.payload, summary: '', files: [] }
  const wanted = [...new Set(input.payload.file_kids)]
  const rows = await scope
    .selectFrom('file_cloud')
    .select(['kid', 'name', 'size', 'md5', 'sha256', 'object', 'content_type'])
    .where('kid', 'in', wanted)
    .execute()
  if (rows.length !== wanted.length) refuse('not_found')
  const files: StoredFile[] = wanted.map((kid) => rows.find((row) => row.kid === kid)!)
  const summary = files.map(({ name }) => name).join(', ')
  return { payload: { path: input.payload.path, files }, summary: summary.slice(0, 500), files: wanted }
}

async function countPush(trx: Kysely<Tables>, account_kid: string, files: string[]): Promise<void> {
  if (files.length === 0) return
  const { numUpdatedRows } = await trx
    .updateTable('file_cloud')
    .set({ push_count: sql`push_count + 1` })
    .where('kid', 'in', files)
    .where('account_kid', '=', account_kid)
    .executeTakeFirstOrThrow()
  // Deleted since it was read.
  if (Number(numUpdatedRows) !== files.length) refuse('not_found')
}
