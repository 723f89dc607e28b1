import { nextOsBuild, osBuildSteps } from '@mdm/contract'
import type { OsBuildStep } from '@mdm/contract'
import { sql } from 'kysely'
import { rm } from 'node:fs/promises'
import { isDiskFull } from '../../../db/errors.ts'
import type { Deps } from '../../../deps.ts'
import { newKid } from '../../../lib/ids.ts'
import { Refusal } from '../../../refusal.ts'
import { folderOf } from './layout.ts'
import { changed, note } from '../own.ts'
import type { BuildRow } from '../own.ts'
import { Lost, moveCustom } from './job.ts'
import type { Job } from './job.ts'
import { reserve, steps } from './steps.ts'

/** So long another server believes the one that builds alive. */
const lease_ms = 20_000
const progress_ms = 1_000
const pause_ms = 5_000
/** Of all servers together. */
const running_max = 4

export async function buildOnce(deps: Deps): Promise<boolean> {
  const taken = await take(deps)
  if (!taken) return false
  const { build, is_resumed } = taken
  const given_up = new AbortController()
  const job = jobOf(deps, build, given_up)
  const renewing = deps.clock.every(lease_ms / 4, () => job.set({}).catch((error: unknown) => quiet(deps, error)))
  try {
    const begun = is_resumed || build.step !== 'downloading'
    await job.line(begun ? 'resumed' : 'began')
    changed({ deps, account_kid: build.account_kid })
    await reserve(job)
    for (const step of osBuildSteps.slice(osBuildSteps.indexOf(build.step))) await runStep(job, step)
    await rm(job.folder, { recursive: true, force: true })
  } catch (error) {
    if (error instanceof Lost || given_up.signal.aborted) await forget(deps, build)
    else await fail(deps, job, error)
  } finally {
    renewing()
    changed({ deps, account_kid: build.account_kid })
  }
  return true
}

async function runStep(job: Job, step: OsBuildStep): Promise<void> {
  await steps[step](job)
  job.signal.throwIfAborted()
  // The last one ends the build by itself, in one transaction with what it registers.
  const next = nextOsBuild({ state: 'running', step }, 'advance')
  if (!next) return
  await job.line('step_done')
  await job.set({ step: next.step, progress: 0 })
  job.build.step = next.step
  changed({ deps: job.deps, account_kid: job.build.account_kid })
}

/** One of an account that builds nothing else: a waiting one, or one whose server has not been heard of. */
async function take(deps: Deps): Promise<{ build: BuildRow; is_resumed: boolean } | undefined> {
  const now = deps.clock.now()
  const until = new Date(now.getTime() + lease_ms)
  const { rows } = await sql<BuildRow & { was: string }>`
    UPDATE os_build SET state = 'running', worked_until = ${until}, worked_by = ${newKid()},
      started_at = COALESCE(os_build.started_at, ${now})
    FROM (
      SELECT b.kid, b.state AS was FROM os_build b
      WHERE (b.worked_until IS NULL OR b.worked_until < ${now})
        AND (b.state = 'running' OR (b.state = 'waiting' AND NOT EXISTS (
          SELECT 1 FROM os_build r WHERE r.account_kid = b.account_kid AND r.state = 'running')))
        AND (SELECT count(*) FROM os_build r WHERE r.state = 'running' AND r.worked_until >= ${now}) < ${running_max}
      ORDER BY b.created_at, b.kid LIMIT 1 FOR UPDATE SKIP LOCKED
    ) found
    WHERE os_build.kid = found.kid RETURNING os_build.*, found.was
  `
    .execute(deps.db)
    // Another server has just begun one of the same account.
    .catch((error: { constraint?: string }) => {
      if (error.constraint === 'os_build_running') return { rows: [] }
      throw error
    })
  const [row] = rows
  if (!row) return undefined
  const { was, ...build } = row
  return { build, is_resumed: was === 'running' }
}

