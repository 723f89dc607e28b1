import type { Deps } from '../deps.ts'
import { logScope } from './log.ts'

/** A kind of work in the background; all of them are in the table background-work.ts. */
export type Work = {
  name: string
  /** How often the worker looks for it. Code that makes such work wakes the worker at once. */
  every_ms: number
  /** So many at once on every server, each with what no other has taken. Absent: one of all servers does it at a time. */
  at_once?: number
  /** It ends or removes what has had its time: not looked for while the clock is in doubt. */
  by_age?: boolean
  /** Does some of it. True: there may be more. */
  run(deps: Deps): Promise<boolean | void>
}
/** What every server does for itself. */
export type SharedWork = Work & { at_once: number }

export type WakeLoop = { wake(): void; running(): Promise<void> | undefined; close(): Promise<void> }

/**
 * Does `work` in the background each time it is woken. Wakings of one moment share one run; a waking during a run
 * causes one more. A failure is reported and left to the next waking. Closing lets `work` see that it should
 * end and waits until it did.
 */
export function wakeLoop(work: (isClosed: () => boolean) => Promise<void>, failed: (error: unknown) => void): WakeLoop {
  let running: Promise<void> | undefined
  let is_wanted = false
  let is_closed = false

  function wake(): void {
    is_wanted = true
    if (is_closed) return
    running ??= run().finally(() => {
      running = undefined
      if (is_wanted) wake()
    })
  }

  async function run(): Promise<void> {
    try {
      await new Promise<void>((resolve) => setImmediate(resolve))
      while (is_wanted && !is_closed) {
        is_wanted = false
        await work(() => is_closed)
      }
    } catch (error) {
      is_wanted = false
      failed(error)
    }
  }

  return {
    wake,
    running: () => running,
    async close(): Promise<void> {
      is_closed = true
      await running
    },
  }
}

/** Of one kind of work on this server: its loops, and for whom they work. */
export type Workers = { asked_by: Deps; loops: WakeLoop[] }

/** Wakes a worker of this kind of work, and one more where all are busy and more are allowed. */
export function wake(deps: Deps, work: SharedWork): void {
  const workers = deps.memory.workers.get(work) ?? begin(deps, work)
  workers.asked_by = deps
  const idle = workers.loops.find((loop) => !loop.running())
  for (const loop of workers.loops) if (loop.running()) loop.wake()
  idle?.wake()
}

function begin(deps: Deps, work: SharedWork): Workers {
  const workers: Workers = { asked_by: deps, loops: [] }
  const run = async (isClosed: () => boolean) => {
    const { asked_by } = workers
    // Whoever woke it goes on with something else.
    await logScope.run({ work: work.name }, async () => {
      while (!isClosed() && (await work.run(asked_by)));
    })
  }
  const failed = (error: unknown) => deps.log.warn({ err: error, work: work.name }, 'background work failed')
  workers.loops = Array.from({ length: work.at_once }, () => wakeLoop(run, failed))
  deps.memory.workers.set(work, workers)
  return workers
}

const loopsOf = ({ memory }: Pick<Deps, 'memory'>) => [...memory.workers.values()].flatMap(({ loops }) => loops)

/** Resolves when no background work of this server is under way, what it woke by itself included. */
export async function backgroundAtRest(deps: Pick<Deps, 'memory'>): Promise<void> {
  const busy = () => loopsOf(deps).flatMap((loop) => loop.running() ?? [])
  for (let runs = busy(); runs.length > 0; runs = busy()) await Promise.all(runs)
}

/** No piece of work begins any more. Those under way are waited for, but not for long: what is begun another server goes on with. */
export async function closeBackground(deps: Pick<Deps, 'memory'>, most_ms = 2_000): Promise<void> {
  let late: NodeJS.Timeout | undefined
  const patience = new Promise<void>((resolve) => (late = setTimeout(resolve, most_ms)))
  await Promise.race([patience, Promise.all(loopsOf(deps).map((loop) => loop.close()))])
  clearTimeout(late)
}
