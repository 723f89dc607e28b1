import type { Deps } from '../deps.ts'

/** By how much a clock may be set without anybody looking. It is believed again when it has stood for as long. */
const hour_ms = 3_600_000
const look_ms = 1_000
const note_ms = 60_000

/** Why the clock is not believed. */
export type ClockDoubt = {
  /** How far it went, back when it is below zero. */
  jumped_ms: number
  /** What it read then. */
  since: Date
  /** Whether it was like this when the server started: then the server may only have been off. */
  is_start: boolean
}
export type ClockWatch = { doubt(): ClockDoubt | undefined; close(): void }

/** While the clock is in doubt nothing ends or is removed because its time has come. Undefined where no watch runs. */
export const clockDoubt = ({ memory }: Pick<Deps, 'memory'>): ClockDoubt | undefined => memory.clock?.doubt()

/**
 * Compares the clock with the time that has elapsed, and at the start with what was last noted of it in the database.
 * `told` is called when the doubt begins and when it ends. To be started before anything that goes by the clock.
 */
export async function watchClock(deps: Deps, told: () => Promise<void>): Promise<ClockWatch> {
  const { clock, db, log } = deps
  let last = { now: clock.now().getTime(), elapsed: clock.elapsed() }
  let found: (ClockDoubt & { elapsed: number }) | undefined
  let noted_elapsed = -Infinity

  function begin(by_ms: number, is_start: boolean): void {
    const jumped_ms = Math.round(by_ms)
    const since = clock.now()
    found = { jumped_ms, since, is_start, elapsed: clock.elapsed() }
    const hours = Math.round(jumped_ms / hour_ms)
    log.warn({ hours, since, is_start }, 'the clock has jumped: nothing expires until it has stood for an hour')
  }

  /** Also called by code that is about to rely on the time: a clock that has just jumped is not relied on. */
  function look(): ClockDoubt | undefined {
    const now = clock.now().getTime()
    const elapsed = clock.elapsed()
    const jumped_ms = now - last.now - (elapsed - last.elapsed)
    last = { now, elapsed }
    if (Math.abs(jumped_ms) > hour_ms) begin(jumped_ms, false)
    else if (found && elapsed - found.elapsed >= hour_ms) {
      found = undefined
      log.info({}, 'the clock has stood for an hour and is believed again')
    }
    return found && { jumped_ms: found.jumped_ms, since: found.since, is_start: found.is_start }
  }

  const note = () =>
    db
      .insertInto('clock_seen')
      .values({ at: clock.now() })
      .onConflict((row) => row.column('is_only').doUpdateSet({ at: clock.now() }))
      .execute()

  let told_of: Date | undefined
  async function tick(): Promise<void> {
    const doubt = look()
    try {
      if (doubt?.since !== told_of) {
        await told()
        told_of = doubt?.since
      }
      if (doubt || clock.elapsed() - noted_elapsed < note_ms) return
      await note()
      noted_elapsed = clock.elapsed()
    } catch (error) {
      log.warn({ err: error }, 'what the clock reads could not be noted')
    }
  }

  const seen = await db.selectFrom('clock_seen').select('at').executeTakeFirst()
  const jumped_ms = seen ? clock.now().getTime() - seen.at.getTime() : 0
  if (Math.abs(jumped_ms) > hour_ms) begin(jumped_ms, true)
  else await note()
  const stop = clock.every(look_ms, tick)
  const watch = {
    doubt: look,
    close() {
      stop()
      if (deps.memory.clock === watch) delete deps.memory.clock
    },
  }
  deps.memory.clock = watch
  return watch
}
