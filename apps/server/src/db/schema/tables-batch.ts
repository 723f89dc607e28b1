import type { BatchState, ErrorDetails, ErrorName, PolicySource } from '@mdm/contract'
import type { ColumnType, Generated } from 'kysely'
import type { Derived } from './column-types.ts'

/** What is imported, and rows that are worked off in the background. */
export type BatchTables = {
  policy: {
    kid: string
    name: string
    days: number
    remark: Generated<string>
    terminal_count: Generated<number>
    created_at: Date
    updated_at: Date
  }
  terminal_policy: {
    kid: string
    policy_kid: string
    sn: string
    work_order: string
    source: PolicySource
    starts_at: Date
    ends_at: Date
    created_by: string
    created_at: Date
    search: Derived<string>
  }
  batch_job: {
    kid: string
    account_kid: string
    owner_kid: string
    kind: 'terminal_registered' | 'policy_sheet' | 'policy_mes'
    /** Whose import it is; null for devices that are registered. */
    policy_kid: string | null
    schedule_version: string
    terminal_group_kid: string | null
    state: Generated<BatchState>
    is_ready: Generated<boolean>
    total: number
    done: Generated<number>
    ok: Generated<number>
    failed: Generated<number>
    /** Of those that failed. */
    already: Generated<number>
    created_by_kid: string
    created_by: string
    created_at: Date
    touched_at: Date
    finished_at: Date | null
  }
  batch_row: {
    batch_job_kid: string
    n: number
    account_kid: string
    sheet_row: number
    sn: string
    work_order: string
    verification_code: string
    name: string
    /** As 2026-01-31, or empty. */
    production_date: Generated<string>
    /** As `Hanoi/Dock B`; empty where the row goes to the group of the job. */
    group_path: Generated<string>
    /** What the path stood for when the job began. */
    terminal_group_kid: string | null
    /** The device that was registered by it, or was in the account already. */
    terminal_kid: string | null
    /** 'ok', or the name of the refusal; null while it waits. */
    outcome: 'ok' | ErrorName | null
    details: ColumnType<ErrorDetails | null, string | null | undefined, string | null>
  }
}
