import type { RemoteConsent, RemoteEnd, RemoteKind } from '@mdm/contract'
import type { Generated } from 'kysely'
import type { Derived } from './column-types.ts'

/** Sessions with the screen, the shell or the log of a device (0017_remote_hands.ts). */
export type RemoteTables = {
  remote_settings: {
    account_kid: string
    consent: RemoteConsent
    clipboard: boolean
    terminal: boolean
    record_desktop: boolean
    recording_days: number
    recording_bytes: number
  }
  remote_session: {
    kid: string
    account_kid: string
    terminal_kid: string
    sn: string
    kind: RemoteKind
    consent: RemoteConsent
    created_by: string
    created_by_kid: string
    created_at: Date
    ends_at: Date
    ended_at: Date | null
    end_reason: RemoteEnd | null
    terminal_policy_kid: string | null
    renewals: Generated<number>
    search: Derived<string>
  }
  remote_viewer: {
    kid: string
    account_kid: string
    session_kid: string
    terminal_kid: string
    user_kid: string
    username: string
    /** The sign-in, or the API token, of who asked. */
    login_kid: string
    has_control: boolean
    created_at: Date
    joined_at: Date | null
    left_at: Date | null
    /** The server where the device's end is. */
    node_kid: string | null
    device_ticket: Buffer | null
    viewer_ticket: Buffer | null
    node_ticket: Buffer | null
    ticket_ends_at: Date
  }
  /** How often the person at a device has refused, one time after the other (0026_remote_files.ts). */
  remote_refusal: {
    terminal_kid: string
    account_kid: string
    refusals: number
    refused_at: Date
  }
  remote_recording: {
    /** Its object has the same name. */
    kid: string
    account_kid: string
    session_kid: string
    viewer_kid: string
    format: 'fbs' | 'asciicast'
    bytes: number
    seconds: number
    started_at: Date
  }
}
