import * as z from 'zod'
import { DownCancel, DownTask, limits } from '@mdm/device-link'
import type { Down } from '@mdm/device-link'
import { isFinal } from './attempts.ts'
import type { Attempt, Attempts } from './attempts.ts'
import { TaskFailure } from './body/body.ts'
import type { Body } from './body/body.ts'
import type { Bulk } from './bulk.ts'
import { wait } from './clock.ts'
import type { Clock } from './clock.ts'
import type { Journal } from './journal.ts'
import { kindOf, isTaskType } from './tasks/kinds.ts'
import type { TaskContext } from './tasks/kind.ts'
import { msUntilWindow } from './window.ts'

/** Enough of down/task to answer it, whatever else it says. */
const Head = z.object({
  task_kid: z.uuid(),
  attempt: z.number().int().min(1),
  version: z.number().int().min(0),
  type: z.string(),
})

const progressStep = { percent: 5, ms: 1000 }
const downloadsAtOnce = 2
const rebootPatience_ms = 600_000
const lastWords_ms = 3_000

class Canceled extends Error {}
class Halted extends Error {}

export type InboxOptions = {
  attempts: Attempts
  body: Body
  bulk: Bulk
  journal: Journal
  clock: Clock
  /** The device goes down; the attempt is finished by the next boot. */
  on_reboot: (down_ms: number) => void
  on_task: (task: Down['task']) => void
  log: (line: string) => void
}

