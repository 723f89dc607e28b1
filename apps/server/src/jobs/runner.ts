import { sql } from 'kysely'
import type { Deps } from '../deps.ts'
import { isFree } from '../db/claim.ts'
import { records } from '../db/records.ts'
import { closeBackground, wake } from '../lib/background.ts'
import type { SharedWork, Work } from '../lib/background.ts'
import { clockDoubt } from '../lib/clock-watch.ts'
import { logScope } from '../lib/log.ts'

export type Running = {
  /** Waits for what is running. */
  close(): Promise<void>
}

const tick_ms = 1_000
const shared_look_ms = 5_000
const longest_look_ms = 60_000
/** Clocks of several servers differ by less. A time that lies further ahead than it can was set by a wrong clock. */
const skew_ms = 60_000

/** Looks for all of it, at its times: what every server does here, what one of them does by its row in the table `job`. */
export async function startBackground(deps: Deps, table: readonly Work[]): Promise<Running> {
  const isShared = (work: Work): work is SharedWork => work.at_once !== undefined
  const stops = table.filter(isShared).map((work) => {
    const look = () => void ((work.by_age && clockDoubt(deps)) || wake(deps, work))
    look()
    return deps.clock.every(work.every_ms, look)
  })
  const jobs = await startJobs(
    deps,
    table.filter((work) => !isShared(work)),
  )
  return {
    async close() {
      for (const stop of stops) stop()
      await Promise.all([jobs.close(), closeBackground(deps)])
    },
  }
}

/**
 * Runs jobs by their rows, so that of several servers one runs each. A job that fails is logged and comes again at its next
 * time; one whose server is gone is taken over.
 */
async function startJobs(deps: Deps, jobs: readonly Work[]): Promise<Running> {
  const byName = new Map(jobs.map((job) => [job.name, job]))
  const running = new Map<string, Promise<void>>()
  const { held } = deps.memory.claims
  let is_closing = false
  if (jobs.length > 0)
    await deps.db
      .insertInto('job')
      .values(jobs.map(({ name }) => ({ name, run_at: deps.clock.now() })))
      .onConflict((row) => row.column('name').doNothing())
      .execute()

  let look_at = 0
  /** Those that may run: all, or while the clock is in doubt those that it can make do no harm. */
  const possible = () => jobs.filter((job) => !job.by_age || !clockDoubt(deps))

  async function tick(): Promise<void> {
    if (deps.memory.is_moving || deps.clock.elapsed() < look_at) return
    while (!is_closing) {
      const job = await claim(
        deps,
        possible().filter(({ name }) => !running.has(name)),
        byName,
      )
      if (!job) break
      held.add(job.name)
      const run = runOne(deps, job).finally(() => {
        running.delete(job.name)
        held.delete(job.name)
      })
      running.set(job.name, run)
    }
    await overOrLong(running.values())
    look_at = deps.clock.elapsed() + (await waitFor(deps, possible()))
  }
  /** One that takes long goes on by itself: the others do not wait for it. */
  async function overOrLong(runs: Iterable<Promise<void>>): Promise<void> {
    let stopWaiting = () => {}
    const long = new Promise<void>((resolve) => (stopWaiting = deps.clock.after(tick_ms, resolve)))
    await Promise.race([Promise.all(runs), long])
    stopWaiting()
  }
  /** A job that is claimed at this moment is not among those that run yet. */
  const ticks = new Set<Promise<void>>()
  const stop = deps.clock.every(tick_ms, async () => {
    const ticking = tick().catch((error: unknown) => deps.log.warn({ err: error }, 'jobs could not be looked up'))
    ticks.add(ticking)
    await ticking
    ticks.delete(ticking)
  })
  return {
    async close() {
      is_closing = true
      stop()
      await Promise.all(ticks)
      await Promise.all(running.values())
    },
  }
}

/** Takes one job that is due and that nobody runs. A time that lies further ahead than it can is as good as come. */
async function claim(deps: Deps, jobs: Work[], byName: Map<string, Work>): Promise<Work | undefined> {
  if (jobs.length === 0) return undefined
  const now = deps.clock.now()
  const bounds = jobs.map(({ name, every_ms }) => ({ name, last_run: new Date(now.getTime() + every_ms + skew_ms) }))
  const { rows } = await sql<{ name: string }>`
    WITH b AS MATERIALIZED (
      SELECT * FROM ${records(bounds).as('b(name text, last_run timestamptz)')}
    ), due AS MATERIALIZED (
      SELECT r.name FROM job r JOIN b ON b.name = r.name
      WHERE (r.run_at <= ${now} OR r.run_at > b.last_run) AND ${isFree(deps, 'name')}
      ORDER BY r.run_at, r.name LIMIT 1 FOR UPDATE OF r SKIP LOCKED
    )
    UPDATE job j SET worked_by = ${deps.node_kid}::uuid, last_started_at = ${now}::timestamptz
    FROM due WHERE j.name = due.name
    RETURNING j.name
  `.execute(deps.db)
  return rows[0] && byName.get(rows[0].name)
}

/** How long until there may be something to do again; a lock that another server holds is looked at now and then. */
async function waitFor(deps: Deps, jobs: Work[]): Promise<number> {
  const names = jobs.map(({ name }) => name)
  const { rows } = await sql<{ at: Date | null; is_locked: boolean }>`
    SELECT min(run_at) AS at, COALESCE(bool_or(worked_by IS NOT NULL), false) AS is_locked
    FROM job WHERE name = ANY(${names}::text[])
  `.execute(deps.db)
  const wait = (rows[0]?.at?.getTime() ?? Infinity) - deps.clock.now().getTime()
  return Math.min(wait, rows[0]?.is_locked ? shared_look_ms : longest_look_ms)
}

async function runOne(deps: Deps, job: Work): Promise<void> {
  let failure: string | null = null
  try {
    await logScope.run({ work: job.name }, () => job.run(deps))
  } catch (error) {
    failure = error instanceof Error ? error.message : String(error)
    deps.log.error({ err: error, job: job.name }, 'a job failed')
  }
  const now = deps.clock.now()
  try {
    await deps.db
      .updateTable('job')
      .set({
        worked_by: null,
        last_finished_at: now,
        last_error: failure,
        run_at: new Date(now.getTime() + job.every_ms),
      })
      .where('name', '=', job.name)
      // Not when it took so long that another server has taken it over.
      .where('worked_by', '=', deps.node_kid)
      .execute()
  } catch (error) {
    deps.log.warn({ err: error, job: job.name }, 'the end of a job could not be noted: it runs again')
  }
}
