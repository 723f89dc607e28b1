import { nextOsBuild, osBuildSteps } from '@mdm/contract'
import type { OsBuildStep } from '@mdm/contract'
import { sql } from 'kysely'
import { rm } from 'node:fs/promises'
import { isDiskFull } from '../../../../lib/database-errors.ts'
import { ClaimLost, isFree, TryLater, withClaim } from '../../../../db/claim.ts'
import type { Claim } from '../../../../db/claim.ts'
import type { Deps } from '../../../../deps.ts'
import { Refusal } from '../../../../refusal.ts'
import { folderOf } from './layout.ts'
import { changed, note } from '../locked-custom.ts'
import type { BuildRow } from '../locked-custom.ts'
import { moveCustom } from './job.ts'
import type { Job } from './job.ts'
import { reserve, steps } from './steps.ts'

const progress_ms = 1_000
/** Of all servers together. */
const running_max = 4

/** One of an account that builds nothing else: a waiting one, or one whose server is gone. */
export async function buildOnce(deps: Deps): Promise<boolean> {
  const is_next = sql`(r.state = 'running' OR NOT EXISTS (
    SELECT 1 FROM os_build o WHERE o.account_kid = r.account_kid AND o.state = 'running'))`
  const at_work = sql`(SELECT count(*) FROM os_build r WHERE r.state = 'running' AND NOT ${isFree(deps)})`
  try {
    return await withClaim(
      deps,
      'os_build',
      {
        states: ['waiting', 'running'],
        where: sql`${is_next} AND ${at_work} < ${running_max}`,
        order: sql`r.created_at, r.kid`,
        set: sql`state = 'running', started_at = COALESCE(r.started_at, ${deps.clock.now()})`,
      },
      (claim) => build(deps, claim),
    )
  } catch (error) {
    // Another server has just begun one of the same account.
    if ((error as { constraint?: string }).constraint === 'os_build_running') return false
    throw error
  }
}

async function build(deps: Deps, claim: Claim<'os_build'>): Promise<void> {
  const { row, was, signal } = claim
  const job = jobOf(deps, claim)
  try {
    const has_begun = was === 'running' || row.step !== 'downloading'
    await job.line(has_begun ? 'resumed' : 'began')
    changed({ deps, account_kid: row.account_kid })
    await reserve(job)
    for (const step of osBuildSteps.slice(osBuildSteps.indexOf(row.step))) await runStep(job, step)
    await rm(job.folder, { recursive: true, force: true })
  } catch (error) {
    if (error instanceof ClaimLost || signal.aborted) await forget(deps, row)
    else await fail(job, error)
  } finally {
    changed({ deps, account_kid: row.account_kid })
  }
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

function jobOf(deps: Deps, { row, signal, set }: Claim<'os_build'>): Job {
  let told = deps.clock.elapsed()
  return {
    deps,
    build: row,
    folder: folderOf(deps, row.kid),
    signal,
    set,
    progress(done, total) {
      const now = deps.clock.elapsed()
      if (now - told < progress_ms) return
      told = now
      const progress = total === 0 ? 0 : Math.min(99, Math.floor((done / total) * 100))
      set({ progress }).then(
        () => changed({ deps, account_kid: row.account_kid }),
        (error: unknown) => quiet(deps, error),
      )
    },
    line: (event, details) => note(deps.db, { deps }, row, { step: row.step, event, ...(details && { details }) }),
  }
}

const quiet = (deps: Deps, error: unknown): void => {
  if (!(error instanceof ClaimLost)) deps.log.warn({ err: error }, 'how far a build is was not noted')
}

/** Canceled, or another server goes on with it: in that case its bytes are that server's. */
async function forget(deps: Deps, { kid }: BuildRow): Promise<void> {
  const now = await deps.db.selectFrom('os_build').select('state').where('kid', '=', kid).executeTakeFirst()
  if (now && now.state !== 'canceled') return
  await rm(folderOf(deps, kid), { recursive: true, force: true })
  await deps.objects.delete(kid)
}

/** Nothing of it stays on the disk or counts against the account: the next try copies its files again. */
async function fail(job: Job, error: unknown): Promise<void> {
  const { deps, build } = job
  // The server has too much to do, or ends: the same step again in a moment, here or elsewhere.
  if (error instanceof Refusal && (error.refusal === 'unavailable' || error.refusal === 'too_many_requests'))
    throw new TryLater()
  const fault = faultOf(error)
  if (fault.name === 'os_build_broken') deps.log.error({ err: error, build: build.kid }, 'an OS was not built')
  try {
    // While it is ours: nobody else works in its folder before it has failed.
    await job.set({ progress: build.progress })
  } catch (lost) {
    if (lost instanceof ClaimLost) return forget(deps, build)
    throw lost
  }
  await rm(job.folder, { recursive: true, force: true })
  await deps.objects.delete(build.kid)
  await deps.db.transaction().execute(async (trx) => {
    const { numUpdatedRows } = await trx
      .updateTable('os_build')
      .set({ state: 'failed', held_bytes: 0, fault: JSON.stringify(fault), ended_at: deps.clock.now() })
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

function faultOf(error: unknown) {
  if (error instanceof Refusal) return { name: error.refusal, details: error.details }
  if (isDiskFull(error)) return { name: 'disk_full' as const, details: {} }
  return { name: 'os_build_broken' as const, details: {} }
}
