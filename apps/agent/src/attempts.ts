import * as z from 'zod'
import { DownTask, limits, ReportedState, up } from '@mdm/device-link'
import type { Up } from '@mdm/device-link'
import type { Clock } from './clock.ts'
import { Course } from './conditions.ts'
import type { Outgoing, Source } from './connection.ts'
import type { Store } from './store.ts'

export type Report = Up['task']
type ReportFields = Pick<Report, 'progress' | 'code' | 'message' | 'waits' | 'result'>

/** One attempt of a task as it is kept on disk, with the reports that the server has not acknowledged. */
const Attempt = z.object({
  task_kid: z.uuid(),
  attempt: z.number().int(),
  version: z.number().int().optional().describe('of down/task; absent when only a cancel has arrived'),
  task: DownTask.optional().describe('until it ends'),
  state: ReportedState.optional(),
  reports: z.number().int(),
  last: up.task.optional(),
  queue: z.array(up.task),
  boot_id: z.string().optional().describe('of the boot in which it began to execute'),
  course: Course.optional(),
  is_canceled: z.boolean().optional(),
  restart_owed: z.string().optional().describe('boot that ends with it, of an attempt that is completed'),
  finished_at: z.iso.datetime().optional(),
})
export type Attempt = z.infer<typeof Attempt>

export const isFinal = (state: ReportedState | undefined): boolean =>
  state === 'completed' || state === 'failed' || state === 'canceled'
/** States in which a device stays for as long as something is missing; only the newest report of one is worth sending. */
const lasting: readonly (ReportedState | undefined)[] = ['wait_download', 'downloading', 'wait_execute']
export const isLasting = (state: ReportedState | undefined): boolean => lasting.includes(state)
const keyOf = (task_kid: string, attempt: number) => `${task_kid}.${attempt}`
const documentOf = (attempt: Attempt) => `tasks/${keyOf(attempt.task_kid, attempt.attempt)}`

const keep = { finished: 500, ms: 30 * 86_400_000 }

export type Attempts = Awaited<ReturnType<typeof openAttempts>>

