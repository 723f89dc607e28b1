import type { Generated } from 'kysely'
import type { Json, State } from './column-types.ts'

/** Webhooks, what they are told of, and what waits to be sent to them. */
export type WebhookTables = {
  webhook: {
    kid: string
    account_kid: string
    name: string
    url: string
    events: string[]
    /** Sealed. */
    secret: string
    is_enabled: Generated<boolean>
    failing_since: Date | null
    /** Messages that were not even queued, as too many were waiting, and when that last was. */
    left_out: Generated<number>
    left_out_at: Date | null
    /** For how long a device is silent before this webhook hears of it. */
    offline_minutes: Generated<number>
    /** When it began to listen to silences: those of before are no news. */
    silences_from: Generated<Date>
    created_at: Date
    updated_at: Date
  }
  /** Devices whose silence a webhook was told of, until they are heard of again. */
  webhook_silence: { webhook_kid: string; terminal_kid: string; account_kid: string; silent_since: Date }
  /** Devices that came or went, until webhooks are told; the database writes them (terminal_told). */
  terminal_news: {
    id: Generated<string>
    account_kid: string
    terminal_kid: string
    event: 'device.registered' | 'device.deregistered'
    device: Json<State>
    at: Generated<Date>
  }
  webhook_delivery: {
    kid: string
    account_kid: string
    webhook_kid: string
    event: string
    payload: string
    state: Generated<'queued' | 'delivered' | 'failed'>
    attempts: Generated<number>
    worked_by: string | null
    next_at: Date | null
    response_status: number | null
    error: string | null
    duration_ms: number | null
    created_at: Date
    delivered_at: Date | null
  }
}
