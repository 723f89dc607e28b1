import type { ErrorDetails, InformationName, UidKid, UidType } from '@mdm/contract'
import type { ColumnType, Generated } from 'kysely'
import type { Derived, Json, State } from './column-types.ts'
import type { ActivationTables } from './tables-activation.ts'
import type { AlertTables } from './tables-alerts.ts'
import type { AppTables } from './tables-apps.ts'
import type { BatchTables } from './tables-batch.ts'
import type { DeviceTables } from './tables-devices.ts'
import type { ExportTables } from './tables-export.ts'
import type { FenceTables } from './tables-fences.ts'
import type { IstageTables } from './tables-istage.ts'
import type { OsCustomTables } from './tables-os-custom.ts'
import type { OsTables } from './tables-os.ts'
import type { PushTables } from './tables-push.ts'
import type { RemoteTables } from './tables-remote.ts'
import type { SignInTables } from './tables-sign-in.ts'
import type { TelemetryTables } from './tables-telemetry.ts'
import type { WebhookTables } from './tables-webhooks.ts'

type Doubt = { jumped_ms: number; since: string; is_start: boolean }

/** Rows as SQL has them: names, nullability and types of migrations/. */
export type Tables = ActivationTables &
  AlertTables &
  AppTables &
  BatchTables &
  DeviceTables &
  ExportTables &
  FenceTables &
  IstageTables &
  OsCustomTables &
  OsTables &
  PushTables &
  RemoteTables &
  SignInTables &
  TelemetryTables &
  WebhookTables & {
    account: {
      kid: string
      parent_kid: string | null
      type: 1 | 2 | 101
      name: string
      organization_name: string | null
      status: Generated<'normal' | 'init' | 'invalid'>
      terminal_max: Generated<number>
      terminal_count: Derived<number>
      sub_accounts_allowed: Generated<boolean>
      expire_time: Date | null
      fae_kid: string | null
      user_max: number | null
      remark: Generated<string>
      last_use_at: Date | null
      /** Devices that one person pushes to within an hour, from which on a second person approves. */
      push_approval_from: number | null
      /** Who loosened that lately, from what; those of more than a day ago mean nothing. */
      push_approval_loosened: ColumnType<{ user_kid: string; from: number; at: string }[], string | undefined, string>
      created_at: Generated<Date>
      updated_at: Generated<Date>
    }
    user_account: {
      kid: string
      account_kid: string
      type: 1 | 2 | 3 | 101
      username: string
      name: string
      password_hash: string
      phone: string | null
      email: string | null
      status: Generated<'normal' | 'init' | 'invalid'>
      language: 'en' | 'vi' | 'zh-cn' | null
      zone_id: string | null
      map_type: '1' | '2' | null
      remark: Generated<string>
      last_use_at: Date | null
      created_at: Generated<Date>
      wechat: string | null
      updated_at: Generated<Date>
      totp_secret: string | null
      totp_enabled_at: Date | null
      totp_last_step: number | null
      totp_recovery: Generated<string[]>
    }
    role: {
      kid: string
      account_kid: string
      parent_kid: string | null
      code: string
      name: string
      weight: Generated<number>
      permissions: Generated<string[]>
      remark: Generated<string>
      created_at: Generated<Date>
      updated_at: Generated<Date>
    }
    user_role: { user_kid: string; role_kid: string }
    session: {
      kid: string
      token_hash: Buffer
      user_kid: string
      enter_kid: string | null
      address: string
      user_agent: Generated<string>
      created_at: Date
      last_use_at: Date
      expires_at: Date
      confirmed_at: Date | null
    }
    login_step: {
      token_hash: Buffer
      kind:
        'totp' | 'oidc_started' | 'oidc_exchange' | 'oidc_link' | 'passkey_add' | 'passkey_sign_in' | 'passkey_confirm'
      user_kid: string | null
      detail: ColumnType<State, State | string | undefined, State | string>
      tries: Generated<number>
      expires_at: Date
    }
    user_identity: { issuer: string; subject: string; user_kid: string; created_at: Date; last_use_at: Date }
    api_token: {
      kid: string
      user_kid: string
      name: string
      prefix: string
      token_hash: Buffer
      permissions: string[]
      may_destroy: Generated<boolean>
      created_at: Date
      expires_at: Date
      last_use_at: Date | null
      last_address: string | null
    }
    user_preference: { user_kid: string; key: string; value: Json<unknown>; updated_at: Date }
    login_network: { user_kid: string; network: string; last_use_at: Date }
    login_failure: { key: string; failures: number; first_at: Date; locked_until: Date | null }
    puzzle: {
      kid: string
      offset_x: number
      address: string
      created_at: Date
      answered_at: Date | null
      token_hash: Buffer | null
      token_expires_at: Date | null
      work_bits: Generated<number>
    }
    menu_tree: {
      kid: string
      p_id: string | null
      code: string
      name: Json<{ en: string; vi: string; 'zh-cn': string }>
      access_code: string | null
      type: 'module' | 'group' | 'page' | 'operation'
      path: string | null
      icon: string | null
      visible: Generated<number>
      end_type: 1 | 2
      sort: number
      is_seeded: Generated<boolean>
      end: Generated<'web'>
      remind: Generated<string>
    }
    terminal_group: {
      kid: string
      account_kid: string
      parent_kid: string | null
      name: string
      depth: number
      terminal_count: Derived<number>
      created_at: Generated<Date>
    }
    terminal_group_user_manged: { account_kid: string; user_kid: string; terminal_group_kid: string }
    operation_log: {
      kid: string
      account_kid: string | null
      account_name: string | null
      operator_kid: string | null
      operator_name: string
      operator_username: string
      module_code: string
      action_code: string
      ip: string
      result: number
      message: string
      /** What fills the sentence of `result`; null: nothing. */
      message_details: ColumnType<ErrorDetails | null, string | undefined, string>
      duration_ms: number
      created_at: Date
      client: Json<State>
      request: Json<State>
      response: Json<State>
      tracks: ColumnType<State[], State[] | string | undefined, State[] | string>
      remark: Generated<string>
      search: Derived<string>
    }
    upload: {
      kid: string
      account_kid: string
      user_kid: string
      name: string
      size: number
      object: string | null
      md5: string | null
      sha256: string | null
      created_at: Date
      finished_at: Date | null
      claimed_at: Date | null
      /** Bytes that had come when the last connection ended. */
      received: Generated<number>
      reserved_until: Date | null
      /** Whose space it takes of. */
      area: Generated<'file_disk' | 'app_center'>
      /** What the browser says of the file, by which it finds an upload that was cut off. */
      fingerprint: Generated<string>
      /** Of a bucket: its name there, once there is a part that is not the last. */
      multipart: string | null
      /** Of the parts that have come, in their order. */
      etags: Generated<string[]>
      /** The request that may add the next part. */
      writer: string | null
    }
    /** What came behind the last whole part of an upload. */
    upload_piece: {
      account_kid: string
      upload_kid: string
      start: number
      bytes: Buffer
    }
    /** Tries of a key under a limit that all servers share. */
    rate: {
      name: string
      key: string
      /** When all of them are there again, by the clock of the database. */
      full_at: Date
    }
    file_cloud: {
      kid: string
      account_kid: string
      name: string
      size: number
      md5: string
      sha256: string
      content_type: string
      object: string | null
      is_folder: Generated<boolean>
      parent_kid: string | null
      device_path: string | null
      is_visible: Generated<boolean>
      push_count: Generated<number>
      created_by_kid: string
      created_by: string
      created_at: Date
      updated_at: Generated<Date>
    }
    /** Of bytes that files and apps refer to: when they were last compared, and what was wrong. */
    object_check: { object: string; checked_at: Date; fault: 'missing' | 'changed' | null }
    destruction: {
      kid: string
      account_kid: string
      at: Date
      devices: number
      /** Of `user_kid`, without a second person. */
      alone: Generated<number>
      user_kid: ColumnType<string | null, string | null | undefined>
    }
    os_information: {
      kid: string
      list: InformationName
      code: string
      name: string
      total_capacity: string | null
      chip_model: string | null
      supplier: string | null
      bom_code: string | null
      remark: Generated<string>
      created_at: Date
      updated_at: Date
    }
    os_uid: Record<UidKid, string> & {
      kid: string
      code: string
      display_name: string
      type: UidType
      reserve_code: string
      base_uid_kid: string | null
      base_os_version: string | null
      remark: Generated<string>
      created_at: Date
      updated_at: Date
    }
    disk_space: {
      kid: Generated<string>
      account_kid: string
      area: 'file_disk' | 'app_center'
      /** Of a sub-account its share of what its customer may store; null for none. */
      max_bytes: number | null
      used_bytes: Generated<number>
      item_count: Generated<number>
    }
    account_notice: { account_kid: string; expire_time: Date; days: number }
    list_export: {
      kid: string
      account_kid: string
      session_kid: string
      request: Json<State>
      language: 'en' | 'vi' | 'zh-cn'
      created_at: Date
      expires_at: Date
    }
    node: {
      kid: string
      started_at: Date
      /** Its last sign of life, by its own clock. */
      seen_at: Date
      /** The same by the database's clock, which all servers share. */
      heard_at: Generated<Date>
      /** Where other servers reach it; null until it listens. */
      url: ColumnType<string | null, string | null | undefined, string | null>
      clock_doubt: ColumnType<Doubt | null, string | null | undefined, string | null>
      /** Where it keeps files: alike on servers that see the same ones. */
      files: string | null
      /** How far its clock is before that of the database. */
      clock_apart_ms: number | null
      version: string | null
    }
    /** A server's session at an external broker, by the kid of its server. */
    broker_session: {
      kid: string
      state: Generated<'open'>
      /** The server that reads it: its own, or one that has taken it over. */
      worked_by: string | null
      /** Not taken over before. */
      next_at: Date | null
      opened_at: Date
    }
    /** An answer of a device that reached another server than the one that asked. */
    link_reply: { kid: string; terminal_kid: string; body: string; at: Generated<Date> }
    clock_seen: { is_only: Generated<boolean>; at: Date }
    job: {
      name: string
      run_at: Date
      worked_by: string | null
      last_started_at: Date | null
      last_finished_at: Date | null
      last_error: string | null
    }
    setting: { key: string; value: Json<State> }
    staging_key: {
      kid: string
      account_kid: string
      private_key_sealed: string
      secret_sealed: string
      created_at: Date
    }
  }

