import type { ErrorDetails, ErrorName, OsBuild, OsEvent, OsPackageState, OsReleaseState } from '@mdm/contract'
import type { OsPackageFormat } from '@mdm/device-link'
import type { ColumnType, Generated } from 'kysely'
import type { Json } from './column-types.ts'

/** OS versions. All but the numbers of a day are the provider's. */
export type OsTables = {
  os_key: {
    kid: string
    public_key: string
    /** NULL: the server never had it. */
    private_key_sealed: string | null
    statement: string | null
    signature: string | null
    is_active: boolean
    is_revoked: Generated<boolean>
    created_by: string
    created_at: Date
  }
  os_version: {
    kid: string
    uid_kid: string
    os_version: string
    version_code: number
    ver: number
    description: string
    remaining_problems: string
    state: OsReleaseState
    mode: 'launched' | 'pre_released' | null
    is_for_all: Generated<boolean>
    manifest: string | null
    signature: string | null
    key_kid: string | null
    /** Pushes of it are still being canceled: it went offline, or somebody may not have it any more. */
    is_cancelling: Generated<boolean>
    /** The accounts whose pushes those are; null: all. */
    cancel_account_kids: ColumnType<string[] | null, string[] | null | undefined>
    /** The account that had it built and alone operates it; null: the provider's. */
    built_for_kid: string | null
    created_by_kid: string
    created_by: string
    created_at: Date
    updated_at: Date
    released_at: Date | null
  }
  os_version_account: { os_version_kid: string; account_kid: string; terminal_group_kids: string[] | null }
  os_package: {
    kid: string
    os_version_kid: string
    from_build: Json<OsBuild> | null
    is_made: Generated<boolean>
    from_kid: string | null
    progress: Generated<number>
    format: Generated<OsPackageFormat>
    /** What it says of itself; of formats but zip. */
    said_version: string | null
    hardware: Generated<string[]>
    sha1: string | null
    file_name: string
    url: string | null
    state: OsPackageState
    size: number | null
    received: Generated<number>
    /** Of what is being fetched: a file that changed meanwhile is begun anew. */
    etag: string | null
    object: string | null
    md5: string | null
    sha256: string | null
    fault: Json<{ name: ErrorName; details: ErrorDetails }> | null
    /** The server that works on it. */
    worked_by: string | null
    /** Not tried again before. */
    next_at: Date | null
    created_by_kid: string
    created_by: string
    created_at: Date
  }
  os_version_event: {
    kid: string
    os_version_kid: string
    event: OsEvent
    at: Date
    by_name: string
    detail: string
  }
  os_version_day: { account_kid: string; day: string; os_version: string; devices: number }
  api_authorisation: {
    kid: string
    package: string
    cert_sha1: string
    methods: string[]
    remark: string
    created_by: string
    created_at: Date
    updated_by: string
    updated_at: Date
  }
  api_authorisation_uid: { api_authorisation_kid: string; uid_kid: string }
  /** What is signed for devices with a UID. */
  api_list: {
    uid_kid: string
    version: number
    manifest: string
    sha256: string
    signature: string
    key_kid: string
  }
}
