import type { ErrorName } from '@mdm/contract'
import { sql } from 'kysely'
import type { Kysely, Selectable } from 'kysely'
import { records } from '../../../db/records.ts'
import { isCollision } from '../../../db/retrying.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import { zoneOfUser } from '../../../db/zone-of-user.ts'
import type { Deps } from '../../../deps.ts'
import type { SharedWork } from '../../../lib/background.ts'
import { isRevoked, visibleGroupsNow } from '../../../http/visible-groups-now.ts'
import { registerMany } from '../enrolment/index.ts'
import { isAlready } from './row-state.ts'
import { importRows } from './policies.ts'
import { weekOfAccount } from './week.ts'

type Job = Selectable<Tables['batch_job']>
/** Rows of one transaction. */
const chunk = 200
/** Progress is told at most so often. */
const told_every_ms = 250

/**
 * Works off the next rows of the job that has waited longest. The row of the job stays locked until they are committed,
 * so two servers never work on the same rows, a cancelled job stops between two chunks, and a server that dies leaves
 * nothing half-done: whoever looks next goes on. False when there is nothing to do.
 */
async function workOnce(deps: Deps): Promise<boolean> {
  let kid: string | undefined
  try {
    const job = await deps.db.transaction().execute(async (trx) => {
      const found = await trx
        .selectFrom('batch_job')
        .selectAll()
        .where('state', '=', 'running')
        .where('is_ready', '=', true)
        .orderBy('touched_at')
        .limit(1)
        .forUpdate()
        .skipLocked()
        .executeTakeFirst()
      kid = found?.kid
      return found && workOff(trx, deps, found)
    })
    if (job) tellProgress(deps, job)
    return job !== undefined
  } catch (error) {
    // Tried again by the timer: the database cannot answer now, or another transaction came first.
    if (kid === undefined || deps.isUnavailable(error) || isCollision(error)) throw error
    deps.log.error({ err: error, batch_job_kid: kid }, 'a batch failed')
    deps.onInternalError?.(error)
    await fail(deps, kid)
    return true
  }
}

async function workOff(trx: Kysely<Tables>, deps: Deps, job: Job): Promise<Job> {
  const rows = await trx
    .selectFrom('batch_row')
    .select(['n', 'sn', 'work_order', 'verification_code', 'name', 'production_date', 'outcome'])
    .select(['group_path', 'terminal_group_kid'])
    .where('batch_job_kid', '=', job.kid)
    .where('n', '>=', job.done)
    .orderBy('n')
    .limit(chunk)
    .execute()
  const waiting = rows.filter(({ outcome }) => outcome === null)
  const outcomeOf = await work(trx, deps, job, waiting)
  const noted = waiting.map(({ n, sn }) => ({ n, ...outcomeOf(sn) }))
  await sql`
    UPDATE batch_row r SET outcome = o.outcome, terminal_kid = o.terminal_kid
    FROM ${records(noted).as('o(n integer, outcome text, terminal_kid uuid)')}
    WHERE r.batch_job_kid = ${job.kid} AND r.n = o.n
  `.execute(trx)
  const ok = noted.filter(({ outcome }) => outcome === 'ok').length
  const now = deps.clock.now()
  const done = job.done + rows.length
  const is_over = rows.length === 0 || done >= job.total
  return trx
    .updateTable('batch_job')
    .set({
      done,
      ok: job.ok + ok,
      failed: job.failed + rows.length - ok,
      already: job.already + noted.filter(isAlready).length,
      touched_at: now,
      ...(is_over && { state: done < job.total ? ('failed' as const) : ('done' as const), finished_at: now }),
    })
    .where('kid', '=', job.kid)
    .returningAll()
    .executeTakeFirstOrThrow()
}

type Waiting = Pick<
  Selectable<Tables['batch_row']>,
  'sn' | 'work_order' | 'verification_code' | 'name' | 'production_date' | 'group_path' | 'terminal_group_kid'
