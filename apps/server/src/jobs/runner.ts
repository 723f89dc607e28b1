import { sql } from 'kysely'
import type { Deps } from '../deps.ts'

export type Job = {
  name: string
  every_ms: number
  /** Longer than it ever takes: after that another server believes the one that began it dead. */
  lock_ms?: number
  run(deps: Deps): Promise<void>
}
export type Jobs = {
  /** Waits for what is running. */
  close(): Promise<void>
}

const tick_ms = 1_000
const shared_look_ms = 5_000
const lock_ms = 10 * 60_000

/**
 * Runs jobs by their rows in the table `job`, so that of several servers one runs each. A job that fails is logged and
 * comes again at its next time.
 */
export async function startJobs(deps: Deps, jobs: Job[]): Promise<Jobs> {
  const byName = new Map(jobs.map((job) => [job.name, job]))
  const running = new Map<string, Promise<void>>()
  let is_closing = false
  if (jobs.length > 0)
    await deps.db
      .insertInto('job')
      .values(jobs.map(({ name }) => ({ name, run_at: deps.clock.now() })))
      .onConflict((row) => row.column('name').doNothing())
      .execute()

  let look_at = 0

  async function tick(): Promise<void> {
    if (deps.clock.now().getTime() < look_at) return
    while (!is_closing) {
      const job = await claim(
        deps,
        [...byName.keys()].filter((name) => !running.has(name)),
        byName,
      )
      if (!job) break
      const run = runOne(deps, job).finally(() => running.delete(job.name))
      running.set(job.name, run)
    }
    await Promise.all(running.values())
    look_at = await nextTime(deps, [...byName.keys()])
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
    },
  }
}

/** Takes one job that is due and that nobody runs. */
async function claim(deps: Deps, names: string[], jobs: Map<string, Job>): Promise<Job | undefined> {
  if (names.length === 0) return undefined
  const now = deps.clock.now()
  const bounds = names.map((name) => ({
    name,
    locked_until: new Date(now.getTime() + (jobs.get(name)!.lock_ms ?? lock_ms)),
  }))
  const { rows } = await sql<{ name: string }>`
    UPDATE job j SET locked_by = ${deps.node_kid}::uuid, locked_until = b.locked_until, last_started_at = ${now}::timestamptz
    FROM jsonb_to_recordset(${JSON.stringify(bounds)}::jsonb) AS b(name text, locked_until timestamptz)
    WHERE j.name = b.name AND j.name = (
      SELECT name FROM job WHERE name = ANY(${names}::text[]) AND run_at <= ${now}
        AND (locked_until IS NULL OR locked_until <= ${now})
      ORDER BY run_at, name LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING j.name
  `.execute(deps.db)
  return rows[0] && jobs.get(rows[0].name)
}

/** When there may be something to do again; a lock that another server holds is looked at now and then. */
async function nextTime(deps: Deps, names: string[]): Promise<number> {
  const { rows } = await sql<{ at: Date | null; is_locked: boolean }>`
    SELECT min(run_at) AS at, COALESCE(bool_or(locked_until IS NOT NULL), false) AS is_locked
    FROM job WHERE name = ANY(${names}::text[])
  `.execute(deps.db)
  const at = rows[0]?.at?.getTime() ?? Infinity
  return rows[0]?.is_locked ? Math.min(at, deps.clock.now().getTime() + shared_look_ms) : at
}

async function runOne(deps: Deps, job: Job): Promise<void> {
  let failure: string | null = null
  try {
    await job.run(deps)
  } catch (error) {
    failure = error instanceof Error ? error.message : String(error)
    deps.log.error({ err: error, job: job.name }, 'a job failed')
  }
  const now = deps.clock.now()
  try {
    await deps.db
      .updateTable('job')
      .set({
        locked_by: null,
        locked_until: null,
        last_finished_at: now,
        last_error: failure,
        run_at: new Date(now.getTime() + job.every_ms),
      })
      .where('name', '=', job.name)
      // Not when it took so long that another server has taken it over.
      .where('locked_by', '=', deps.node_kid)
      .execute()
  } catch (error) {
    deps.log.warn(
      { err: error, job: job.name },
      'the end of a job could not be noted: it runs again when its lock ends',
    )
  }
}
