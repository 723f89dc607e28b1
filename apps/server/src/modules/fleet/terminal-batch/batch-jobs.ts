import { batch_limits } from '@mdm/contract'
import type { BatchJob } from '@mdm/contract'
import type { Kysely, Selectable } from 'kysely'
import type { Tables } from '../../../db/schema/tables.ts'
import { violation } from '../../../db/violations.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal, refuse } from '../../../refusal.ts'
import { newKid } from '../../../lib/ids.ts'
import { insertPaths, readPaths, target } from '../terminal-group/index.ts'
import type { Actor } from '../../../actor.ts'
import { groupOf, newGroups } from './row-groups.ts'
import { readGiven } from './sheet/given-rows.ts'
import type { Rows } from './sheet/given-rows.ts'
import type { ReadRow } from './sheet/sheet.ts'
import { tellProgress, batches } from './batch-worker.ts'
import { wake } from '../../../lib/background.ts'

type Db = Kysely<Tables>
export type Job = Selectable<Tables['batch_job']>
/** Rows of one statement: none may hold the database for long. */
const stored_at_once = 1_000
/** A server that stores rows for longer than this is not there any more. */
const unready_ms = 5 * 60_000
const day_ms = 86_400_000
const recent = 20

type Asked = { schedule_version: string; rows: Rows }

/** A row with the group of its own that it is to go to; null: that of the job. */
type PlacedRow = ReadRow & { terminal_group_kid: string | null }
type Registration = Asked & { owner_kid: string; group: string; creates_groups: boolean }

/**
 * Registers devices in the account that is acted for, in the background, whatever becomes of the request that asked for it.
 * `owner_kid` is who asks: the account itself, or the provider. Also the groups that were created for it.
 */
export async function start(
  actor: Actor,
  { owner_kid, group, creates_groups, schedule_version, ...asked }: Registration,
): Promise<{ job: Job; groups: { kid: string; name: string }[] }> {
  const terminal_group_kid = await target(actor.scope, actor.account_kid, actor.visible_groups, group)
  const given = readGiven(asked.rows, 'terminal_registered')
  let groups: { kid: string; name: string }[] = []
  const place = async (): Promise<PlacedRow[]> => {
    if (creates_groups) groups = await createGroups(actor, given)
    // What is created below a group of a person who is limited to it is within reach from now on.
    const visible_groups = actor.visible_groups && [...actor.visible_groups, ...groups.map(({ kid }) => kid)]
    const paths = await readPaths({ ...actor, visible_groups })
    return given.map((row) => {
      const { kid, fault } = groupOf(paths, row.group_path)
      return { ...row, terminal_group_kid: kid, faults: fault ? [...row.faults, fault] : row.faults }
    })
  }
  const of = { owner_kid, kind: 'terminal_registered', terminal_group_kid, policy_kid: null } as const
  const job = await begin(actor, { ...of, schedule_version, total: given.length }, place)
  return { job, groups }
}

/** Those that cannot be created after all stay missing, which their rows say. */
async function createGroups(actor: Actor, rows: readonly ReadRow[]) {
  try {
    return await insertPaths(actor, newGroups(await readPaths(actor), rows))
  } catch (error) {
    if (error instanceof Refusal) return []
    throw error
  }
}

/** Puts devices on a policy of the provider, likewise. */
export function startImport(
  actor: Actor,
  { rows, ...asked }: Asked & { kind: 'policy_sheet' | 'policy_mes'; policy_kid: string },
): Promise<Job> {
  const given = readGiven(rows, asked.kind)
  const work = { ...asked, owner_kid: actor.account_kid, terminal_group_kid: null, total: given.length }
  return begin(actor, work, async () => given.map((row) => ({ ...row, terminal_group_kid: null })))
}

type Work = Pick<Job, 'owner_kid' | 'kind' | 'terminal_group_kid' | 'policy_kid' | 'schedule_version' | 'total'>
/** Keeps the place of the job, then stores its rows and has them worked off. */
async function begin(
  { deps, scope, account_kid, user }: Actor,
  asked: Work,
  place: () => Promise<readonly PlacedRow[]>,
): Promise<Job> {
  const now = deps.clock.now()
  const kid = newKid()
  const job = await violation(
    () =>
      scope
        .insertInto('batch_job')
        .values({
          ...asked,
          kid,
          account_kid,
          created_by_kid: user.kid,
          created_by: user.name,
          created_at: now,
          touched_at: now,
        })
        .returningAll()
        .executeTakeFirstOrThrow(),
    { batch_job_version: 'batch_version_used', batch_job_one: 'batch_running' },
  )
  const rows = await place().catch(async (error: unknown) => {
    await scope.deleteFrom('batch_job').where('kid', '=', kid).execute()
    throw error
  })
  await storeRows(scope, job, rows)
  await scope.updateTable('batch_job').set({ is_ready: true }).where('kid', '=', kid).execute()
  tellProgress(deps, job)
  wake(deps, batches)
  return job
}

