import type { ConfigAct, ConfigSection, Ltscope, UsageNetwork } from '@mdm/contract'
import type { ColumnType, Generated } from 'kysely'
import type { Json } from './column-types.ts'

/** What devices are told to report, and what they used. */
/** Null but at the level of a profile. */
type ProfileKid = ColumnType<string | null, string | null | undefined>
export type TelemetryTables = {
  terminal_config: {
    kid: string
    /** Null on the platform. */
    account_kid: string | null
    /** `fence` is set by the calls of electronic fences. */
    section: ConfigSection | 'fence'
    ltscope: Ltscope
    terminal_group_kid: string | null
    profile_kid: ProfileKid
    terminal_kid: string | null
    value: Json<unknown>
    updated_by_kid: string
    updated_by: string
    updated_by_token_kid: string | null
    updated_at: Date
  }
  terminal_config_delivery: {
    terminal_kid: string
    account_kid: string
    version: Generated<number>
    config: Json<unknown> | null
    /** What it inherits has changed since `config` was worked out. */
    is_dirty: Generated<boolean>
    sends: Generated<number>
    send_at: Date | null
    sent_at: Date | null
    /** The newest change that the device was told of. */
    change_kid: string | null
    /** It is told again even if it turns out to be the same. */
    is_forced: Generated<boolean>
  }
  /** A named set of sections; what is set of them stands in terminal_config. */
  config_profile: {
    kid: string
    account_kid: string
    name: string
    description: string
    created_by_kid: string
    created_by: string
    created_at: Date
  }
  /** Who uses a profile: a group with all below, a dynamic group or a device. */
  config_profile_use: {
    kid: string
    account_kid: string
    profile_kid: string
    /** Of the profiles of a device, the one with the lowest comes first. */
    position: number
    terminal_group_kid: string | null
    terminal_dynamic_group_kid: string | null
    terminal_kid: string | null
    created_by_kid: string
    created_by: string
    created_at: Date
  }
  /** The devices that a dynamic group had when it was looked at last. */
  config_profile_member: { profile_use_kid: string; terminal_kid: string; account_kid: string }
  /** What was set somewhere and devices below have not been marked for yet. */
  terminal_config_queue: {
    kid: string
    account_kid: string | null
    ltscope: number
    terminal_group_kid: string | null
    profile_kid: ProfileKid
    terminal_kid: string | null
    sections: string[]
    change_kid: string | null
    /** Of devices of these UIDs only; null of all. */
    uid_kids: string[] | null
    /** The last device that was marked; null before the first. */
    queued_up_to: string | null
    created_at: Date
  }
  terminal_config_result: {
    terminal_kid: string
    account_kid: string
    section: string
    outcome: 'applied' | 'failed' | 'not_supported'
    reason: string | null
    message: string | null
    version: number
    at: Date
  }
  config_file: {
    kid: string
    account_kid: string
    name: string
    description: string
    path: string
    size: number
    md5: string
    sha256: string
    object: string
    push_count: Generated<number>
    created_by_kid: string
    created_by: string
    created_at: Date
  }
  configuration: {
    kid: string
    account_kid: string | null
    type: number
    ltscope: Ltscope
    terminal_group_kid: string | null
    profile_kid: ProfileKid
    terminal_kid: string | null
    name: Generated<string>
    description: Generated<string>
    version: Generated<number>
    section_count: Generated<number>
    created_at: Date
    updated_at: Date
    updated_by_kid: string
    updated_by: string
  }
  configuration_change: {
    kid: string
    configuration_kid: string
    account_kid: string | null
    type: number
    ltscope: Ltscope
    terminal_group_kid: string | null
    profile_kid: ProfileKid
    terminal_kid: string | null
    version: number
    act: ConfigAct
    sections: string[]
    before: Json<Partial<Record<ConfigSection, unknown>>>
    after: Json<Partial<Record<ConfigSection, unknown>>>
    /** That it was for. */
    devices: Generated<number>
    /** Where it goes out in steps. */
    push_task_kid: ColumnType<string | null, string | null | undefined, string | null>
    /** Its steps are not over: devices whose step has not begun keep what they had. */
    is_staged: Generated<boolean>
    created_by_kid: string
    created_by: string
    created_by_token_kid: ColumnType<string | null, string | null | undefined>
    created_at: Date
  }
  terminal_usage: {
    account_kid: string
    terminal_kid: string
    day: string
    app: string
    network: UsageNetwork
    received: number
    sent: number
    updated_at: Date
  }
}
