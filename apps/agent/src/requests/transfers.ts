import { TaskFailure } from '../body/body.ts'
import { wait } from '../clock.ts'
import type { Clock } from '../clock.ts'

const at_once = 2
const most_waiting = 10
/** Whoever asked believes a device that says nothing for two minutes to be gone. */
const tell_every_ms = 10_000
const told_apart_ms = 500

type Run<T> = (signal: AbortSignal, on_progress: (percent: number) => void) => Promise<T>

/** Files on their way to or from the server because somebody asked for them: two at a time, each can be stopped. */
export function openTransfers(clock: Clock) {
  const running = new Map<string, AbortController>()
  let active = 0
  const queue: (() => void)[] = []

  async function turn(signal: AbortSignal): Promise<void> {
    while (active >= at_once) {
      await new Promise<void>((resolve) => {
        queue.push(resolve)
        signal.addEventListener('abort', () => resolve(), { once: true })
      })
      signal.throwIfAborted()
    }
    active += 1
  }

  return {
    /** `tell` hears how far it is, and again and again while nothing moves. */
    async run<T>(kid: string, tell: (percent: number) => void, run: Run<T>): Promise<T> {
      if (running.has(kid)) throw new TaskFailure('busy', 'This transfer is running already')
      if (running.size >= most_waiting) throw new TaskFailure('busy', 'Too many transfers at once')
      const controller = new AbortController()
      const { signal } = controller
      running.set(kid, controller)
      let percent = 0
      let told_at = clock.now().getTime()
      const say = () => {
        told_at = clock.now().getTime()
        tell(Math.min(99, Math.floor(percent)))
      }
      const over = new AbortController()
      const beat = async () => {
        for (;;) {
          await wait(clock, tell_every_ms, over.signal)
          say()
        }
      }
      beat().catch(() => {})
      let is_active = false
      try {
        await turn(signal)
        is_active = true
        return await run(signal, (now) => {
          percent = now
          if (clock.now().getTime() - told_at >= told_apart_ms) say()
        })
      } catch (error) {
        if (signal.aborted) throw new TaskFailure('canceled', 'The transfer was stopped')
        throw error
      } finally {
        over.abort(new Error('over'))
        running.delete(kid)
        if (is_active) active -= 1
        queue.shift()?.()
      }
    },
    stop: (kid: string): void => running.get(kid)?.abort(new TaskFailure('canceled', 'The transfer was stopped')),
    halt(): void {
      for (const controller of running.values()) controller.abort(new TaskFailure('canceled', 'The agent stops'))
    },
  }
}
export type Transfers = ReturnType<typeof openTransfers>
