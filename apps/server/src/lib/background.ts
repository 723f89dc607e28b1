import type { Deps } from '../deps.ts'

export type WakeLoop = { wake(): void; running(): Promise<void> | undefined; close(): Promise<void> }

/**
 * Does `work` in the background each time it is woken. Who wakes it in the same moment shares one run; who wakes it while
 * it runs makes it run once more. What fails is told and left to the next waking. Closing lets `work` see that it should
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

/** All loops of a database on this server. */
const loopsOf = new WeakMap<object, WakeLoop[]>()

/** Resolves when no background work of this database is under way, what it woke by itself included. */
export async function backgroundAtRest({ database }: Pick<Deps, 'database'>): Promise<void> {
  const busy = () => (loopsOf.get(database) ?? []).flatMap((loop) => loop.running() ?? [])
  for (let runs = busy(); runs.length > 0; runs = busy()) await Promise.all(runs)
}

/**
 * Work that waits in the tables of a database: the function wakes whoever works it off and one more, `at_once` of them at most
 * on this server.
 * `work` does some of it and says whether there may be more.
 */
export function backgroundWork(
  name: string,
  work: (deps: Deps) => Promise<boolean>,
  { at_once = 1 }: { at_once?: number } = {},
): (deps: Deps) => void {
  const workers = new WeakMap<object, { asked_by: Deps; loops: WakeLoop[] }>()
  const begin = (deps: Deps) => {
    const own = { asked_by: deps, loops: [] as WakeLoop[] }
    const run = async () => {
      const { asked_by } = own
      while (await work(asked_by));
    }
    const failed = (error: unknown) => deps.log.warn({ err: error, work: name }, 'background work failed')
    own.loops = Array.from({ length: at_once }, () => wakeLoop(run, failed))
    loopsOf.set(deps.database, [...(loopsOf.get(deps.database) ?? []), ...own.loops])
    return own
  }
  return (deps) => {
    const own = workers.get(deps.database) ?? begin(deps)
    workers.set(deps.database, own)
    own.asked_by = deps
    const idle = own.loops.find((loop) => !loop.running())
    for (const loop of own.loops) if (loop.running()) loop.wake()
    idle?.wake()
  }
}
