import type { Contract, ExportState, In, Language, ListReport } from '@mdm/contract'
import type { Generated } from 'kysely'
import type { Json } from './column-types.ts'

export type ExportInput = In<Contract['terminalExport']['calls']['export']>

type ReportInput = In<Contract['listReport']['calls']['insert']>
/** What a report is made of: a list, its filters, and what stands in the file. */
export type ReportRequest = Pick<ReportInput, 'path' | 'input' | 'columns' | 'format' | 'new_by' | 'page' | 'search'>

/** Lists and devices as files. */
export type ExportTables = {
  list_report: {
    kid: string
    account_kid: string
    /** Who gets it, and with whose rights it is made. */
    user_kid: string
    name: string
    request: Json<ReportRequest>
    language: Language
    every: ListReport['every']
    hour: number
    weekday: number
    day: number
    zone_id: string
    state: Generated<'on' | 'paused'>
    attempts: Generated<number>
    worked_by: string | null
    /** Null while it is made, and of a paused one. */
    next_at: Date | null
    last_at: Date | null
    /** Until when a report that holds only what is new has told of everything. */
    sent_at: Date | null
    last_outcome: ListReport['last_outcome']
    last_rows: number | null
    last_error: Json<{ name: string; details: Record<string, string | number> }> | null
    created_at: Date
  }
  terminal_export: {
    kid: string
    account_kid: string
    request: Json<ExportInput>
    language: Language
    group_kids: string[] | null
    state: Generated<ExportState>
    total: Generated<number>
    done: Generated<number>
    attempt: Generated<number>
    object: string | null
    size: number | null
    created_by_kid: string
    created_by: string
    created_at: Date
    /** The server that writes it. */
    worked_by: string | null
    /** Not tried again before. */
    next_at: Date | null
    finished_at: Date | null
    expires_at: Date
  }
}
