import type { Access } from './kit.ts'
import type { BatchState } from './calls/terminal_batch.ts'
import type { ExportState } from './calls/terminal_export.ts'
import type { TransferState } from './calls/device_transfer.ts'
import type { PushTaskState } from './states/push_task.ts'

/** Live events, server -> console, as SSE `data`. Each reaches only sessions that act for its account and hold `needs`. */
export type LiveEvent =
  | {
      type: 'terminal_state'
      kid: string
      is_online: boolean
      is_asleep: boolean
      last_online_at: string | null
      battery_level: number | null
      network_type: string | null
      signal: number | null
    }
  | { type: 'terminal_info'; kid: string }
  | { type: 'terminal_registered'; kid: string; qrcode_kid: string | null }
  | { type: 'terminal_list_changed' }
  | { type: 'terminal_event'; kid: string }
  | { type: 'terminal_location'; kid: string; longitude: number; latitude: number; at: string }
  | { type: 'terminal_group_changed' }
  | { type: 'push_task'; kid: string }
  /** Recurring pushes or templates. */
  | { type: 'push_schedule_changed' }
  | {
      type: 'push_task_terminal'
      push_task_kid: string
      terminal_kid: string
      state: PushTaskState
      progress: number
      attempt: number
    }
  /** `kid` is the device's, as in every event of one device. */
  | { type: 'terminal_file'; kid: string; transfer_kid: string; state: TransferState; progress: number }
  | { type: 'terminal_log'; kid: string; transfer_kid: string; state: TransferState; progress: number }
  /** A session with a device has begun, changed or ended. `kid` is the device's. */
  | { type: 'terminal_remote'; kid: string; session_kid: string }
  /** What the device holds, or ought to hold, has changed. */
  | { type: 'terminal_config'; kid: string }
  /** Fences, where they are set, and who is within them. */
  | { type: 'electronic_fence_changed' }
  /** Alerts, their rules, or who is compliant. */
  | { type: 'alert_changed' }
  | {
      type: 'batch_job'
      schedule_version: string
      state: BatchState
      total: number
      done: number
      ok: number
      failed: number
    }
  | { type: 'terminal_export'; schedule_version: string; state: ExportState; total: number; done: number }
  /** Devices wait to be scrapped, or do so no more. It says no more than that: not everybody may see each of them. */
  | { type: 'scrap_schedule_changed' }
  | { type: 'operation_log' }
  | { type: 'file_changed' }
  /** Rules of required apps, or where their devices stand. */
  | { type: 'app_requirement_changed' }
  /** Of the account's own apps. */
  | { type: 'app_changed' }
  /** To the provider: a version, or how far its packages are. */
  | { type: 'os_version'; kid: string; is_gone?: boolean }
  /** Custom OS of the account, or how far a build is. */
  | { type: 'os_custom_changed' }
  /** Templates or configurations of iStage. */
  | { type: 'istage_changed' }
  /** To the provider: models, base versions, or how far their files are. */
  | { type: 'oscs_changed' }
  /** To the provider: a job of some customer, or of its own, has begun, gone on or ended. */
  | { type: 'operation_task_changed' }
  /** Events were dropped for this session (it read too slowly): refetch what is on screen. */
  | { type: 'lagged' }
export type LiveEventType = LiveEvent['type']

/**
 * Said by the server once it listens for this session, then again and again, as an SSE event of its own name without
 * an id: a comment would keep the connection alive as well, but EventSource hides comments. Whoever hears neither an
 * event nor this for two and a half intervals has no stream any more.
 */
export const liveHeartbeat = { event: 'heartbeat', every_ms: 15_000 } as const

/** Who may hear what; `signed_in` events say nothing that a session does not know anyhow. */
export const liveNeeds = {
  terminal_state: 'deviceList',
  terminal_info: 'deviceDetailInfo',
  terminal_registered: 'deviceList',
  terminal_list_changed: 'deviceList',
  terminal_event: 'deviceDetailEvent',
  terminal_location: 'deviceList',
  terminal_group_changed: 'deviceList',
  push_task: ['pushTaskList', 'deviceDetailTask'],
  push_task_terminal: ['pushTaskList', 'deviceDetailTask'],
  push_schedule_changed: 'pushTaskList',
  terminal_file: 'deviceDetailFileManager',
  terminal_log: 'deviceDetailRun:log',
  terminal_remote: ['deviceDetailRemote', 'remoteSessionList'],
  terminal_config: 'deviceDetailConfig',
  electronic_fence_changed: 'electronicFenceList',
  alert_changed: 'alertList',
  batch_job: 'deviceList:register',
  terminal_export: 'deviceList',
  scrap_schedule_changed: 'deviceList',
  operation_log: 'operationLogList',
  file_changed: ['fileCloudList', 'platformFileList'],
  app_changed: 'appCenterList',
  app_requirement_changed: 'appRequiredList',
  os_version: ['osIssue', 'osIssueOsDetail'],
  oscs_changed: ['oscsModelManageList', 'oscsBaseManageList'],
  operation_task_changed: ['operationTaskList', 'operationTaskDetail'],
  os_custom_changed: ['userOsCustomList', 'userOsCustomApp'],
  istage_changed: ['istageListIstageConfig', 'istageListIstageTemplate', 'opsIstageTemplateList'],
  lagged: 'signed_in',
} as const satisfies Record<LiveEventType, Access>

type Field<T extends LiveEventType> = keyof Extract<LiveEvent, { type: T }>
type Named = 'terminal' | 'push_task' | 'terminal_config' | 'batch_job' | 'terminal_export'
/**
 * What an event is about, and the field that names it: who is limited to device groups hears of it only when they may see
 * that. Null is about nothing of which they might not.
 */
export const liveAbout = {
  terminal_state: ['terminal', 'kid'],
  terminal_info: ['terminal', 'kid'],
  terminal_registered: ['terminal', 'kid'],
  terminal_list_changed: null,
  terminal_event: ['terminal', 'kid'],
  terminal_location: ['terminal', 'kid'],
  terminal_group_changed: null,
  push_task: ['push_task', 'kid'],
  push_task_terminal: ['terminal', 'terminal_kid'],
  push_schedule_changed: null,
  terminal_file: ['terminal', 'kid'],
  terminal_log: ['terminal', 'kid'],
  terminal_remote: ['terminal', 'kid'],
  terminal_config: ['terminal_config', 'kid'],
  electronic_fence_changed: null,
  alert_changed: null,
  batch_job: ['batch_job', 'schedule_version'],
  terminal_export: ['terminal_export', 'schedule_version'],
  scrap_schedule_changed: null,
  operation_log: null,
  file_changed: null,
  app_changed: null,
  app_requirement_changed: null,
  os_version: null,
  oscs_changed: null,
  operation_task_changed: null,
  os_custom_changed: null,
  istage_changed: null,
  lagged: null,
} as const satisfies { [T in LiveEventType]: readonly [Named, Field<T>] | null }
