import type { FenceAccuracyName } from '@mdm/contract'
import type { Corner, FenceCrossing } from '@mdm/device-link'
import type { Generated } from 'kysely'
import type { Json } from './column-types.ts'

/** Electronic fences. */
export type FenceTables = {
  electronic_fence: {
    kid: string
    account_kid: string
    name: string
    is_on: boolean
    longitude: number
    latitude: number
    radius: number
    /** Of a polygon its corners; place and radius are then those of a circle around it. */
    points: Json<Corner[]> | null
    duration: number
    accuracy: FenceAccuracyName
    alarm_seconds: number | null
    is_locking: boolean
    password_sealed: string | null
    version: Generated<number>
    /** Why the last push that it ordered was not made. */
    last_error: Json<{ name: string; details: Record<string, string | number> }> | null
    created_at: Date
    updated_by_kid: string
    updated_by: string
    updated_by_token_kid: string | null
    updated_at: Date
  }
  terminal_fence: {
    terminal_kid: string
    account_kid: string
    fence_kid: string
    fence_version: number
    state: 'inside' | 'outside' | null
    since: Date | null
    judged_at: Date | null
    crossing: Json<FenceCrossing> | null
    settle_at: Date | null
    is_by_device: Generated<boolean>
  }
  fence_due: { terminal_kid: string; account_kid: string }
  fence_action: { kid: string; account_kid: string; terminal_kid: string; fence_kid: string; at: Date }
}
