import type {
  ErrorDetails,
  ErrorName,
  OsBuildInputs,
  OsBuildLineEvent,
  OsBuildState,
  OsBuildStep,
  OsCustomState,
  OscsFileKind,
  OscsFileState,
} from '@mdm/contract'
import type { Generated } from 'kysely'
import type { Json } from './column-types.ts'

type Authored = { created_by_kid: string; created_by: string; created_at: Date }

/** Custom operating systems. Models and base versions are the provider's, the rest is the accounts'. */
export type OsCustomTables = {
  oscs_model: Authored & { kid: string; code: string; name: string; uid_kid: string; remark: string; updated_at: Date }
  oscs_base: Authored & {
    kid: string
    model_kid: string
    base_os_version: string
    version_code: number
    remark: string
    updated_at: Date
  }
  oscs_file: Authored & {
    kid: string
    kind: OscsFileKind
    model_kid: string | null
    base_kid: string | null
    file_name: string
    object: string
    size: number
    md5: string
    sha256: string
    state: OscsFileState
    fault: Json<{ name: ErrorName; details: ErrorDetails }> | null
    /** The server that reads it. */
    worked_by: string | null
    /** Not tried again before. */
    next_at: Date | null
  }
  os_custom: Authored & {
    kid: string
    account_kid: string
    name: string
    base_kid: string
    uid_kid: string
    state: OsCustomState
    apps: Json<{ app_kid: string; version_kid: string | null; name: string }[]>
    files: Json<{ file_kid: string; path: string; name: string }[]>
    configuration: Json<{ kid: string; name: string }> | null
    picture: Json<{ name: string; object: string; size: number; sha256: string; width: number; height: number }> | null
    picture_bytes: Generated<number>
    remark: string
    build_count: Generated<number>
    updated_at: Date
  }
  os_build: Authored & {
    kid: string
    account_kid: string
    os_custom_kid: string
    number: number
    state: OsBuildState
    step: OsBuildStep
    progress: Generated<number>
    inputs: Json<OsBuildInputs>
    os_version: string
    version_code: number
    ver: number
    file_name: string
    size: number | null
    md5: string | null
    sha256: string | null
    /** What it takes of the account's space. */
    held_bytes: Generated<number>
    os_version_kid: string | null
    fault: Json<{ name: ErrorName; details: ErrorDetails }> | null
    /** The server that builds it. */
    worked_by: string | null
    /** Not tried again before. */
    next_at: Date | null
    started_at: Date | null
    ended_at: Date | null
  }
  os_build_line: {
    kid: string
    account_kid: string
    os_build_kid: string
    at: Date
    step: OsBuildStep
    event: OsBuildLineEvent
    details: Json<Record<string, string | number>>
  }
  os_build_start: { kid: string; account_kid: string; at: Date }
}
