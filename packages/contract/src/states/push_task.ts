/** A device's part of a push task (specification, section 4). */
export const pushTaskStates = [
  'wait_receipt',
  'receipt',
  'wait_download',
  'downloading',
  'downloaded',
  'wait_execute',
  'executing',
  'completed',
  'failed',
  'canceled',
] as const
export type PushTaskState = (typeof pushTaskStates)[number]
export type PushTaskEvent =
  | 'receive'
  | 'queue_download'
  | 'start_download'
  | 'finish_download'
  | 'queue_execute'
  | 'start_execute'
  | 'complete'
  | 'fail'
  | 'cancel'
  | 'retry'

const end = { fail: 'failed', cancel: 'canceled' } as const
const fromExecuting = { complete: 'completed', ...end } as const
const fromWaitExecute = { start_execute: 'executing', ...fromExecuting } as const
const fromDownloaded = { queue_execute: 'wait_execute', ...fromWaitExecute } as const
const fromDownloading = { finish_download: 'downloaded', ...fromDownloaded } as const
const fromWaitDownload = { start_download: 'downloading', ...fromDownloading } as const
const fromReceipt = { queue_download: 'wait_download', ...fromWaitDownload } as const

/**
 * State x event -> state. A device that was cut off may report a later step than the one the server saw last,
 * so every step forward is legal and none is ever taken back; only `retry` leaves a final state, as a new attempt.
 */
export const pushTaskMoves = {
  wait_receipt: { receive: 'receipt', ...fromReceipt },
  receipt: fromReceipt,
  wait_download: fromWaitDownload,
  downloading: fromDownloading,
  downloaded: fromDownloaded,
  wait_execute: fromWaitExecute,
  executing: fromExecuting,
  completed: {},
  failed: { retry: 'wait_receipt' },
  canceled: { retry: 'wait_receipt' },
} as const satisfies Record<PushTaskState, Partial<Record<PushTaskEvent, PushTaskState>>>

const moves: Record<PushTaskState, Partial<Record<PushTaskEvent, PushTaskState>>> = pushTaskMoves
export const nextPushTaskState = (state: PushTaskState, event: PushTaskEvent): PushTaskState | undefined =>
  moves[state][event]
export const canPushTask = (state: PushTaskState, event: PushTaskEvent): boolean => moves[state][event] !== undefined
export const isFinal = (state: PushTaskState): boolean => !canPushTask(state, 'fail')

/**
 * In these a device waits for something: a connection, a prompt, its window, the start of its next step; while it downloads,
 * for its Wi-Fi to come back.
 */
export const waitingStates: readonly PushTaskState[] = [
  'wait_receipt',
  'receipt',
  'wait_download',
  'downloading',
  'downloaded',
  'wait_execute',
]

/** Which event a device's report of a state is. `wait_receipt` is the server's own and never reported. */
export const reportedEvent = {
  receipt: 'receive',
  wait_download: 'queue_download',
  downloading: 'start_download',
  downloaded: 'finish_download',
  wait_execute: 'queue_execute',
  executing: 'start_execute',
  completed: 'complete',
  failed: 'fail',
  canceled: 'cancel',
} as const satisfies Record<Exclude<PushTaskState, 'wait_receipt'>, PushTaskEvent>

/** Process events of the specification; `wait_download` and `wait_execute` are states without an event of their own.
 * `reported_after_end` is the server's note of a step that a device reported of an attempt that had ended: `code` is its state. */
export const processEvents = [
  'created',
  'retried',
  'received',
  'download_start',
  'download_finish',
  'execute_start',
  'failed',
  'cancelled',
  'finished',
  'reported_after_end',
] as const
export type ProcessEvent = (typeof processEvents)[number]
export const processEventOf: Record<PushTaskEvent, ProcessEvent | undefined> = {
  receive: 'received',
  queue_download: undefined,
  start_download: 'download_start',
  finish_download: 'download_finish',
  queue_execute: undefined,
  start_execute: 'execute_start',
  complete: 'finished',
  fail: 'failed',
  cancel: 'cancelled',
  retry: 'retried',
}

/** Seconds a device may stay in a state before the server ends the attempt as failed with code `deadline`. */
export const deadlineSeconds: Record<Exclude<PushTaskState, 'completed' | 'failed' | 'canceled'>, number> = {
  wait_receipt: 7 * 86_400,
  receipt: 3_600,
  wait_download: 86_400,
  downloading: 86_400,
  downloaded: 86_400,
  wait_execute: 86_400,
  executing: 7_200,
}

/** The result of a whole task, derived from its devices; undefined while one is still moving. */
export function pushTaskResult(counts: {
  total: number
  completed: number
  failed: number
  canceled: number
}): PushTaskResult | undefined {
  if (counts.completed + counts.failed + counts.canceled < counts.total) return undefined
  if (counts.completed === counts.total) return 'all_succeeded'
  return counts.completed === 0 ? 'all_failed' : 'partly_succeeded'
}
export const pushTaskResults = ['all_succeeded', 'partly_succeeded', 'all_failed'] as const
export type PushTaskResult = (typeof pushTaskResults)[number]