function jobOf(deps: Deps, build: BuildRow, given_up: AbortController): Job {
  let told = deps.clock.elapsed()
  const job: Job = {
    deps,
    build,
    folder: folderOf(deps, build.kid),
    signal: given_up.signal,
    async set(set, trx = deps.db) {
      const { numUpdatedRows } = await trx
        .updateTable('os_build')
        .set({ ...set, worked_until: new Date(deps.clock.now().getTime() + lease_ms) })
        .where('kid', '=', build.kid)
        .where('worked_by', '=', build.worked_by)
        .where('state', '=', 'running')
        .executeTakeFirstOrThrow()
      if (numUpdatedRows > 0n) return
      given_up.abort()
      throw new Lost('the build is not ours any more')
    },
    progress(done, total) {
      const now = deps.clock.elapsed()
      if (now - told < progress_ms) return
      told = now
      const progress = total === 0 ? 0 : Math.min(99, Math.floor((done / total) * 100))
      job.set({ progress }).then(
        () => changed({ deps, account_kid: build.account_kid }),
        (error: unknown) => quiet(deps, error),
      )
    },
    line: (event, details) => note(deps.db, { deps }, build, { step: build.step, event, ...(details && { details }) }),
  }
  return job
}

const quiet = (deps: Deps, error: unknown): void => {
  if (!(error instanceof Lost)) deps.log.warn({ err: error }, 'how far a build is was not noted')
}

/** Canceled, or another server goes on with it: in that case its bytes are that server's. */
async function forget(deps: Deps, { kid }: BuildRow): Promise<void> {
  const now = await deps.db.selectFrom('os_build').select('state').where('kid', '=', kid).executeTakeFirst()
  if (now && now.state !== 'canceled') return
  await rm(folderOf(deps, kid), { recursive: true, force: true })
  await deps.objects.delete(kid)
}

/** Nothing of it stays on the disk or counts against the account: the next try copies its files again. */
async function fail(deps: Deps, job: Job, error: unknown): Promise<void> {
  const { build } = job
  if (error instanceof Refusal && (error.refusal === 'unavailable' || error.refusal === 'too_many_requests'))
    return later(deps, build)
  const fault = faultOf(error)
  if (fault.name === 'os_build_broken') deps.log.error({ err: error, build: build.kid }, 'an OS was not built')
  try {
    // Under its lease: nobody else works in its folder before it has failed.
    await job.set({})
  } catch (lost) {
    if (lost instanceof Lost) return forget(deps, build)
    throw lost
  }
  await rm(job.folder, { recursive: true, force: true })
  await deps.objects.delete(build.kid)
  await deps.db.transaction().execute(async (trx) => {
    const { numUpdatedRows } = await trx
      .updateTable('os_build')
      .set({
        state: 'failed',
        held_bytes: 0,
        fault: JSON.stringify(fault),
        ended_at: deps.clock.now(),
        worked_until: null,
        worked_by: null,
      })
      .where('kid', '=', build.kid)
      .where('worked_by', '=', build.worked_by)
      .where('state', '=', 'running')
      .executeTakeFirstOrThrow()
    if (numUpdatedRows === 0n) return
    await moveCustom(trx, build.os_custom_kid, 'fail')
    await note(trx, { deps }, build, {
      step: build.step,
      event: 'failed',
      details: { ...fault.details, fault: fault.name },
    })
  })
}

/** The server has too much to do, or ends: the same step again in a moment, here or elsewhere. */
const later = async (deps: Deps, { kid, worked_by }: BuildRow): Promise<void> =>
  void (await deps.db
    .updateTable('os_build')
    .set({ worked_until: new Date(deps.clock.now().getTime() + pause_ms) })
    .where('kid', '=', kid)
    .where('worked_by', '=', worked_by)
    .where('state', '=', 'running')
    .execute())

function faultOf(error: unknown) {
  if (error instanceof Refusal) return { name: error.refusal, details: error.details }
  if (isDiskFull(error)) return { name: 'disk_full' as const, details: {} }
  return { name: 'os_build_broken' as const, details: {} }
}