/** Tables whose every row belongs to one account: reachable only through a scope (db/scope.ts). */
export const tenantTables: ReadonlySet<string> = new Set<keyof Tables>([
  'upload_piece',
  'user_account',
  'role',
  'disk_space',
  'webhook',
  'webhook_delivery',
  'webhook_silence',
  'list_report',
  'terminal_news',
  'terminal_group',
  'terminal_group_user_manged',
  'terminal',
  'terminal_agent',
  'terminal_state',
  'terminal_inventory',
  'terminal_tag',
  'terminal_lost',
  'terminal_dynamic_group',
  'custom_field',
  'qrcode',
  'enrolment_apk',
  'terminal_report',
  'terminal_event',
  'terminal_refusal',
  'terminal_session',
  'terminal_config',
  'config_profile',
  'config_profile_use',
  'config_profile_member',
  'terminal_config_delivery',
  'terminal_config_queue',
  'terminal_config_result',
  'configuration',
  'configuration_change',
  'config_file',
  'istage_template',
  'istage_config',
  'terminal_usage',
  'alert',
  'alert_rule',
  'alert_terminal',
  'alert_device',
  'alert_action',
  'mail',
  'electronic_fence',
  'terminal_fence',
  'fence_due',
  'fence_action',
  'terminal_position',
  'terminal_track',
  'location_refresh',
  'upload',
  'file_cloud',
  'app_category',
  'app',
  'app_version',
  'app_version_settings',
  'app_picture',
  'app_dependency',
  'app_requirement',
  'push_task_app',
  'terminal_app',
  'os_version_account',
  'os_version_day',
  'os_custom',
  'os_build',
  'os_build_line',
  'os_build_start',
  'push_task',
  'push_list',
  'push_list_terminal',
  'push_task_step',
  'push_schedule',
  'maintenance_window',
  'push_template',
  'push_task_terminal',
  'push_task_activity',
  'device_slot',
  'batch_job',
  'batch_row',
  'device_listing',
  'online_sample',
  'device_transfer',
  'terminal_export',
  'scrap_schedule',
  'destruction',
  'staging_key',
  'remote_settings',
  'remote_session',
  'remote_viewer',
  'remote_recording',
  'remote_refusal',
])
/**
 * What devices say, row after row: nearly all of a large database. Each statement names the customer, and no key or reference stands in the
 * way of dividing these tables among machines by customer, or by time by an extension (docs/operate/history.md).
 */
export const historyTables = [
  'terminal_report',
  'terminal_event',
  'terminal_session',
  'terminal_track',
] as const satisfies (keyof Tables)[]
/** Partitioned by month on a time column: jobs/partitions makes the coming ones and drops the expired. */
export const partitionedTables = {
  terminal_report: { months: 6 },
  terminal_event: { months: 6 },
  terminal_session: { months: 6 },
  terminal_track: { months: 6 },
  // A device may say late what it used, up to the end of its retention.
  terminal_usage: { months: 6, months_back: 6 },
  // A push goes with the month in which it ended (modules/push/push-task/retention).
  push_task_activity: { months: 6 },
  operation_log: { months: 3 },
} as const satisfies Partial<Record<keyof Tables, { months: number; months_back?: number }>>
