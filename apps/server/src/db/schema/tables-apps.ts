import type {
  AppRequirement,
  AppSetting,
  AppSplit,
  AppState,
  PackageKind,
  PlainRollout,
  RequirementCounts,
} from '@mdm/contract'
import type { Generated } from 'kysely'
import type { Derived, Json } from './column-types.ts'

/** The app center, and what is installed on devices. */
export type AppTables = {
  app_category: { kid: string; account_kid: string; parent_kid: string | null; name: string; created_at: Date }
  app: {
    kid: string
    account_kid: string
    package: string
    name: string
    developer: string
    intro: string
    category_kid: string | null
    state: AppState
    is_system_signed: boolean
    offered_version_kid: string | null
    version_count: Derived<number>
    space_used: Derived<number>
    download_count: Generated<number>
    created_by_kid: string
    created_by: string
    created_at: Date
    updated_at: Date
  }
  app_version: {
    kid: string
    app_kid: string
    account_kid: string
    version_name: string
    version_code: number
    kind: PackageKind
    file_name: string
    size: number
    md5: string
    sha256: string
    object: string
    signers: string[]
    signature_scheme: string
    min_sdk: number | null
    target_sdk: number | null
    abis: string[]
    permissions: string[]
    splits: Json<AppSplit[]>
    left_out: string[]
    notes: string
    is_typed: boolean
    created_by_kid: string
    created_by: string
    created_at: Date
  }
  app_version_settings: { version_kid: string; account_kid: string; settings: Json<AppSetting[]> }
  app_picture: {
    kid: string
    app_kid: string
    account_kid: string
    kind: 'icon' | 'screenshot'
    content_type: string
    size: number
    object: string
    sort: number
  }
  app_dependency: { app_kid: string; needed_kid: string; account_kid: string }
  app_requirement: {
    kid: string
    account_kid: string
    app_kid: string
    terminal_group_kid: string | null
    /** Null: whichever is offered. It may be deleted: then the rule says so. */
    version_kid: string | null
    rollout: Json<PlainRollout> | null
    conditions: Json<AppRequirement['conditions']>
    is_on: boolean
    created_by_kid: string
    created_by: string
    created_by_token_kid: string | null
    created_at: Date
    /** NULL: switched off. */
    next_at: Date | null
    looked_at: Date | null
    /** With the groups that its maker was limited to as they were counted; null of all devices. */
    counts: Json<RequirementCounts & { visible_groups: string[] | null }> | null
    last_task_kid: string | null
    last_error: Json<{ name: string; details: Record<string, string | number> }> | null
  }
  push_task_app: { push_task_kid: string; app_kid: string; account_kid: string; version_kid: string }
  /** As devices last said. */
  terminal_app: {
    terminal_kid: string
    account_kid: string
    package: string
    version: string
    version_code: number | null
    version_key: Derived<string[]>
  }
}
