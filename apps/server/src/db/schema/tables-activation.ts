import type { ActivationOutcome, ActivationState } from '@mdm/contract'
import type { Generated } from 'kysely'

/** Private deployments (0014_activation.ts, 0019_activation_memory.ts). */
export type ActivationTables = {
  activation: {
    kid: string
    name: string
    max_accounts: number
    max_devices: number
    macs: string[]
    state: ActivationState
    fault: Exclude<ActivationOutcome, 'activated'> | null
    issue: Generated<number>
    code: string
    earlier_codes: Generated<string[]>
    starts_at: Date
    ends_at: Date
    reported_at: Date | null
    remark: string
    created_by: string
    created_at: Date
  }
  activation_here: {
    is_only: Generated<boolean>
    code: string
    entered_at: Date
    latest_at: Date
    ended_at: Date | null
    reported: string | null
    reported_at: Date | null
    report_error: string | null
    file_sha256: Generated<string | null>
    ended_kids: Generated<string[]>
    is_renewed: Generated<boolean>
  }
}
