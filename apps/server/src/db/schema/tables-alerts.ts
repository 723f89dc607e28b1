import type { AlertActionType, AlertKind, AlertTelling, Language, Severity, TerminalFilter } from '@mdm/contract'
import type { ColumnType, Generated, RawBuilder } from 'kysely'
import type { Json } from './column-types.ts'

/** That people and programs were told: `webhooks` counts those of the account. */
export type Telling = { at: string; of: AlertTelling; emails: string[]; webhooks: number }

/** Alerts and compliance. */
export type AlertTables = {
  alert_rule: {
    kid: string
    account_kid: string
    name: string
    kind: AlertKind
    params: Json<Record<string, string | number>>
    severity: Severity
    is_on: boolean
    match: Json<TerminalFilter> | null
    for_seconds: number
    calm_seconds: number
    emails: string[]
    language: Language
    is_noncompliant: boolean
    action_type: AlertActionType | null
    action_sealed: string | null
    silenced_until: Date | null
    last_error: string | null
    /** When mails were last left out because the account had sent too many within an hour. */
    mails_cut_at: Date | null
    created_by_kid: string
    created_by: string
    created_by_token_kid: string | null
    created_at: Date
    updated_at: Date
  }
  alert: {
    kid: string
    account_kid: string
    rule_kid: string
    name: string
    kind: AlertKind
    severity: Severity
    created_by_kid: string
    count: Generated<number>
    peak: Generated<number>
    /** Devices that had been told of by `told_at`. */
    told: Generated<number>
    told_at: Date | null
    /** When it was told that it is over. */
    end_told_at: Date | null
    opened_at: Date
    acknowledged_by: string | null
    acknowledged_at: Date | null
    resolved_by: string | null
    resolved_at: Date | null
    note: Generated<string>
    assignee_kid: string | null
    tellings: ColumnType<Telling[], never, RawBuilder<Telling[]>>
  }
  alert_terminal: {
    rule_kid: string
    terminal_kid: string
    account_kid: string
    since: Date
    fired_at: Date | null
    calm_since: Date | null
    is_dismissed: Generated<boolean>
    /** It fires, and its rule says that such devices are not compliant. */
    is_marked: Generated<boolean>
  }
  alert_device: {
    alert_kid: string
    terminal_kid: string
    account_kid: string
    sn: string
    name: string
    fired_at: Date
    cleared_at: Date | null
  }
  alert_action: { rule_kid: string; terminal_kid: string; account_kid: string; at: Date }
  mail: {
    kid: string
    kind: 'alert' | 'invitation' | 'password_reset' | 'approval' | 'report'
    account_kid: string
    rule_kid: string | null
    address: string
    subject: string
    body: string
    body_sealed: string | null
    /** A file, until the mail is sent or given up. */
    attachment: Buffer | null
    attachment_name: string | null
    state: Generated<'queued' | 'sent' | 'failed'>
    attempts: Generated<number>
    worked_by: string | null
    next_at: Date | null
    sent_at: Date | null
    error: string | null
    created_at: Date
  }
}
