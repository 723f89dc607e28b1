import type { Contract, ExportState, In, Language } from '@mdm/contract'
import type { Generated } from 'kysely'
import type { Json } from './column-types.ts'

export type ExportInput = In<Contract['terminalExport']['calls']['export']>

/** Devices as files (migration 0008). */
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
    touched_at: Date
    finished_at: Date | null
    expires_at: Date
  }
}
