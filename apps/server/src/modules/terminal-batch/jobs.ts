import { batch_limits } from '@mdm/contract'
import type { BatchJob } from '@mdm/contract'
import type { Kysely, Selectable } from 'kysely'
import type { Tables } from '../../db/schema/tables.ts'
import { violation } from '../../db/violations.ts'
import type { Deps } from '../../deps.ts'
import { refuse } from '../../refusal.ts'
import { newKid } from '../../lib/ids.ts'
import { target } from '../terminal-group/service.ts'
import type { Reach } from '../../actor.ts'
import { faultsOf, repetitions } from './faults.ts'
import { fieldsOf, layouts } from './layouts.ts'
import type { Fields, SheetKind } from './layouts.ts'
import { tellProgress, wakeBatches } from './work.ts'

type Db = Kysely<Tables>
export type Job = Selectable<Tables['batch_job']>
/** Rows of one statement: none may hold the database for long. */
const stored_at_once = 1_000
/** A server that stores rows for longer than this is not there any more. */
const unready_ms = 5 * 60_000
const day_ms = 86_400_000
const recent = 20

export type Rows = readonly (Partial<Fields> & { row?: number | undefined })[]
type Begun = {
  deps: Deps
  /** Whose devices they become, or are on a policy of. */
  account_kid: string
  /** Who asks: the account itself, or the provider. */
  owner_kid: string
  user: { kid: string; name: string }
  schedule_version: string
  rows: Rows
}
export type Start = Begun & { reach: Reach; group: string }

/** Registers devices in the background, whatever becomes of the request that asked for it. */
export async function start({ reach, group, ...asked }: Start): Promise<Job> {
  const terminal_group_kid = await target(asked.deps.db, asked.account_kid, reach, group)
  return begin({ ...asked, kind: 'terminal_registered', terminal_group_kid, policy_kid: null })
}

/** Puts devices on a policy of the provider, likewise. */
export const startImport = (asked: Begun & { kind: 'policy_sheet' | 'policy_mes'; policy_kid: string }): Promise<Job> =>
  begin({ ...asked, terminal_group_kid: null })

type Work = { kind: SheetKind; terminal_group_kid: string | null; policy_kid: string | null }
/** Stores the rows and has them worked off. */
async function begin({ deps, account_kid, owner_kid, user, ...asked }: Begun & Work): Promise<Job> {
  const now = deps.clock.now()
  const kid = newKid()
  const job = await violation(
    () =>
      deps.db
        .insertInto('batch_job')
        .values({
          kid,
          account_kid,
          owner_kid,
          kind: asked.kind,
          schedule_version: asked.schedule_version,
          terminal_group_kid: asked.terminal_group_kid,
          policy_kid: asked.policy_kid,
          total: asked.rows.length,
          created_by_kid: user.kid,
          created_by: user.name,
          created_at: now,
          touched_at: now,
        })
        .returningAll()
        .executeTakeFirstOrThrow(),
    { batch_job_version: 'batch_version_used', batch_job_one: 'batch_running' },
  )
  await storeRows(deps, job, asked.rows)
  await deps.db.updateTable('batch_job').set({ is_ready: true }).where('kid', '=', kid).execute()
  tellProgress(deps, job)
  wakeBatches(deps)
  return job
}

async function storeRows({ db }: Deps, { kid, account_kid, kind }: Job, rows: Rows): Promise<void> {
  const repeated = repetitions()
  const values = rows.map(({ row, ...given }, n) => {
    const fields = fieldsOf(given)
    const sheet_row = row ?? n + 1
    const again = repeated(fields.sn, sheet_row)
    const fault = faultsOf(fields, layouts[kind])[0] ?? again
    return {
      batch_job_kid: kid,
      n,
      account_kid,
      sheet_row,
      ...fields,
      outcome: fault?.name ?? null,
      details: fault?.details ? JSON.stringify(fault.details) : null,
    }
  })
  for (let from = 0; from < values.length; from += stored_at_once)
    await db
      .insertInto('batch_row')
      .values(values.slice(from, from + stored_at_once))
      .execute()
}

/**
 * `db` is a scope, or, for operators, everything; `owner_kid` is whose jobs they are. A user limited to groups has only
 * those of their own: others may name devices out of reach.
 */
export type Owned = { db: Db; owner_kid: string; only_by?: string | undefined; of?: Of }
/** Only those for one account, or of one policy; without either all registrations. */
type Of = { account_kid?: string; policy_kid?: string }

const owned = ({ db, owner_kid, only_by, of }: Owned) =>
  db
    .selectFrom('batch_job')
    .selectAll()
    .where('owner_kid', '=', owner_kid)
    .where('policy_kid', of?.policy_kid === undefined ? 'is' : '=', of?.policy_kid ?? null)
    .$if(of?.account_kid !== undefined, (q) => q.where('account_kid', '=', of!.account_kid!))
    .$if(only_by !== undefined, (q) => q.where('created_by_kid', '=', only_by!))

export async function jobOf(whose: Owned, schedule_version: string): Promise<Job> {
  const job = await owned(whose).where('schedule_version', '=', schedule_version).executeTakeFirst()
  return job ?? refuse('not_found')
}

export const recentJobs = (whose: Owned): Promise<Job[]> =>
  owned(whose).orderBy('created_at', 'desc').orderBy('kid', 'desc').limit(recent).execute()

/** What is registered stays; the rows that wait are left. */
export async function cancel(deps: Deps, whose: Owned, schedule_version: string): Promise<Job> {
  const { kid } = await jobOf(whose, schedule_version)
  // Waits for the rows that are being registered at this moment.
  const job = await whose.db
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
  schedule_version: job.schedule_version,
  account_kid: job.account_kid,
  state: job.state,
  total: job.total,
  done: job.done,
  ok: job.ok,
  failed: job.failed,
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