async function storeRows(scope: Db, { kid, account_kid }: Job, rows: readonly PlacedRow[]): Promise<void> {
  const values = rows.map(({ row, faults: [fault], ...fields }, n) => ({
    batch_job_kid: kid,
    n,
    account_kid,
    sheet_row: row,
    ...fields,
    outcome: fault?.name ?? null,
    details: fault?.details ? JSON.stringify(fault.details) : null,
  }))
  for (let from = 0; from < values.length; from += stored_at_once)
    await scope
      .insertInto('batch_row')
      .values(values.slice(from, from + stored_at_once))
      .execute()
}

/** Whose jobs. What the provider asked for is about devices of others: `of` says which of these jobs. */
export type JobOwner = Actor & { of?: Of }
/** Only those for one account, or of one policy; without either all registrations. */
type Of = { account_kid?: string; policy_kid?: string }

/** A user limited to groups has only those of their own: others may name devices out of reach. */
const visible = ({ deps, scope, account_kid, visible_groups, user, of }: JobOwner) =>
  (of ? deps.db : scope)
    .selectFrom('batch_job')
    .selectAll()
    .where('owner_kid', '=', account_kid)
    .where('policy_kid', of?.policy_kid === undefined ? 'is' : '=', of?.policy_kid ?? null)
    .$if(of?.account_kid !== undefined, (q) => q.where('account_kid', '=', of!.account_kid!))
    .$if(visible_groups !== undefined, (q) => q.where('created_by_kid', '=', user.kid))

export async function jobOf(owner: JobOwner, schedule_version: string): Promise<Job> {
  const job = await visible(owner).where('schedule_version', '=', schedule_version).executeTakeFirst()
  return job ?? refuse('not_found')
}

export const recentJobs = (owner: JobOwner): Promise<Job[]> =>
  visible(owner).orderBy('created_at', 'desc').orderBy('kid', 'desc').limit(recent).execute()

/** What is registered stays; the rows that wait are left. */
export async function cancel(owner: JobOwner, schedule_version: string): Promise<Job> {
  return cancelJob(owner.deps, await jobOf(owner, schedule_version))
}

export async function cancelJob(deps: Deps, { kid, account_kid }: Pick<Job, 'kid' | 'account_kid'>): Promise<Job> {
  // Waits for the rows that are being registered at this moment.
  const job = await deps
    .scope(account_kid)
    .updateTable('batch_job')
    .set({ state: 'canceled', finished_at: deps.clock.now() })
    .where('kid', '=', kid)
    .where('state', '=', 'running')
    .returningAll()
    .executeTakeFirst()
  if (!job) return refuse('batch_not_running')
  tellProgress(deps, job)
  return job
}

export const shown = (job: Job): BatchJob => ({
  kid: job.kid,
  schedule_version: job.schedule_version,
  account_kid: job.account_kid,
  state: job.state,
  total: job.total,
  done: job.done,
  ok: job.ok,
  failed: job.failed,
  already: job.already,
  created_by: job.created_by,
  created_at: job.created_at.toISOString(),
  finished_at: job.finished_at?.toISOString() ?? null,
  result_until: new Date(job.created_at.getTime() + batch_limits.result_days * day_ms).toISOString(),
})

/** Removes results that are older than they are kept, and ends jobs whose rows were never all stored. */
export async function keepBatches(deps: Deps): Promise<void> {
  const now = deps.clock.now()
  await deps.db
    .updateTable('batch_job')
    .set({ state: 'failed', finished_at: now })
    .where('state', '=', 'running')
    .where('is_ready', '=', false)
    .where('created_at', '<', new Date(now.getTime() - unready_ms))
    .execute()
  const old = new Date(now.getTime() - batch_limits.result_days * day_ms)
  await deps.db.deleteFrom('batch_job').where('created_at', '<', old).where('state', '!=', 'running').execute()
}
