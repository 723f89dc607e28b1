import * as z from 'zod'
import { DownCancel, DownTask, limits } from '@mdm/device-link'
import type { Down, ReportedState, Waits } from '@mdm/device-link'
import { isFinal, isLasting } from './attempts.ts'
import type { Attempt, Attempts } from './attempts.ts'
import { TaskFailure } from './body/body.ts'
import type { Body } from './body/body.ts'
import { asFailure } from './body/failures.ts'
import type { Bulk } from './bulk.ts'
import { wait } from './clock.ts'
import type { Clock } from './clock.ts'
import { answered, nextOf } from './conditions.ts'
import type { Next, Prompt } from './conditions.ts'
import type { Journal } from './journal.ts'
import type { OsKeyRing } from './os-keys.ts'
import type { Pushed } from './pushed.ts'
import { isSameJson } from './same-json.ts'
import { kindOf, isTaskType } from './tasks/kinds.ts'
import type { TaskContext } from './tasks/kind.ts'

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
const goingDownPause_ms = 500
/** How often it is looked again at what a task waits for: clocks jump, networks and chargers come and go. */
const look_ms = { clock: 60_000, network: 10_000 }
/** How long a restart that is owed lets other tasks end first. */
const othersPatience_ms = 600_000
/** What is waited for may change by the minute, in each of many tasks: then only some of it is told. */
const waitsPerHour = limits.reports_per_hour / 5

class Canceled extends Error {}
/** A download that goes on when its network is back. */
class Paused extends Error {}
class Halted extends Error {}

export type InboxOptions = {
  attempts: Attempts
  body: Body
  bulk: Bulk
  journal: Journal
  os_keys: OsKeyRing
  pushed: Pushed
  undone: TaskContext['undone']
  clock: Clock
  /** The device goes down; the attempt is finished by the next boot. */
  on_reboot: (down_ms: number) => void
  on_task: (task: Down['task']) => void
  log: (line: string) => void
}

