import type {
  LeftOutReason,
  PauseReason,
  PushConditions,
  PushPhase,
  PushTaskState as PushState,
  PushableType,
  PushTaskType,
  Rollout,
  ScheduleTo,
  TerminalFilter,
  PushTarget,
} from '@mdm/contract'
import type { Waits } from '@mdm/device-link'
import type { ColumnType, Generated } from 'kysely'
import type { Json, State } from './column-types.ts'

/** A place in the order of a list of devices. */
export type ListPlace = { order_key: number; terminal_kid: string }

/** A list that is being frozen in the background: what matches, or what its push finds by itself, from `after` on. */
export type Freezing = {
  match: TerminalFilter | null
  /** Groups that whoever asked is limited to. */
  visible_groups: string[] | null
  by_name: string
  offline_days: number | null
  after: string
  /** Devices that were looked at, of about so many. */
  done: number
  of: number
  /** Whether its push waits for a second person; null where that is still to be decided. */
  needs_approval: boolean | null
}

/** A retry in the background: of devices that failed or were canceled before `asked_at`. */
export type PushRetry = {
  asked_at: string
  by_kid: string
  by_name: string
  by_token_kid: string | null
  /** Groups that whoever asked was limited to. */
  visible_groups: string[] | null
  /** One device only. */
  terminal_kid: string | null
  /** Those alone that failed for this reason. */
  code?: string | undefined
  devices: number
  left: number
  /** The last device that was tried again. */
  after: string | null
}

export type PushTables = {
  push_task: {
    kid: string
    account_kid: string
    type: PushTaskType
    payload: Json<State>
    description: string
    summary: string
    created_by_kid: string
    created_by: string
    created_by_token_kid: string | null
    created_at: Date
    /** When it was changed last before it began; who did that is `created_by`. */
    changed_at: ColumnType<Date | null, Date | null | undefined, Date>
    version: Generated<number>
    total: number
    wait_receipt: number
    completed: Generated<number>
    failed: Generated<number>
    canceled: Generated<number>
    /** Of `failed`: those whose device left. */
    gone: Generated<number>
    phase: Generated<PushPhase>
    /** Null: since it was created. */
    phase_at: Date | null
    /** The `phase_at`, or else `created_at`, that programs were told of. */
    told_phase_at: ColumnType<Date | null, Date | null | undefined, Date | null>
    paused_because: PauseReason | null
    conditions: ColumnType<
      Partial<PushConditions>,
      Partial<PushConditions> | string | undefined,
      Partial<PushConditions> | string
    >
    rollout: Json<Rollout> | null
    /** Whom it was said to be for; null where the server found its devices. */
    target: Json<PushTarget> | null
    /** Of an OS update: versions that its devices ran when it was made. */
    from_versions: Json<string[]> | null
    /** Devices that it is for; `total` are those of whom there is a row yet. */
    target_count: Generated<number>
    left_out: Generated<number>
    /** Of these, devices that left while rows were made. */
    left_out_deregistered: Generated<number>
    /** Where it was frozen whom it is for; null where the rows were made at once and nobody was left out. */
    list_kid: string | null
    /** Of `target_count`, devices that were looked at while its list is frozen; null: it is. */
    frozen_count: number | null
    /** The last row of the list that was made into a device's row. */
    list_at: Json<ListPlace> | null
    /** Where devices that match later are taken in. */
    late_filter: Json<TerminalFilter> | null
    /** Groups that whoever pushed was limited to. */
    visible_groups: string[] | null
    step: number | null
    /** The step whose thresholds a person has waived by resuming it. */
    waived_step: number | null
    /** Whether the rows that may be sent are those of the phase and the step; of a canceled push, whether all have been canceled. */
    rows_in_sync: Generated<boolean>
    /** Waits for `retry_at`, or is being worked off. */
    retry: Json<PushRetry> | null
    retry_at: Date | null
    start_at: Date | null
    open_until: Date | null
    schedule_kid: string | null
    requirement_kid: ColumnType<string | null, string | null | undefined, string | null>
    decided_by: string | null
    decided_at: Date | null
    /** Null: the server, or nobody. */
    canceled_by: string | null
    remark: Generated<string>
    ended_at: Date | null
  }
  /** Devices of a push, frozen: those of a preview until a push takes it over. */
  push_list: {
    kid: string
    account_kid: string
    type: PushTaskType
    created_by_kid: string
    created_at: Date
    total: Generated<number>
    push_task_kid: string | null
    late_filter: Json<TerminalFilter> | null
    target: Json<PushTarget> | null
    rules: Json<object> | null
    offline_days: ColumnType<number | null, number | null | undefined, never>
    freezing: Json<Freezing> | null
  }
  push_list_terminal: {
    push_list_kid: string
    account_kid: string
    /** Order in which rows are made and steps are filled: random, picked ones first. */
    order_key: number
    terminal_kid: string
    sn: string
    reason: LeftOutReason | null
  }
  push_task_step: {
    push_task_kid: string
    account_kid: string
    step: number
    total: number
    completed: Generated<number>
    failed: Generated<number>
    canceled: Generated<number>
    gone: Generated<number>
    opened_at: Date | null
  }
  push_schedule: {
    kid: string
    account_kid: string
    name: string
    type: PushableType
    /** The payload as it was given, sealed: it may hold a password. */
    payload_sealed: string
    summary: string
    description: string
    to: Json<ScheduleTo>
    conditions: Json<PushConditions>
    rollout: Json<Rollout> | null
    cron: string
    zone: string
    is_on: boolean
    created_by_kid: string
    created_by: string
    created_by_token_kid: string | null
    created_at: Date
    next_at: Date | null
    last_at: Date | null
    last_task_kid: string | null
    /** A refusal: its name and details. */
    last_error: Json<{ name: string; details: Record<string, string | number> }> | null
    runs: Generated<number>
  }
  maintenance_window: {
    kid: string
    account_kid: string
    name: string
    /** 1 is Monday. */
    days: number[]
    from: string
    to: string
    created_by_kid: string
    created_by: string
    created_at: Date
  }
  push_template: {
    kid: string
    account_kid: string
    name: string
    type: PushableType
    payload: Json<State>
    summary: string
    description: string
    conditions: Json<PushConditions>
    rollout: Json<Rollout> | null
    created_by: string
    created_at: Date
  }
  push_task_terminal: {
    push_task_kid: string
    terminal_kid: string
    account_kid: string
    sn: string
    type: PushTaskType
    state: Generated<PushState>
    state_at: Date
    attempt: Generated<number>
    version: Generated<number>
    progress: Generated<number>
    cancel_asked_at: Date | null
    code: string | null
    message: string | null
    result_object: string | null
    result_text: string | null
    deadline_at: Date | null
    send_at: Date | null
    /** When this attempt was first handed to a connection of the device. */
    sent_at: Date | null
    /** Its deadline has passed, and the device was asked to stop. */
    is_overdue: Generated<boolean>
    /** Of a rollout. */
    step: number | null
    /** Until then the device may begin, where the push has conditions to wait for. */
    open_until: Date | null
    /** What the device said that it waits for. */
    waits: Json<Waits> | null
    created_at: Date
  }
  push_task_activity: {
    kid: string
    account_kid: string
    push_task_kid: string
    terminal_kid: string
    attempt: number
    event: string
    at: Date
    code: string | null
    message: string | null
    by_name: string | null
  }
}
