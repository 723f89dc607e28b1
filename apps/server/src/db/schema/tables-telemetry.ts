import type { ConfigSection, UsageNetwork } from '@mdm/contract'
import type { Generated } from 'kysely'
import type { Json } from './column-types.ts'

/** What devices are told to report, and what they used (migration 0010). */
export type TelemetryTables = {
  terminal_config: {
    kid: string
    account_kid: string
    /** `fence` is set by the calls of electronic fences. */
    section: ConfigSection | 'fence'
    ltscope: 20 | 30 | 40
    terminal_group_kid: string | null
    terminal_kid: string | null
    value: Json<unknown>
    updated_by_kid: string
    updated_by: string
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