/** The attempts a device holds. A state is on disk before it is reported, and reported until it is acknowledged. */
export async function openAttempts(options: {
  store: Store
  clock: Clock
  on_report: (report: Report) => void
  on_ready: () => void
  log: (line: string) => void
}) {
  const { store, clock } = options
  const all = new Map<string, Attempt>()
  const ready: { attempt: Attempt; report: Report }[] = []
  const in_flight = new Set<Report>()
  const lost = new WeakSet<object>()
  let is_halted = false

  for (const name of await store.list('tasks')) {
    const attempt = Attempt.safeParse(await store.read(name).catch(() => undefined)).data
    if (!attempt) {
      options.log(`${name} is damaged and was dropped`)
      await store.remove(name)
      continue
    }
    all.set(keyOf(attempt.task_kid, attempt.attempt), attempt)
    for (const report of attempt.queue) ready.push({ attempt, report })
  }

  const save = (attempt: Attempt) => (is_halted ? Promise.resolve() : store.write(documentOf(attempt), attempt))

  /** The next state of an attempt: saved, then sent. */
  async function report(attempt: Attempt, state: ReportedState, fields: ReportFields = {}): Promise<void> {
    if (is_halted || isFinal(attempt.state)) return
    const waiting = attempt.queue.at(-1)
    const report: Report = { task_kid: attempt.task_kid, attempt: attempt.attempt, state, ...fields }
    attempt.state = state
    attempt.last = report
    if (isFinal(state)) {
      attempt.finished_at = clock.now().toISOString()
      delete attempt.task
    }
    if (waiting && isLasting(state) && waiting.state === state && !in_flight.has(waiting)) {
      delete waiting.waits
      attempt.last = Object.assign(waiting, fields)
      await save(attempt)
    } else {
      if (attempt.version !== undefined) report.expected_version = attempt.version + attempt.reports
      attempt.reports += 1
      attempt.queue.push(report)
      await save(attempt).catch((error: Error) => {
        // That it failed is told also by a device that cannot write it down.
        if (state !== 'failed') throw error
        options.log(error.message)
      })
      if (!is_halted) ready.push({ attempt, report })
    }
    options.on_report(attempt.last)
    options.on_ready()
  }

  /** Says again what was said last, to a server that asks again and has acknowledged everything. */
  async function repeat(attempt: Attempt, version: number | undefined): Promise<void> {
    if (!attempt.last || attempt.queue.length > 0) return
    // A copy that was sent before the server heard the latest reports carries a version that is over: the own count goes on.
    const counted = attempt.version === undefined ? undefined : attempt.version + attempt.reports
    const expected = Math.max(version ?? 0, counted ?? 0)
    if (version !== undefined) attempt.version = expected - attempt.reports
    const report: Report = { ...attempt.last, ...(version === undefined ? {} : { expected_version: expected }) }
    attempt.reports += 1
    attempt.queue.push(report)
    await save(attempt)
    ready.push({ attempt, report })
    options.on_ready()
  }

  function prune() {
    const done = [...all.values()].filter(({ finished_at, queue }) => finished_at !== undefined && queue.length === 0)
    if (done.length <= keep.finished / 2) return
    done.sort((a, b) => (a.finished_at ?? '').localeCompare(b.finished_at ?? ''))
    const oldest = new Date(clock.now().getTime() - keep.ms).toISOString()
    const gone = done.filter(({ finished_at }, at) => at < done.length - keep.finished || (finished_at ?? '') < oldest)
    for (const attempt of gone) {
      all.delete(keyOf(attempt.task_kid, attempt.attempt))
      void store.remove(documentOf(attempt)).catch((error: Error) => options.log(error.message))
    }
  }

  const source: Source = {
    take(): Outgoing | undefined {
      const entry = ready.shift()
      if (!entry) return undefined
      const { attempt, report } = entry
      lost.delete(entry)
      in_flight.add(report)
      return {
        name: 'task',
        payload: report,
        acked() {
          in_flight.delete(report)
          attempt.queue = attempt.queue.filter((other) => other !== report)
          if (attempt.queue.length === 0) void save(attempt).catch((error: Error) => options.log(error.message))
        },
        lost() {
          in_flight.delete(report)
          // They are given back in the order they were taken, and go before everything that was not.
          const at = ready.findLastIndex((other) => lost.has(other))
          lost.add(entry)
          ready.splice(at + 1, 0, entry)
        },
      }
    },
  }
  return {
    source,
    report,
    repeat,
    save,
    get: (task_kid: string, attempt: number): Attempt | undefined => all.get(keyOf(task_kid, attempt)),
    add(attempt: Attempt) {
      prune()
      all.set(keyOf(attempt.task_kid, attempt.attempt), attempt)
    },
    /** For one that could not be saved: the server will send it again. */
    forget: (attempt: Attempt) => void all.delete(keyOf(attempt.task_kid, attempt.attempt)),
    open: (): Attempt[] => [...all.values()].filter((attempt) => !isFinal(attempt.state)),
    owingRestart: (): Attempt[] => [...all.values()].filter(({ restart_owed }) => restart_owed !== undefined),
    /** What hello says: all open attempts, then the newest finished ones. */
    held(): { task_kid: string; attempt: number; state: ReportedState }[] {
      const rank = ({ finished_at }: Attempt) => finished_at ?? '9999'
      return [...all.values()]
        .sort((a, b) => rank(b).localeCompare(rank(a)))
        .flatMap(({ task_kid, attempt, state }) => (state === undefined ? [] : [{ task_kid, attempt, state }]))
        .slice(0, limits.open_tasks)
    },
    /** Nothing is written or said any more. */
    halt() {
      is_halted = true
      ready.length = 0
    },
  }
}
