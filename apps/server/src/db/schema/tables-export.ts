import type { Contract, ExportState, In, Language } from '@mdm/contract'
import type { Generated } from 'kysely'
import type { Json } from './column-types.ts'

export type ExportInput = In<Contract['terminalExport']['calls']['export']>

/** Devices as files. */
export type ExportTables = {
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