export function openInbox({ attempts, body, bulk, journal, clock, ...options }: InboxOptions) {
  const running = new Map<Attempt, AbortController>()
  /** Too late to cancel. */
  const goingDown = new WeakSet<Attempt>()
  const slots = semaphore(downloadsAtOnce)
  let is_halted = false

  function start(attempt: Attempt) {
    const controller = new AbortController()
    running.set(attempt, controller)
    run(attempt, controller)
      .catch(async (error: unknown) => {
        if (is_halted || error instanceof Halted) return
        if (error instanceof Canceled) return attempts.report(attempt, 'canceled')
        const failure = error instanceof TaskFailure ? error : new TaskFailure('internal', (error as Error).message)
        await attempts.report(attempt, 'failed', { code: failure.code, message: failure.message.slice(0, 1000) })
      })
      .catch((error: Error) => options.log(`task ${attempt.task_kid}: ${error.message}`))
      .finally(() => running.delete(attempt))
  }

  async function run(attempt: Attempt, controller: AbortController) {
    const { task } = attempt
    if (!task) throw new Error('an open attempt without its task')
    const { signal } = controller
    const kind = kindOf(task.type)
    const context: TaskContext = { body, bulk, journal, signal }
    const { boot_id } = await body.boot()
    if (attempt.is_canceled) throw new Canceled()

    if (attempt.state === 'executing' && !kind.can_repeat) {
      const result = kind.interrupted?.({ boot_id: attempt.boot_id ?? '' }, { boot_id })
      if (!result) throw new TaskFailure('interrupted', 'The agent was stopped while the task was executing')
      return attempts.report(attempt, 'completed', { result })
    }

    const left_ms = Date.parse(task.expires_at) - clock.now().getTime()
    const expired = () =>
      new TaskFailure('expired', `It ended at ${task.expires_at}; the device's clock says ${clock.now().toISOString()}`)
    if (attempt.state !== 'executing') {
      if (left_ms <= 0) throw expired()
      const cancelExpiry = clock.after(left_ms, () => {
        if (clock.now().getTime() >= Date.parse(task.expires_at)) controller.abort(expired())
      })
      try {
        const is_fetched = attempt.state === 'downloaded' || attempt.state === 'wait_execute'
        if (kind.fetch && !is_fetched) await fetch(attempt, task, context)
        if (attempt.state !== 'wait_execute') await attempts.report(attempt, 'wait_execute')
        await waitForWindow(task, signal)
        if (task.install_prompt && !(await body.ask(`Execute now: ${task.type}?`, signal)))
          throw new TaskFailure('refused', 'Refused at the device')
        signal.throwIfAborted()
      } finally {
        cancelExpiry()
      }
    }

    // From here on it counts as done once, even if nobody lives to tell.
    attempt.boot_id = boot_id
    await attempts.report(attempt, 'executing')
    signal.throwIfAborted()
    const { rebooting, ...result } = await kind.execute(task.payload, context)
    const done = () => attempts.report(attempt, 'completed', Object.keys(result).length > 0 ? { result } : {})
    if (!rebooting) return done()
    goingDown.add(attempt)
    options.log(`${task.type}: going down`)
    if (kind.goes_down === 'for_good') {
      await done()
      await heard(attempt)
    }
    if (rebooting.down_ms !== undefined) return options.on_reboot(rebooting.down_ms)
    if (isFinal(attempt.state)) return
    await wait(clock, rebootPatience_ms, signal)
    throw new TaskFailure(`${task.type}_failed`, 'The device is still running')
  }

  /** Until the server has what was said, for as long as a device that goes down has time for. */
  async function heard(attempt: Attempt) {
    for (let left_ms = lastWords_ms; left_ms > 0 && attempt.queue.length > 0; left_ms -= 50) await wait(clock, 50)
  }

  async function fetch(attempt: Attempt, task: Down['task'], context: TaskContext) {
    const { signal } = context
    if (attempt.state === 'receipt') {
      await attempts.report(attempt, 'wait_download')
      if (task.download_prompt && !(await body.ask('Download files now?', signal)))
        throw new TaskFailure('refused', 'Refused at the device')
    }
    const release = await slots(signal)
    try {
      await attempts.report(attempt, 'downloading', { progress: 0 })
      let told = { percent: 0, at: clock.now().getTime() }
      await kindOf(task.type).fetch?.(task.payload, context, (percent) => {
        const now = clock.now().getTime()
        if (percent - told.percent < progressStep.percent || now - told.at < progressStep.ms) return
        told = { percent, at: now }
        attempts
          .report(attempt, 'downloading', { progress: Math.min(99, Math.floor(percent)) })
          .catch((error: Error) => options.log(error.message))
      })
      signal.throwIfAborted()
      await attempts.report(attempt, 'downloaded', { progress: 100 })
    } finally {
      release()
    }
  }

  /** Looks at the clock again every minute: a device's clock jumps. */
  async function waitForWindow(task: Down['task'], signal: AbortSignal) {
    if (!task.window) return
    for (;;) {
      const ms = msUntilWindow(task.window, clock.now())
      if (ms === undefined) throw new TaskFailure('bad_task', 'The window is not HH:MM to HH:MM')
      if (ms === 0) return
      await wait(clock, Math.min(ms, 60_000), signal)
    }
  }

  async function accept(json: unknown) {
    const head = Head.safeParse(json).data
    if (!head) return options.log('down/task without task_kid, attempt, version and type')
    const { task_kid, attempt: number, version } = head
    const known = attempts.get(task_kid, number)
    if (known) return attempts.repeat(known, version)
    const { data: task, error } = DownTask.safeParse(json)
    const refusal = refusalOf(head.type, task, error)
    const attempt: Attempt = { task_kid, attempt: number, version, reports: 0, queue: [], ...(task ? { task } : {}) }
    attempts.add(attempt)
    try {
      if (refusal) return await attempts.report(attempt, 'failed', refusal)
      await attempts.report(attempt, 'receipt')
    } catch (unsaved) {
      attempts.forget(attempt)
      throw unsaved
    }
    if (is_halted || !task) return
    options.on_task(task)
    start(attempt)
  }

  function refusalOf(type: string, task: Down['task'] | undefined, error: z.ZodError | undefined) {
    if (!isTaskType(type)) return { code: 'not_supported', message: `Unknown type ${type.slice(0, 100)}` }
    if (!task) return { code: 'bad_task', message: error ? z.prettifyError(error).slice(0, 1000) : 'Not a task' }
    if (attempts.open().length >= limits.open_tasks) return { code: 'busy', message: 'Too many open tasks' }
    return undefined
  }

  async function cancel(json: unknown) {
    const parsed = DownCancel.safeParse(json).data
    if (!parsed) return options.log('down/cancel without task_kid and attempt')
    const attempt = attempts.get(parsed.task_kid, parsed.attempt)
    if (!attempt) {
      // It overtook its task, which must not run when it comes.
      const canceled: Attempt = { ...parsed, reports: 0, queue: [] }
      attempts.add(canceled)
      return attempts.report(canceled, 'canceled')
    }
    if (isFinal(attempt.state)) return attempts.repeat(attempt, undefined)
    const controller = running.get(attempt)
    if (!controller || goingDown.has(attempt)) return
    attempt.is_canceled = true
    await attempts.save(attempt)
    controller.abort(new Canceled())
  }

  return {
    accept,
    cancel,
    /** Takes up what a stop or a kill interrupted. */
    resume() {
      for (const attempt of attempts.open()) start(attempt)
    },
    halt() {
      is_halted = true
      attempts.halt()
      for (const controller of running.values()) controller.abort(new Halted())
    },
  }
}

/** At most `size` holders; the others wait in order. */
function semaphore(size: number) {
  let free = size
  const queue: (() => void)[] = []
  const release = () => {
    const next = queue.shift()
    if (next) next()
    else free += 1
  }
  return (signal: AbortSignal): Promise<() => void> =>
    new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason)
      let is_released = false
      const once = () => {
        if (is_released) return
        is_released = true
        release()
      }
      if (free > 0) {
        free -= 1
        return resolve(once)
      }
      const next = () => {
        signal.removeEventListener('abort', abort)
        resolve(once)
      }
      const abort = () => {
        queue.splice(queue.indexOf(next), 1)
        reject(signal.reason)
      }
      queue.push(next)
      signal.addEventListener('abort', abort, { once: true })
    })
}
