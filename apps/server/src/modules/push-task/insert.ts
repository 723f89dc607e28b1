import { deadlineSeconds, isDestructive, pushPermission } from '@mdm/contract'
import type { Contract, In, PushTaskRow } from '@mdm/contract'
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Tables } from '../../db/schema/tables.ts'
import type { Deps } from '../../deps.ts'
import { Refusal, refuse } from '../../refusal.ts'
import type { SignedIn } from '../../http/context.ts'
import { newKid } from '../../lib/ids.ts'
import { seal } from '../../lib/sealed.ts'
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
type Caller = {
  deps: Deps
  scope: Kysely<Tables>
  session: SignedIn
  may(permission: string): boolean
  destroys(devices: number): Promise<number>
}

const chunk = 2_000

/** Creates a task for all of the devices that were named, or nothing at all; of a group, for those that are still in the account. */
export async function insert({ deps, scope, session, may, destroys }: Caller, input: Input): Promise<PushTaskRow> {
  if (!may(pushPermission[input.type])) refuse('no_permission')
  const { named, all } = await targets(scope, input)
  if (isDestructive(input.type)) await destroys(all.length)
  const { payload, summary, files } = await stored(deps, scope, input)
  const push_task_kid = newKid()
  const now = deps.clock.now()
  const { account_kid } = session
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
          created_by_kid: session.user_kid,
          created_by: session.name,
          created_at: now,
          total: all.length,
          wait_receipt: all.length,
        })
        .execute()
      const task = { push_task_kid, account_kid, type: input.type, by_name: session.name, now }
      const inserted: string[] = []
      for (let at = 0; at < all.length; at += chunk)
        inserted.push(...(await insertDevices(trx, task, all.slice(at, at + chunk))))
      if (inserted.length < all.length) await leaveOut(trx, push_task_kid, named, inserted)
      await countPush(trx, account_kid, files)
      return inserted
    }),
  )
  deps.live.publish(account_kid, { type: 'push_task', kid: push_task_kid })
  deps.link.wake(terminal_kids)
  return get({ deps, scope, session }, push_task_kid)
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

/** Devices that left while the task was made: of a group it is for the others, of named ones it is for nobody. */
async function leaveOut(
  trx: Kysely<Tables>,
  push_task_kid: string,
  named: readonly string[],
  inserted: readonly string[],
): Promise<void> {
  const there = new Set(inserted)
  if (!named.every((kid) => there.has(kid))) refuse('device_not_found')
  if (inserted.length === 0) refuse('task_create_failed')
  await trx
    .updateTable('push_task')
    .set({ total: inserted.length, wait_receipt: inserted.length })
    .where('kid', '=', push_task_kid)
    .execute()
}

/** Every device named, of one's own and of one's groups only; the rest does not exist. */
async function targets(scope: Kysely<Tables>, input: Input): Promise<{ named: string[]; all: string[] }> {
  const { terminal_kids, terminal_group_kid } = input
  if (!terminal_kids?.length && terminal_group_kid === undefined)
    throw new Refusal('bad_input', {}, { terminal_kids: { name: 'devices_needed' } })
  const wanted = [...new Set(terminal_kids)]
  const found = new Set<string>(wanted)
  if (wanted.length > 0) {
    const rows = await scope
      .selectFrom('terminal')
      .select('kid')
      .where('kid', '=', sql<string>`any(${wanted}::uuid[])`)
      .execute()
    if (rows.length !== wanted.length) refuse('device_not_found')
  }
  if (terminal_group_kid !== undefined) for (const kid of await groupTargets(scope, terminal_group_kid)) found.add(kid)
  if (found.size === 0) refuse('task_create_failed')
  return { named: wanted, all: [...found].sort() }
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
async function stored(deps: Deps, scope: Kysely<Tables>, input: Input) {
  if (input.type === 'message') return { payload: input.payload, summary: input.payload.title, files: [] }
  if (input.type === 'lock' && input.payload.password !== undefined)
    return { payload: { password_sealed: await seal(deps, input.payload.password) }, summary: '', files: [] }
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