export function openInbox(given: InboxOptions) {
  const { attempts, body, bulk, journal, pushed, clock, os_keys, undone, ...options } = given
  const running = new Map<Attempt, AbortController>()
  /** Too late to cancel. */
  const goingDown = new Set<Attempt>()
  const slots = semaphore(downloadsAtOnce)
  const ended = new AbortController()
  let is_halted = false
  let told = { hour: 0, count: 0 }
  let restarting: Promise<void> | undefined

  function start(attempt: Attempt) {
    const controller = new AbortController()
    running.set(attempt, controller)
    run(attempt, controller)
      .catch(async (error: unknown) => {
        if (is_halted || error instanceof Halted) return
        if (error instanceof Canceled) return attempts.report(attempt, 'canceled')
        const failure = asFailure(error)
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
    const id = `${attempt.task_kid}.${attempt.attempt}`
    const context: TaskContext = { id, body, bulk, clock, journal, pushed, os_keys, undone, signal }
    const { boot_id } = await body.boot()
    if (attempt.is_canceled) throw new Canceled()

    if (attempt.state === 'executing' && !kind.can_repeat) {
      const result = kind.interrupted?.({ boot_id: attempt.boot_id ?? '' }, { boot_id })
      if (!result) throw new TaskFailure('interrupted', 'The agent was stopped while the task was executing')
      return attempts.report(attempt, 'completed', { result })
    }

    if (attempt.state !== 'executing') {
      const left_ms = Date.parse(task.expires_at) - clock.now().getTime()
      const cancelExpiry = clock.after(Math.max(0, left_ms), () => {
        if (clock.now().getTime() >= Date.parse(task.expires_at)) controller.abort(failureOf('expired', task))
      })
      try {
        const is_fetched = attempt.state === 'downloaded' || attempt.state === 'wait_execute'
        if (kind.fetch && !is_fetched) await fetch(attempt, task, context)
        await clearing(attempt, task, 'execute', signal)
      } finally {
        cancelExpiry()
      }
    }

    // What began while the device goes down would be cut off in the middle: it is for the boot that follows.
    while (goingDown.size > 0) await wait(clock, goingDownPause_ms, signal)
    // From here on it counts as done once, even if nobody lives to tell.
    attempt.boot_id = boot_id
    await attempts.report(attempt, 'executing')
    signal.throwIfAborted()
    const { rebooting, ...result } = await kind.execute(task.payload, context)
    const done = () => attempts.report(attempt, 'completed', Object.keys(result).length > 0 ? { result } : {})
    if (!rebooting) {
      const { missing, restarts } = await afterwards(task, context)
      if (missing) result.text = [result.text, missing].filter(Boolean).join('\n').slice(0, 4000)
      if (restarts) attempt.restart_owed = boot_id
      await done()
      return payRestarts()
    }
    goingDown.add(attempt)
    options.log(`${task.type}: going down`)
    if (kind.ends_going_down) {
      await done()
      await heard([attempt])
    }
    if (rebooting.down_ms !== undefined) return options.on_reboot(rebooting.down_ms)
    await wait(clock, rebootPatience_ms, signal)
    goingDown.delete(attempt)
    if (isFinal(attempt.state)) return
    throw new TaskFailure(`${task.type}_failed`, 'The device is still running')
  }

  /** Until the server has what was said, for as long as a device that goes down has time for. */
  async function heard(those: Attempt[]) {
    const isUnheard = () => those.some(({ queue }) => queue.length > 0)
    for (let left_ms = lastWords_ms; left_ms > 0 && isUnheard(); left_ms -= 50) await wait(clock, 50)
  }

  /** By the conditions of the task as they are now. */
  const look = async (attempt: Attempt, task: Down['task'], step: 'download' | 'execute'): Promise<Next> =>
    nextOf(task, {
      step,
      now: clock.now(),
      zone: body.zone(),
      network: step === 'download' && task.network === 'wifi' ? await body.network() : undefined,
      battery: step === 'execute' && task.min_battery !== undefined ? (await body.state()).battery : undefined,
      course: attempt.course ?? {},
    })

  /** Until the conditions let the task do its next step; what it waits for meanwhile is told. Throws when they never will. */
  async function clearing(attempt: Attempt, task: Down['task'], step: 'download' | 'execute', signal: AbortSignal) {
    for (;;) {
      const next = await look(attempt, task, step)
      signal.throwIfAborted()
      if (next.do === 'fail') throw failureOf(next.code, task)
      const is_clear = next.do === step
      await tellWaits(attempt, step, 'waits' in next ? next.waits : undefined)
      if (is_clear) return
      if (next.do === 'ask') await ask(attempt, task, next.prompt, next.may_put_off, signal)
      if (next.do === 'warn') await warn(attempt, task, next, signal)
      if (next.do === 'wait') await wait(clock, pauseOf(next, task), signal)
    }
  }

  function pauseOf({ until, waits }: Extract<Next, { do: 'wait' }>, { expires_at }: Down['task']): number {
    const ends = Math.min(until?.getTime() ?? Infinity, Date.parse(expires_at))
    const most_ms = waits.for === 'network' || waits.for === 'battery' ? look_ms.network : look_ms.clock
    return Math.max(1, Math.min(ends - clock.now().getTime(), most_ms))
  }

  /** Brings the attempt into the state in which it waits, and says what for whenever that has changed. */
  async function tellWaits(attempt: Attempt, step: 'download' | 'execute', waits: Waits | undefined) {
    const states: ReportedState[] = step === 'execute' ? ['wait_execute'] : ['wait_download', 'downloading']
    const fields = waits ? { waits } : {}
    if (!isLasting(attempt.state) || !states.includes(attempt.state!))
      return attempts.report(attempt, states[0]!, fields)
    if (isSameJson(attempt.last?.waits, waits)) return
    // The next state tells that nothing is waited for any more.
    if (!waits) return
    const hour = Math.floor(clock.now().getTime() / 3_600_000)
    if (told.hour !== hour) told = { hour, count: 0 }
    told.count += 1
    if (told.count > waitsPerHour) return
    const { progress } = attempt.last ?? {}
    await attempts.report(attempt, attempt.state!, { ...(progress === undefined ? {} : { progress }), ...fields })
  }

  async function ask(attempt: Attempt, task: Down['task'], prompt: Prompt, may_put_off: boolean, signal: AbortSignal) {
    const wish = prompt === 'download_prompt' ? 'download files' : kindOf(task.type).what
    const answer = await body.ask(`Your administrator wants to ${wish}. Now?`, { may_put_off }, signal)
    signal.throwIfAborted()
    attempt.course = answered(attempt.course ?? {}, prompt, answer, clock.now())
    await attempts.save(attempt)
  }

  async function warn(
    attempt: Attempt,
    task: Down['task'],
    { seconds, course }: Extract<Next, { do: 'warn' }>,
    signal: AbortSignal,
  ) {
    attempt.course = course
    await attempts.save(attempt)
    // Whether it was read or not, the task goes on.
    body
      .warn(`In ${seconds} seconds your administrator will ${kindOf(task.type).what}.`, seconds, signal)
      .catch((error: Error) => options.log(`warning: ${error.message}`))
  }

  function failureOf(code: Extract<Next, { do: 'fail' }>['code'], { expires_at, window }: Down['task']): TaskFailure {
    const now = clock.now().toISOString()
    const messages = {
      expired: `It ended at ${expires_at}; the device's clock says ${now}`,
      refused: 'Refused at the device',
      bad_task: `The window is not HH:MM to HH:MM on days from 1 to 7: ${window?.from} to ${window?.to}`.slice(0, 1000),
    }
    return new TaskFailure(code, messages[code])
  }

  async function fetch(attempt: Attempt, task: Down['task'], context: TaskContext) {
    for (;;) {
      await clearing(attempt, task, 'download', context.signal)
      const release = await slots(context.signal)
      try {
        // It may have waited for its turn for long.
        if ((await look(attempt, task, 'download')).do !== 'download') continue
        await download(attempt, task, context)
        context.signal.throwIfAborted()
        return await attempts.report(attempt, 'downloaded', { progress: 100 })
      } catch (error) {
        if (!(error instanceof Paused)) throw error
      } finally {
        release()
      }
    }
  }

  /** Throws Paused when the conditions do not hold any more. */
  async function download(attempt: Attempt, task: Down['task'], context: TaskContext) {
    const { progress = 0 } = attempt.last ?? {}
    await attempts.report(attempt, 'downloading', { progress })
    const over = new AbortController()
    const signal = AbortSignal.any([context.signal, over.signal])
    const watch = async () => {
      do await wait(clock, look_ms.network, signal)
      while ((await look(attempt, task, 'download')).do === 'download')
      over.abort(new Paused())
    }
    if (task.network === 'wifi') watch().catch(() => undefined)
    let said = { percent: 0, at: clock.now().getTime() }
    try {
      await kindOf(task.type).fetch?.(task.payload, { ...context, signal }, (percent) => {
        const now = clock.now().getTime()
        if (percent - said.percent < progressStep.percent || now - said.at < progressStep.ms) return
        said = { percent, at: now }
        attempts
          .report(attempt, 'downloading', { progress: Math.min(99, Math.floor(percent)) })
          .catch((error: Error) => options.log(error.message))
      })
    } finally {
      over.abort(new Error('over'))
    }
  }

  /** What follows a task that is completed: whether the device restarts, and what it cannot do of it. */
  async function afterwards(
    { after_install, type, payload }: Down['task'],
    context: TaskContext,
  ): Promise<{ restarts: boolean; missing?: string }> {
    if (after_install === 'start_app') {
      const { start } = kindOf(type)
      const missing = start ? await start(payload, context) : `Nothing was started: ${type} brings no app`
      return { restarts: false, ...(missing !== undefined && { missing }) }
    }
    if (after_install !== 'restart') return { restarts: false }
    const restarts = body.task_types.includes('restart')
    return restarts ? { restarts } : { restarts, missing: 'Not restarted afterwards: this device has no way to' }
  }

  /** Restarts the device once for all tasks that ended with it, when nothing else executes. */
  async function payRestarts(): Promise<void> {
    const { boot_id } = await body.boot()
    for (const attempt of attempts.owingRestart()) if (attempt.restart_owed !== boot_id) await settle(attempt)
    if (attempts.owingRestart().length === 0 || is_halted) return
    restarting ??= restartAfterwards()
      .catch((error: Error) => options.log(`restart afterwards: ${error.message}`))
      .finally(() => (restarting = undefined))
  }

  async function restartAfterwards() {
    const isBusy = () => [...running.keys()].some(({ state }) => state === 'executing')
    for (let left_ms = othersPatience_ms; left_ms > 0 && isBusy(); left_ms -= 500) await wait(clock, 500, ended.signal)
    const owing = attempts.owingRestart()
    await heard(owing)
    ended.signal.throwIfAborted()
    try {
      const { rebooting } = await body.restart(ended.signal)
      if (rebooting?.down_ms !== undefined) return options.on_reboot(rebooting.down_ms)
      if (rebooting) await wait(clock, rebootPatience_ms, ended.signal)
    } finally {
      // It is up still: it was tried, and once is enough. A device that goes down finds what is owed paid by its boot.
      if (!is_halted) for (const attempt of owing) await settle(attempt)
    }
  }

  async function settle(attempt: Attempt) {
    delete attempt.restart_owed
    await attempts.save(attempt)
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
      payRestarts().catch((error: Error) => options.log(error.message))
    },
    halt() {
      is_halted = true
      attempts.halt()
      ended.abort(new Halted())
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
