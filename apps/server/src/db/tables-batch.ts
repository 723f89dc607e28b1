import type { BatchState, ErrorDetails, ErrorName } from '@mdm/contract'
import type { ColumnType, Generated } from 'kysely'

/** Rows that are worked off in the background (migration 0004). */
export type BatchTables = {
  batch_job: {
    kid: string
    account_kid: string
    owner_kid: string
    kind: 'terminal_registered'
    schedule_version: string
    terminal_group_kid: string | null
    state: Generated<BatchState>
    is_ready: Generated<boolean>
    total: number
    done: Generated<number>
    ok: Generated<number>
    failed: Generated<number>
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
    /** 'ok', or the name of the refusal; null while it waits. */
    outcome: 'ok' | ErrorName | null
    details: ColumnType<ErrorDetails | null, string | null | undefined, string | null>
  }
}