>
type Outcome = { outcome: 'ok' | ErrorName; terminal_kid: string | null }
/** Does what the job is for with rows that have nothing wrong by themselves; says of each SN what came of it. */
async function work(
  trx: Kysely<Tables>,
  deps: Deps,
  job: Job,
  rows: readonly Waiting[],
): Promise<(sn: string) => Outcome> {
  if (job.kind === 'terminal_registered') {
    // A sheet that was started in its week is of that week to the end.
    const week = await weekOfAccount(trx, job.account_kid, job.created_at)
    const placed = rows.map(({ group_path, ...row }) => ({
      ...row,
      terminal_group_kid: group_path === '' ? job.terminal_group_kid : row.terminal_group_kid,
    }))
    const outcomes = await registerMany(trx, deps, { account_kid: job.account_kid, week }, placed)
    const there = await seenAlready(
      trx,
      deps,
      job,
      rows.flatMap(({ sn }) => (refusalOf(outcomes.get(sn)!) === 'device_already_registered' ? [sn] : [])),
    )
    return (sn) => {
      const found = outcomes.get(sn)!
      if ('kid' in found) return { outcome: 'ok', terminal_kid: found.kid }
      return { outcome: found.refusal, terminal_kid: there.get(sn) ?? null }
    }
  }
  const source = job.kind === 'policy_mes' ? 'mes' : 'sheet'
  const zone = await zoneOfUser(trx, job.created_by_kid)
  const to = { policy_kid: job.policy_kid!, source, by: job.created_by, zone } as const
  const made = await importRows(trx, deps, to, rows)
  return (sn) => ({ outcome: made.has(sn) ? 'ok' : 'policy_has_device', terminal_kid: null })
}

const refusalOf = (found: { kid: string } | { refusal: ErrorName }) => ('kid' in found ? undefined : found.refusal)

/** Of these SNs the devices of the account itself, as far as whoever asked may see them. */
async function seenAlready(
  trx: Kysely<Tables>,
  deps: Deps,
  { account_kid, owner_kid, created_by_kid: user_kid }: Job,
  sns: readonly string[],
): Promise<Map<string, string>> {
  if (sns.length === 0) return new Map()
  const by = { account_kid, user_kid, token_kid: null }
  const groups = owner_kid === account_kid ? await visibleGroupsNow(trx, by, 'deviceList', deps.clock.now()) : undefined
  if (isRevoked(groups)) return new Map()
  const found = await trx
    .selectFrom('terminal')
    .select(['sn', 'kid'])
    .where('account_kid', '=', account_kid)
    .where('sn', '=', sql<string>`any(${sns}::text[])`)
    .$if(groups !== undefined, (q) => q.where('terminal_group_kid', '=', sql<string>`any(${[...groups!]}::uuid[])`))
    .execute()
  return new Map(found.map(({ sn, kid }) => [sn, kid]))
}

async function fail(deps: Deps, kid: string): Promise<void> {
  const job = await deps.db
    .updateTable('batch_job')
    .set({ state: 'failed', finished_at: deps.clock.now() })
    .where('kid', '=', kid)
    .where('state', '=', 'running')
    .returningAll()
    .executeTakeFirst()
  if (job) tellProgress(deps, job)
}

const told = new Map<string, number>()

/** To whoever asked for it, and that there are devices to the account they are in. */
export function tellProgress(deps: Deps, job: Job): void {
  const now = performance.now()
  const is_over = job.state !== 'running'
  if (!is_over && now - (told.get(job.kid) ?? -Infinity) < told_every_ms) return
  if (is_over) told.delete(job.kid)
  else told.set(job.kid, now)
  const { schedule_version, state, total, done, ok, failed } = job
  deps.live.publish(job.owner_kid, { type: 'batch_job', schedule_version, state, total, done, ok, failed })
  if (ok > 0 && job.kind === 'terminal_registered') {
    deps.live.publish(job.account_kid, { type: 'terminal_list_changed' })
    deps.live.publish(job.account_kid, { type: 'terminal_group_changed' })
  }
}

/** Works in the background until nothing waits. */
export const batches: SharedWork = { name: 'batches', every_ms: 5_000, at_once: 1, run: workOnce }
