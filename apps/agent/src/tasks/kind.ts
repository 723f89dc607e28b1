import type { TaskWork, Up } from '@mdm/device-link'
import type { Body, Outcome } from '../body/body.ts'
import type { Bulk } from '../bulk.ts'
import type { Clock } from '../clock.ts'
import type { OsKeyRing } from '../os-keys.ts'
import type { Journal } from '../journal.ts'
import type { Pushed } from '../pushed.ts'

export type TaskType = TaskWork['type']
export type PayloadOf<T extends TaskType> = Extract<TaskWork, { type: T }>['payload']

/** What a task may touch while it runs. `signal` is aborted by a cancel, the task's end of life and a stop of the agent. */
export type TaskContext = {
  /** Of the attempt. */
  id: string
  body: Body
  bulk: Bulk
  clock: Clock
  journal: Journal
  os_keys: OsKeyRing
  pushed: Pushed
  /** What was applied of the configuration is about to be lost: it is applied again with the next start, or when `keep` is called. */
  undone(): Promise<{ keep: () => void }>
  signal: AbortSignal
}
export type TaskResult = {
  object?: string
  text?: string
  apps?: NonNullable<NonNullable<Up['task']['result']>['apps']>
  rebooting?: Outcome['rebooting']
}

/** How a type of task is done. */
export type TaskKind<T extends TaskType> = {
  /** What the user of the device is asked and warned about: 'Your administrator wants to …'. */
  what: string
  /** Whether doing it a second time does no harm: then an attempt that a kill interrupted is simply done again. */
  can_repeat: boolean
  /** Completed as the device goes down, not by the next boot: nobody knows when it is on again. */
  ends_going_down?: true
  /** Fetches what the task needs; interrupted ones are taken up where they stopped. */
  fetch?(payload: PayloadOf<T>, context: TaskContext, on_progress: (percent: number) => void): Promise<void>
  execute(payload: PayloadOf<T>, context: TaskContext): Promise<TaskResult>
  /** Starts the apps that it has brought; what could not be started. Absent: it brings none. */
  start?(payload: PayloadOf<T>, context: TaskContext): Promise<string | undefined>
  /** What became of an attempt that was cut off while it was executing: its result, or undefined when nobody knows. */
  interrupted?(before: { boot_id: string }, now: { boot_id: string }): TaskResult | undefined
}
